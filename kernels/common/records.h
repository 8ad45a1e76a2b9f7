// SPDX-License-Identifier: BSD-2-Clause
//
// Layouts of everything that the CPU writes and a kernel reads. This is the only place where they are
// defined: the C++ side includes this file as it is, the GLSL side through GL_GOOGLE_include_directive.
// Only 32-bit words are used, so that scalar and std430 layouts agree and V3D's word-wide memory unit is
// never asked for less.
#ifndef DAEDALUS_KERNELS_COMMON_RECORDS_H
#define DAEDALUS_KERNELS_COMMON_RECORDS_H

#ifdef __cplusplus
#include <cstdint>
namespace dd {
using uint = std::uint32_t;
#define DD_INT std::int32_t
#else
#define DD_INT int
#endif

// Descriptor bindings (set 0) of the VP9 kernels; at most eight storage buffers (V3D's limit).
const uint DD_BIND_DST = 0u;       // picture being decoded, read and written
const uint DD_BIND_REF0 = 1u;      // the references that the dispatch names (Dispatch::ref): first ...
const uint DD_BIND_REF1 = 2u;      // ... and second one of compound blocks
const uint DD_BIND_RECORDS = 3u;   // records of the dispatch's stage, and the loop filter's superblocks
const uint DD_BIND_COEFS = 4u;     // coefficients of the frame
const uint DD_BIND_TABLES = 5u;    // constant tables: subpel filters
const uint DD_BIND_RESIDUALS = 6u; // of intra blocks, which kernels write and read

const uint DD_MAX_REFS = 3u;

// Contents of DD_BIND_TABLES: half floats, two a word, [filter][1/16 pixel][tap], each tap divided by 128.
const uint DD_TABLE_SUBPEL = 0u;

// Planes of the picture being decoded, in words.
struct DdPlanes {
    uint offset[3];
    uint stride[2]; // luma, chroma
};

// Planes of a reference, in words. Coordinates are clamped to `last`: the picture's true size, never the padded one.
struct DdRefPlanes {
    uint offset[3];
    uint stride[2]; // luma, chroma
    uint last[2];   // x of the last pixel | y of the last row << 16
};

// Square size classes of a prediction: 4, 8, 16, 32, 64 pixels. Rectangular blocks are recorded as two or
// more squares, so that every bin runs uniformly.
const uint DD_MC_CLASSES = 5u;

// Motion compensation without scaling. VP9 specification, clause 8.5.2.3.
struct DdMcRecord {
    uint dst;  // x | y << 16, pixels of the plane, multiples of 4
    uint src0; // (x & 0xffff) | y << 16, signed whole pixels of the first reference
    uint src1; // the same for the second one of a compound block
    uint ctl;  // DD_MC_*
};
const uint DD_MC_MX0_SHIFT = 0u; // 1/16 pixel, 4 bits each
const uint DD_MC_MY0_SHIFT = 4u;
const uint DD_MC_MX1_SHIFT = 8u;
const uint DD_MC_MY1_SHIFT = 12u;
const uint DD_MC_FILTER_SHIFT = 16u; // 2 bits: row group in the subpel table: smooth, regular, sharp, bilinear
const uint DD_MC_PLANE_SHIFT = 18u;  // 2 bits
const uint DD_MC_REF0_SHIFT = 20u;   // 2 bits: slot
const uint DD_MC_REF1_SHIFT = 22u;   // 2 bits: slot
const uint DD_MC_COMPOUND = 1u << 24;

// All planes of a square block without scaling whose chroma has half of its width and height. The references and the
// size, 8 to 64 pixels of luma, are those of the list that has it.
struct DdMcBlock {
    uint at; // DD_MC_BLOCK_*
    uint mv; // (x & 0xffff) | y << 16, signed 1/8 pixels of luma; as many 1/16 pixels of chroma
};
struct DdMcPairBlock {
    uint at;
    uint mv0;
    uint mv1;
};
const uint DD_MC_BLOCK_COL_SHIFT = 0u; // 11 bits: position in 8x8 blocks of luma
const uint DD_MC_BLOCK_ROW_SHIFT = 11u;
const uint DD_MC_BLOCK_PLACE_MASK = 0x7ffu;
const uint DD_MC_BLOCK_FILTER_SHIFT = 22u; // 2 bits

// Motion compensation from a reference of another size. Same ctl bits but for the subpel ones, which are
// part of the position here.
struct DdScaledMcRecord {
    uint dst;
    uint ctl;
    DD_INT src0_x; // 1/16 pixel of the reference's plane, position of the square's first pixel
    DD_INT src0_y;
    DD_INT src1_x;
    DD_INT src1_y;
    uint step0; // x | y << 16, 1/16 pixel a pixel; 16 is a reference of the same size
    uint step1;
};

// Inverse transform of one block and its addition to the prediction. VP9 specification, clause 8.7.
// Transform kinds: 0..3 DCT 4x4, 8x8, 16x16, 32x32; 4 lossless WHT 4x4.
const uint DD_ITX_KINDS = 5u;
const uint DD_ITX_WHT = 4u;
// Corner classes by eob: only the upper left corner of a block has coefficients. 0: DC alone; c > 0: a
// corner of (4 << (c - 1)) squared. Only the corner is stored.
const uint DD_ITX_CORNERS = 5u;

struct DdItxRecord {
    uint dst;   // x | plane | y << 16: pixels of the plane, multiples of 4
    uint coefs; // first word in the coefficient buffer; of DC alone the coefficient itself, signed
};
// Coefficients of a corner of D x D: column after column, element j * D + i is row i of column j. With 8
// bits a pixel they are int16, two a word, the even row in the low half; above, one int32 a word.

// Intra prediction of one transform block and the addition of its residual, VP9 specification, clause 8.5.1; of
// chroma, of U and V, which are alike but for the residual. Those of luma and of chroma are done level by level: a
// block's level is higher than those of all intra blocks that it reads.
struct DdIntraRecord {
    uint dst;        // as DdItxRecord has it; the plane is 0 or 1
    uint how;        // DD_INTRA_*
    uint residual;   // of luma or U: first word among the frame's residuals, row after row, two signed ones a word
    uint residual_v; // of V
};
const uint DD_INTRA_MODE_SHIFT = 0u;     // 4 bits
const uint DD_INTRA_SIZE_SHIFT = 4u;     // 2 bits: a side of 4 << size
const uint DD_INTRA_HAS_LEFT = 1u << 6;  // there are pixels to the left ...
const uint DD_INTRA_HAS_ABOVE = 1u << 7; // ... and above
// The last four of those that there are: 0 for the first four. What would come after them repeats the last one.
const uint DD_INTRA_LAST_ABOVE_SHIFT = 8u; // 3 bits
const uint DD_INTRA_LAST_LEFT_SHIFT = 11u; // 3 bits
const uint DD_INTRA_HAS_RESIDUAL = 1u << 14;
const uint DD_INTRA_HAS_RESIDUAL_V = 1u << 15;

const uint DD_INTRA_V = 0u;
const uint DD_INTRA_H = 1u;
const uint DD_INTRA_DC = 2u;
const uint DD_INTRA_D45 = 3u;
const uint DD_INTRA_D135 = 4u;
const uint DD_INTRA_D117 = 5u;
const uint DD_INTRA_D153 = 6u;
const uint DD_INTRA_D63 = 7u;
const uint DD_INTRA_D207 = 8u;
const uint DD_INTRA_TM = 9u;
const uint DD_INTRA_MODES = 10u;

// Inverse transform of a block of intra prediction, DCT or ADST, into the frame's residuals. Clause 8.7. Four sizes,
// 4x4 to 32x32.
const uint DD_INTRA_SIZES = 4u;
struct DdIntraItxRecord {
    uint coefs;    // first word of its corner in the coefficient buffer
    uint residual; // as DdIntraRecord has it
    uint how;      // DD_INTRA_ITX_*
};
const uint DD_INTRA_ITX_CORNER_MASK = 7u;       // corner class, 1 to 4
const uint DD_INTRA_ITX_ADST_COLUMNS = 1u << 3; // the vertical transform is an ADST
const uint DD_INTRA_ITX_ADST_ROWS = 1u << 4;    // the horizontal one is

// Loop filter of one 64x64 superblock. VP9 specification, clause 8.8.
// Byte k of mask word [(kind * 2 + direction) * 8 + row] has a bit for each 8 pixel column (of luma): k = 0: 16
// wide, 1: 8 wide, 2: 4 wide, 3: 4 wide on the edge inside the 8x8. kind 0: luma; 1: chroma when subsampled in
// any direction (else chroma uses luma's). direction 0: edges between columns; 1: edges between rows.
struct DdLfSuperblock {
    uint level[16]; // 64 levels, one byte an 8x8 of luma, row after row
    uint mask[32];
};
// The same for the GPU. Bytes of line word [(kind * 2 + direction) * 8 + unit] have a bit for each 8x8 block of luma
// along a line: 16 wide, 8 wide, 4 and 8 wide, and edges inside the 8x8. A unit is eight lines: of luma, or of its
// columns or rows, where chroma has half of them.
struct DdLfLines {
    uint level[16];
    uint line[32];
};
// Levels of strength. Each has limit | mblimit << 8; its high edge variance threshold is level >> 4.
const uint DD_LF_LEVELS = 64u;

// Push constants. A stream of records is sorted by class; a workgroup belongs to one class. Class c has the workgroups
// from first_group[c] and the records from first_record[c], both up to those of the next class.
struct DdScaledMcPush { // classes go from 64 pixels to 4
    DdPlanes dst;
    DdRefPlanes ref0;
    DdRefPlanes ref1;
    uint first_group[4]; // of the second class on
    uint first_record[6];
};

// Motion compensation without scaling: its records begin with one of these for each workgroup.
struct DdMcGroup {
    uint records; // word of the first of its squares' records, from the start of all this
    uint squares; // so many
    uint unit;    // number of the first lane's strip among all of theirs
    uint how;     // size class | DD_MC_SQUARES, DD_MC_LUMA or DD_MC_CHROMA
};
const uint DD_MC_GROUP_CLASS_MASK = 7u;
const uint DD_MC_GROUP_KIND_SHIFT = 3u;
const uint DD_MC_SQUARES = 0u; // DdMcRecord: a square each
const uint DD_MC_LUMA = 1u;    // DdMcBlock, or DdMcPairBlock: their squares of luma ...
const uint DD_MC_CHROMA = 2u;  // ... or those of chroma, two of each
struct DdMcPush {
    DdPlanes dst;
    DdRefPlanes ref0;
    DdRefPlanes ref1;
    uint rows_log2; // rows of a lane's strip, at most
};

// Corner classes 1 to 4 of one transform size. DC alone: the transform sizes. WHT: one class.
struct DdItxPush {
    DdPlanes dst;
    uint first_group[3]; // of the second class on
    uint first_record[5];
};

// The sizes, smallest first.
struct DdIntraItxPush {
    uint first_group[3]; // of the second size on
    uint first_record[5];
};

// The records begin with a table: for each level of luma, then of chroma, the first record of each size; at its end,
// the number of records. A workgroup has a plane.
struct DdIntraPush {
    DdPlanes planes;
    uint levels[2];  // of luma, of chroma
    uint records_at; // word where the table ends
};

// The loop filter. Records: limit | mblimit << 8 of each level, then DdLfLines.
struct DdLfWavefrontPush {
    DdPlanes planes;
    uint chroma_lines[2]; // of a plane in a superblock, by direction: lines, words
    uint items[2];        // of a superblock: sixteen lines of any plane
    float inverse_items[2];
    uint sb_cols;
    uint sb_rows;
    uint ss_h;
    uint ss_v;
};

// Behind the picture's pixels, from word `sync` on: a count of the workgroups that have begun, then for each row of
// superblocks and each plane in it how many superblocks it won't touch any more.
struct DdLfSuperblockPush {
    DdPlanes planes;
    uint plane_count;
    uint sb_cols;
    uint sb_rows;
    uint sync;
    uint ss_h;
    uint ss_v;
};

// Copies of tiles between two buffers of a picture. The records are the tiles: column | row << 16.
struct DdTileSyncPush {
    DdPlanes planes;
    uint words_log2[2]; // of a tile's row: luma, chroma
    uint rows_log2[2];
};

// Offsets and strides in vectors of 16 bytes. Workgroups take four rows of luma or two of chroma, those of luma first.
struct DdP010Push {
    uint luma;
    uint cb;
    uint cr;
    uint to_luma;
    uint to_chroma;
    uint luma_stride; // also of both planes of P010
    uint chroma_stride;
    uint luma_vectors; // of a row
    uint chroma_vectors;
    uint luma_groups;
};

#ifdef __cplusplus
} // namespace dd
#endif
#undef DD_INT
#endif
