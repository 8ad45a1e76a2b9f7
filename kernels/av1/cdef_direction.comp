// SPDX-License-Identifier: BSD-2-Clause
//
// What CDEF does to each 8x8 block: whether it is filtered at all, the direction of its luma, and the strengths.
// AV1 specification, clauses 7.15, 7.15.1 and 7.15.2. A lane takes one block: its 64 pixels stay packed in sixteen
// words, and the lines of each direction are summed out of them.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "filter.glsl"

uint px[16]; // two words a row, 8 bits a pixel

int at(int x, int y) { return int(bitfieldExtract(px[2 * y + (x >> 2)], 8 * (x & 3), 8)) - 128; }

int square(int v) { return v * v; }

// 840 / n, for lines of n pixels.
int share(int n) {
    return n == 1 ? 840 : n == 2 ? 420 : n == 3 ? 280 : n == 4 ? 210 : n == 5 ? 168 : n == 6 ? 140 : n == 7 ? 120 : 105;
}

int cost_rows() {
    int cost = 0;
    [[unroll]] for (int y = 0; y < 8; y++) {
        int s = 0;
        [[unroll]] for (int x = 0; x < 8; x++)
            s += at(x, y);
        cost += square(s);
    }
    return cost * 105;
}

int cost_columns() {
    int cost = 0;
    [[unroll]] for (int x = 0; x < 8; x++) {
        int s = 0;
        [[unroll]] for (int y = 0; y < 8; y++)
            s += at(x, y);
        cost += square(s);
    }
    return cost * 105;
}

// Lines x + y = n, or where `mirrored` 7 - x + y = n.
int cost_diagonal(const bool mirrored) {
    int cost = 0;
    [[unroll]] for (int n = 0; n < 15; n++) {
        int s = 0;
        [[unroll]] for (int y = 0; y < 8; y++) {
            const int x = n - y;
            if (x >= 0 && x < 8)
                s += at(mirrored ? 7 - x : x, y);
        }
        cost += square(s) * share(n < 8 ? n + 1 : 15 - n);
    }
    return cost;
}

// Lines y + (x >> 1) = n, 3 + y - (x >> 1) = n, and the same two with x and y exchanged.
int cost_slanted(const bool transposed, const bool mirrored) {
    int cost = 0;
    [[unroll]] for (int n = 0; n < 11; n++) {
        int s = 0;
        [[unroll]] for (int b = 0; b < 8; b++) {
            const int a = mirrored ? n - 3 + (b >> 1) : n - (b >> 1);
            if (a >= 0 && a < 8)
                s += transposed ? at(a, b) : at(b, a);
        }
        cost += square(s) * (n >= 3 && n < 8 ? 105 : share(2 * (n < 3 ? n : 10 - n) + 2));
    }
    return cost;
}

struct Direction {
    uint dir;
    uint variance;
};

Direction find_direction() {
    const int c0 = cost_diagonal(false), c1 = cost_slanted(false, false), c2 = cost_rows();
    const int c3 = cost_slanted(false, true), c4 = cost_diagonal(true), c5 = cost_slanted(true, true);
    const int c6 = cost_columns(), c7 = cost_slanted(true, false);
    uint dir = 0u;
    int best = c0, other = c4;
    if (c1 > best) dir = 1u, best = c1, other = c5;
    if (c2 > best) dir = 2u, best = c2, other = c6;
    if (c3 > best) dir = 3u, best = c3, other = c7;
    if (c4 > best) dir = 4u, best = c4, other = c0;
    if (c5 > best) dir = 5u, best = c5, other = c1;
    if (c6 > best) dir = 6u, best = c6, other = c2;
    if (c7 > best) dir = 7u, best = c7, other = c3;
    return Direction(dir, uint(best - other) >> 10);
}

void load_block(uint x8, uint y8) {
    const DdAv1Plane plane = params.plane[0];
    uint from = quad_at(plane, int(2u * x8), int(8u * y8));
    const int depth = int(params.bit_depth) - 8;
    [[unroll]] for (uint y = 0u; y < 8u; y++) {
#if BYTES == 1
        px[2u * y] = dst[from];
        px[2u * y + 1u] = dst[from + 1u];
#else
        [[unroll]] for (uint half_row = 0u; half_row < 2u; half_row++) {
            const uvec2 q = LOAD_QUAD(dst, from + 2u * half_row);
            const uvec2 low = (q >> depth) & 0xffu, high = (q >> (16 + depth)) & 0xffu;
            px[2u * y + half_row] = low.x | high.x << 8 | low.y << 16 | high.y << 24;
        }
#endif
        from += plane.stride / 4u;
    }
}

uint strength(uint luma, uint index) {
    const uint low = luma != 0u ? params.cdef_luma[0] : params.cdef_chroma[0];
    const uint high = luma != 0u ? params.cdef_luma[1] : params.cdef_chroma[1];
    return bitfieldExtract(index < 4u ? low : high, int(8u * (index & 3u)), 8);
}

uint secondary(uint s) { return (s & 3u) == 3u ? 4u : s & 3u; }

// Directions of chroma whose pixels are twice as wide as high.
uint stretched(uint dir) { return (0x66654207u >> (4u * dir)) & 7u; }

uint decide(uint x8, uint y8) {
    const uint sb = params.superblocks + ((y8 >> 4) * params.sb_cols + (x8 >> 4)) * DD_AV1_SB_WORDS;
    const uint coded = words[sb + DD_AV1_SB_CODED + (y8 & 15u)];
    if ((coded & (3u << (2u * (x8 & 15u)))) == 0u)
        return 0u;
    const uint quarter = ((y8 >> 3) & 1u) * 2u + ((x8 >> 3) & 1u);
    const uint index = bitfieldExtract(words[sb + DD_AV1_SB_CDEF], int(8u * quarter), 8);
    if (index > 7u) // none
        return 0u;
    const uint luma = strength(1u, index);
    const uint chroma = params.planes == 1u ? 0u : strength(0u, index);
    const uint depth = params.bit_depth - 8u;
    uint pri = (luma >> 2) << depth;
    const uint pri_uv = chroma >> 2;
    Direction d = Direction(0u, 0u);
    if ((pri | pri_uv) != 0u) {
        load_block(x8, y8);
        d = find_direction();
    }
    const uint dir_y = pri != 0u ? d.dir : 0u;
    const uint over = d.variance >> 6;
    const uint steps = over != 0u ? min(uint(findMSB(over)), 12u) : 0u;
    pri = d.variance != 0u ? (pri * (4u + steps) + 8u) >> 4 : 0u;
    uint dir_uv = pri_uv != 0u ? d.dir : 0u;
    if (pri_uv != 0u && params.ss_h != params.ss_v)
        dir_uv = stretched(dir_uv);
    return pri << DD_AV1_CDEF_Y_PRI_SHIFT | secondary(luma) << DD_AV1_CDEF_Y_SEC_SHIFT |
           dir_y << DD_AV1_CDEF_Y_DIR_SHIFT | pri_uv << DD_AV1_CDEF_UV_PRI_SHIFT |
           secondary(chroma) << DD_AV1_CDEF_UV_SEC_SHIFT | dir_uv << DD_AV1_CDEF_UV_DIR_SHIFT;
}

void main() {
    const uint block = group_index() * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    if (block >= params.w8 * params.h8)
        return;
    const uint y8 = block / params.w8;
    scratch_a[params.blocks + block] = decide(block - y8 * params.w8, y8);
}
