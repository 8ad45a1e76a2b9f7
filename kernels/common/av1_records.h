// SPDX-License-Identifier: BSD-2-Clause
//
// Layouts of everything that the CPU writes and a kernel of the AV1 in-loop filters reads. As in records.h, C++ and
// GLSL compile this one file, and only 32-bit words are used.
//
// One frame is one block of words in the upload: DdAv1FilterParams, then the tables that it points into. The passes
// run over whole frames. No pixel that one of their lanes writes is read by another lane:
//   deblock           columns, then rows, in the picture
//   CDEF              picture -> scratch A, those blocks that it filters; then they are copied back
//   with restoration  picture -> scratch A, all blocks, and what they were -> scratch B (where CDEF is off a copy
//                     does that);
//                     restoration: scratch A, rows outside a stripe from scratch B -> the picture
#ifndef DAEDALUS_KERNELS_AV1_RECORDS_H
#define DAEDALUS_KERNELS_AV1_RECORDS_H

#include "common/records.h"

#ifdef __cplusplus
namespace dd {
#endif

// Descriptor bindings; the numbers of the VP9 kernels, so that one layout serves both codecs.
const uint DD_AV1_BIND_DST = DD_BIND_DST;
const uint DD_AV1_BIND_SCRATCH_A = DD_BIND_REF0;
const uint DD_AV1_BIND_SCRATCH_B = DD_BIND_REF1;
const uint DD_AV1_BIND_RECORDS = DD_BIND_RECORDS;

// The tables of one 128x128 block of luma, in 16-bit halves:
//   luma edges    [between columns, between rows][32][4, 8, 14 wide][2]
//   chroma edges  the same with [32][4, 6 wide][2]
//   CDEF index of each 64x64 (8 bits, -1: none)
//   blocks with residual [16][2]: a row is 8 pixels high, a bit 4 wide
// A half holds 16 bits for a luma row (column) of 4x4 blocks; of subsampled chroma only the low 8 are used.
const uint DD_AV1_SB_WORDS = 337u;
const uint DD_AV1_SB_CHROMA = 192u; // word offsets inside
const uint DD_AV1_SB_CDEF = 320u;
const uint DD_AV1_SB_CODED = 321u;

// A restoration unit takes four words: kind; then
//   Wiener       bytes h0 h1 h2; bytes v0 v1 v2 (signed)
//   self-guided  s0 | s1 << 16; w0 | w1 << 16 (signed). s0 or s1 is 0 where that box isn't used.
const uint DD_AV1_UNIT_WORDS = 4u;
const uint DD_AV1_UNIT_NONE = 0u;
const uint DD_AV1_UNIT_WIENER = 1u;
const uint DD_AV1_UNIT_SELF_GUIDED = 2u;

const uint DD_AV1_X_BY_X_WORDS = 64u; // 256 bytes: 256 - a2 of clause 7.17.3, by z

const uint DD_AV1_DEBLOCK_LUMA = 1u;
const uint DD_AV1_DEBLOCK_CHROMA = 2u;

struct DdAv1Plane {
    uint offset; // bytes from the start of the buffer, a multiple of 4
    uint stride; // bytes, a multiple of 4
    uint width;  // true size in pixels of this plane
    uint height;
};

struct DdAv1FilterParams {
    DdAv1Plane plane[3];
    uint bit_depth;
    uint planes; // 1 or 3
    uint ss_h;
    uint ss_v;
    uint w4; // size in 4x4 blocks of luma, rounded up
    uint h4;
    uint w8; // in 8x8 blocks
    uint h8;
    uint sb_cols;      // 128x128 blocks in a row
    uint level_stride; // words from a row of levels to the next
    uint deblock;      // DD_AV1_DEBLOCK_*
    uint sharpness;
    uint cdef_damping; // of luma, 3 to 6
    uint restored;     // bit p: plane p has restoration units
    uint superblocks;  // first word of each table, counted from the end of this structure
    uint
        levels; // a word a 4x4 block: luma columns | luma rows << 8 | U << 16 | V << 24, each plane at its own position
    uint x_by_x;
    uint blocks;       // first word of the CDEF decisions, in the buffer of scratch A, after the picture
    uint cdef_luma[2]; // eight strengths, a byte each: primary << 2 | secondary
    uint cdef_chroma[2];
    uint units[3]; // first word of each plane's restoration units
    uint unit_cols[3];
    uint unit_rows[3];
    uint unit_log2[3];
};

// A CDEF decision: what an 8x8 block of luma and its chroma get.
const uint DD_AV1_CDEF_Y_PRI_SHIFT = 0u;   // 8 bits, adjusted by the variance, scaled to the bit depth
const uint DD_AV1_CDEF_Y_SEC_SHIFT = 8u;   // 4 bits
const uint DD_AV1_CDEF_Y_DIR_SHIFT = 12u;  // 3 bits
const uint DD_AV1_CDEF_UV_PRI_SHIFT = 16u; // 4 bits, unscaled
const uint DD_AV1_CDEF_UV_SEC_SHIFT = 20u; // 4 bits
const uint DD_AV1_CDEF_UV_DIR_SHIFT = 24u; // 3 bits

// Push constants of every pass. Workgroups are counted through the planes.
struct DdAv1Pass {
    uint first[3]; // first workgroup of each plane
    uint total;    // workgroups of all planes
    uint flags;    // DD_AV1_PASS_*
    // Of units of sixteen lanes: how many lie side by side in luma and in chroma, and one by that, a little larger.
    uint across[2];
    float inverse[2];
    uint offset[3]; // bytes, of the planes
    uint stride[2]; // of luma and chroma
    uint ss_h, ss_v;
};
const uint DD_AV1_PASS_ALL = 1u;         // CDEF, copy: all blocks of the picture
const uint DD_AV1_PASS_NO_CDEF = 4u;     // restoration: scratch A is unused, everything comes from scratch B
const uint DD_AV1_PASS_PLANE_SHIFT = 4u; // bits 4 to 6: planes that are filtered; others are copied

#ifdef __cplusplus
} // namespace dd
#endif
#endif
