// SPDX-License-Identifier: BSD-2-Clause
//
// Layouts of what the CPU writes and the kernels of AV1 inter prediction read. As in records.h, C++ and GLSL compile
// this one file, and only 32-bit words are used.
//
// The upload of a frame is DdAv1ReconParams, then tables at fixed places, then masks and records, all counted in
// words from the end of DdAv1ReconParams. References that may be predicted from without scaling have the layout of
// the picture.
#ifndef DAEDALUS_KERNELS_AV1_RECON_H
#define DAEDALUS_KERNELS_AV1_RECON_H

#include "common/records.h"

#ifdef __cplusplus
namespace dd {
#define DD_INT std::int32_t
#else
#define DD_INT int
#endif

// Predictions read up to six references in one dispatch, for V3D can't index storage buffers at run time: all that
// the limit of eight buffers leaves. The numbers of the other kernels' bindings are used again.
const uint DD_AV1_BIND_REF0 = 1u;
const uint DD_AV1_BIND_REF1 = 2u;
const uint DD_AV1_BIND_REF2 = 4u;
const uint DD_AV1_BIND_REF3 = 5u;
const uint DD_AV1_BIND_REF4 = 6u;
const uint DD_AV1_BIND_REF5 = 7u;
const uint DD_AV1_BOUND_REFS = 6u;

struct DdAv1ReconParams {
    uint offset[3]; // of the planes, in words
    uint stride[2]; // luma, chroma
    uint last[2];   // x of the last pixel | y of the last row << 16: true size
    uint ss_h;
    uint ss_v;
};

// Tables. Taps are signed bytes.
const uint DD_AV1_TAPS = 0u;        // [6 kinds][16 positions][8]
const uint DD_AV1_WARP_TAPS = 192u; // [193][8]
const uint DD_AV1_OVERLAP =
    578u; // 128 bytes: weights of a neighbour's prediction, [2 * overlap + pixels from the edge]
const uint DD_AV1_TABLE_WORDS = 610u;
const uint DD_AV1_TAP_KINDS = 6u; // regular, smooth, sharp; regular and smooth of up to four pixels; bilinear

// Records of a dispatch are sorted by class: a record of class c is the work of 2^c lanes. Whole blocks have classes
// of their own, by luma, and are gone through twice: for luma, and for both planes of chroma.
const uint DD_AV1_CLASSES = 8u;
// What a workgroup does: so many lanes' work of a class, from one of its lanes on.
struct DdAv1WorkGroup {
    uint records; // word of the class's first record
    uint first;   // lane, of all that the class needs
    uint lanes;   // that the class needs
    uint how;     // DD_AV1_GROUP_*
};
const uint DD_AV1_GROUP_WORDS = 4u;
// Lanes of a workgroup. v3dv fills batches of 16 lanes by putting sixteen workgroups of 255 into a supergroup, and
// supergroups follow one another: a dispatch with fewer workgroups has one in each, and a third of the QPUs' threads
// idle. Of difference-weighted blocks there are few. Eight workgroups of 190 fill their batches.
const uint DD_AV1_LANES = 255u;
const uint DD_AV1_DIFFERENCE_LANES = 190u;
const uint DD_AV1_GROUP_LOG2 = 0u;        // 3 bits: lanes of a record
const uint DD_AV1_GROUP_CHROMA = 1u << 3; // of whole blocks
struct DdAv1ReconPush {
    uint groups; // first word of the table of workgroups
    // Where a record names its references: rows of the eleven that eight taps need. Six need nine.
    uint first_row;
    uint end_row;
    // Where references are bound: 1 if the source has no vertical filter.
    uint still[2];
    // Of a record, the most: sources of a warp; cells that a difference-weighted lane predicts.
    uint turns;
    uint warped; // some source is
};

// What records of all kinds have in `ctl`. A lane predicts a cell of four by four pixels.
const uint DD_AV1_W4_SHIFT = 0u;      // 2 bits: log2 of the width in cells
const uint DD_AV1_H4_SHIFT = 2u;      // 2 bits
const uint DD_AV1_CHROMA = 1u << 4;   // the second half of the lanes does V
const uint DD_AV1_TWO_ROWS = 1u << 5; // the cell has only two rows
const uint DD_AV1_HALVES = 1u << 6;   // pixels 0 and 1 from the first source, 2 and 3 from the second
const uint DD_AV1_COMPOUND = 1u << 7;
const uint DD_AV1_MASKED = 1u << 8;     // weights of the first source come from a mask, else it is one for all pixels
const uint DD_AV1_HAS_CHROMA = 1u << 9; // difference-weighted: chroma goes with luma
const uint DD_AV1_SIGN = 1u << 10;      // difference-weighted: the order of the sources was changed
// A block with all its planes: place and size are luma's, and `at` of a source is its vector, in 1/8 pixel of luma.
const uint DD_AV1_WHOLE = 1u << 11;
const uint DD_AV1_WEIGHT_SHIFT = 16u; // 7 bits: 64ths of the first source

// Where a source reads.
const uint DD_AV1_REF_SHIFT = 0u;     // 3 bits: binding
const uint DD_AV1_TAPS_X_SHIFT = 3u;  // 3 bits
const uint DD_AV1_TAPS_Y_SHIFT = 6u;  // 3 bits
const uint DD_AV1_MX_SHIFT = 9u;      // 4 bits: 1/16 pixel
const uint DD_AV1_MY_SHIFT = 13u;     // 4 bits
const uint DD_AV1_WARPED = 1u << 17;  // `warp` counts instead
const uint DD_AV1_CELL_X_SHIFT = 18u; // 1 bit each: the cell's place in the 8x8 pixels that a warp is made for
const uint DD_AV1_CELL_Y_SHIFT = 19u;
const uint DD_AV1_CHROMA_TAPS_X_SHIFT = 20u; // 3 bits: of a whole block's chroma
const uint DD_AV1_CHROMA_TAPS_Y_SHIFT = 23u; // 3 bits
struct DdAv1RecordSource {
    uint at; // (x & 0xffff) | y << 16: whole pixels of the plane; warped: of the 8x8 pixels
    uint how;
};
struct DdAv1RecordWarp {
    DD_INT mx; // 1/1024 of a pixel, 64 of them a step of the table
    DD_INT my;
    uint alpha_beta; // signed halves
    uint gamma_delta;
};

// Translation, one or two sources.
struct DdAv1McRecord {
    uint dst; // x | y << 16, pixels of the plane
    uint ctl;
    DdAv1RecordSource source[1];
};
struct DdAv1PairRecord {
    uint dst;
    uint ctl;
    uint mask; // word of the mask's first row; a row has as many bytes as the record pixels
    DdAv1RecordSource source[2];
};

// Overlapped prediction of at most 8x8 pixels: own prediction, above and left neighbour's.
const uint DD_AV1_ABOVE_SHIFT = 16u; // 7 bits: index in the table of weights; 0: no such neighbour
const uint DD_AV1_LEFT_SHIFT = 24u;
struct DdAv1OverlapRecord {
    uint dst;
    uint ctl;
    DdAv1RecordSource source[3];
};

// Sources that may be warped. Four by four or 8x8 pixels of a plane (both planes of chroma).
struct DdAv1WarpRecord {
    uint dst;
    uint ctl;
    uint mask;
    DdAv1RecordSource source[2];
    DdAv1RecordWarp warp[2];
};

// Difference-weighted compound: one lane does the cells of luma that make a cell of chroma, and that.
struct DdAv1DiffRecord {
    uint dst; // of luma
    uint ctl;
    DdAv1RecordSource source[2];
    DdAv1RecordWarp warp[2];
    DdAv1RecordSource chroma_source[2];
    DdAv1RecordWarp chroma_warp[2];
};

// Residuals. A workgroup has blocks of one shape; a table names them, three words a workgroup: first record, records,
// shape. Shapes: sizes are log2 of pixels.
const uint DD_AV1_ITX_W_SHIFT = 0u;    // 3 bits each
const uint DD_AV1_ITX_H_SHIFT = 3u;    //
const uint DD_AV1_ITX_COLS_SHIFT = 6u; // of the corner that coefficients lie in
const uint DD_AV1_ITX_ROWS_SHIFT = 9u;
const uint DD_AV1_ITX_KIND_H_SHIFT = 12u; // 2 bits each: DD_AV1_ITX_*
const uint DD_AV1_ITX_KIND_V_SHIFT = 14u;
const uint DD_AV1_ITX_FLIP_H = 1u << 16;
const uint DD_AV1_ITX_FLIP_V = 1u << 17;
const uint DD_AV1_ITX_ROUND_SHIFT = 18u; // 2 bits: right shift after rows
const uint DD_AV1_ITX_RECT = 1u << 20;   // one side is twice the other
const uint DD_AV1_ITX_DCT = 0u;
const uint DD_AV1_ITX_ADST = 1u;
const uint DD_AV1_ITX_IDENTITY = 2u;
const uint DD_AV1_ITX_WHT = 3u;
// Blocks with a DC coefficient alone.
const uint DD_AV1_ITX_DC_ALONE = 1u << 21;

// Lanes of a workgroup, one for each line of its blocks; and for DCTs with a side of 32 or 64, which are a kernel's
// of their own: lanes, and values of the blocks of a workgroup, at most.
const uint DD_AV1_ITX_LANES = 192u;
const uint DD_AV1_ITX_LARGE_LANES = 256u;
const uint DD_AV1_ITX_VALUES = 4096u;

// The coefficients of a corner lie column after column: element column * rows + row. With 8 bits a pixel they are
// int16, two a word, the even row in the low half; above, one int32 a word.
struct DdAv1ItxRecord {
    uint dst;   // x | plane | y << 16: x is a multiple of four pixels of the plane
    uint coefs; // first word at DD_BIND_COEFS; with a DC coefficient alone: what each pixel gets, signed
};

struct DdAv1ItxPush {
    uint groups;  // first word of the table
    uint records; // first word of record 0
};

#ifdef __cplusplus
} // namespace dd
#endif
#undef DD_INT
#endif
