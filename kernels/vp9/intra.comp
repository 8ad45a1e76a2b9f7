// SPDX-License-Identifier: BSD-2-Clause
//
// Intra prediction and the addition of residuals: VP9 specification, clause 8.5.1. The CPU has put the transform
// blocks in order (vp9/intra_schedule.h): those of a level don't read each other. A workgroup has all levels of a
// plane (U and V have theirs in common), and its barriers order them. A lane makes four pixels of a row at a time.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

#include "common/records.h"
#define DST_ACCESS
#include "common/pixels.glsl"

const uint LANES = 256u;
layout(local_size_x = LANES) in;

// The table of levels, then DdIntraRecord.
layout(std430, set = 0, binding = DD_BIND_RECORDS) readonly restrict buffer Records {
    uint records[];
};
layout(std430, set = 0, binding = DD_BIND_RESIDUALS) readonly restrict buffer Residuals {
    uint residuals[];
};
layout(push_constant) uniform Push {
    DdIntraPush push;
};

const int MIDDLE = 1 << (BITS - 1);

struct Block {
    uint plane, how, residual;
    int x, y, size;
    int last_above, last_left; // pixels that there are
};

Block block_of(uint record, uint plane) {
    const uint at = push.records_at + 4u * record, dst_at = records[at], how = records[at + 1u];
    return Block(plane, how, records[at + (plane == 2u ? 3u : 2u)], int(dst_at & 0xfffcu), int(dst_at >> 16),
                 4 << (how >> DD_INTRA_SIZE_SHIFT & 3u), int(how >> DD_INTRA_LAST_ABOVE_SHIFT & 7u) * 4 + 3,
                 int(how >> DD_INTRA_LAST_LEFT_SHIFT & 7u) * 4 + 3);
}

bool has(Block b, uint flag) { return (b.how & flag) != 0u; }

// Word of the four pixels around (x, y).
uint word_of(Block b, int x, int y) {
    return plane_offset(push.planes, b.plane) + uint(y) * plane_stride(push.planes, b.plane) +
           (uint(x) >> 2) * QUAD_WORDS;
}
int pixel(Block b, int x, int y) { return load_pixel(word_of(b, x, y), uint(x)); }

int above(Block b, int k) {
    return has(b, DD_INTRA_HAS_ABOVE) ? pixel(b, b.x + min(k, b.last_above), b.y - 1) : MIDDLE - 1;
}
int left(Block b, int k) {
    return has(b, DD_INTRA_HAS_LEFT) ? pixel(b, b.x - 1, b.y + min(k, b.last_left)) : MIDDLE + 1;
}
int corner(Block b) {
    if (has(b, DD_INTRA_HAS_ABOVE))
        return has(b, DD_INTRA_HAS_LEFT) ? pixel(b, b.x - 1, b.y - 1) : MIDDLE + 1;
    return MIDDLE - 1;
}
// All edges as one line: from the last one on the left (-size) by the corner (0) to the last one above.
int edge(Block b, int k) { return k > 0 ? above(b, k - 1) : k < 0 ? left(b, -k - 1) : corner(b); }

int average_two(int p, int q) { return (p + q + 1) >> 1; }
int average_three(int p, int q, int r) { return (p + 2 * q + r + 2) >> 2; }

// Loads that don't wait for each other.
int sum_above(Block b, int k) {
    const ivec4 quad = unpack_quad(load_quad(word_of(b, b.x + min(k, b.last_above), b.y - 1)));
    return k < b.last_above ? quad.x + quad.y + quad.z + quad.w : 4 * quad.w;
}
int sum_left(Block b, int k) { return left(b, k) + left(b, k + 1) + left(b, k + 2) + left(b, k + 3); }
int dc(Block b) {
    const bool is_above = has(b, DD_INTRA_HAS_ABOVE), is_left = has(b, DD_INTRA_HAS_LEFT);
    int sum = 0;
    for (int k = 0; k < b.size; k += 8) {
        const bool second = k + 4 < b.size;
        const int above_0 = is_above ? sum_above(b, k) : 0, above_1 = is_above && second ? sum_above(b, k + 4) : 0;
        const int left_0 = is_left ? sum_left(b, k) : 0, left_1 = is_left && second ? sum_left(b, k + 4) : 0;
        sum += above_0 + above_1 + left_0 + left_1;
    }
    const int count = (is_above ? b.size : 0) + (is_left ? b.size : 0);
    return count == 0 ? MIDDLE : (sum + count / 2) >> findMSB(count);
}

// Of eight pixels above a 4x4 the last one is taken as it is.
int at_45(Block b, int k) {
    return b.size == 4 && k == 6 ? above(b, 7) : average_three(above(b, k), above(b, k + 1), above(b, k + 2));
}
int at_63(Block b, int i, int j) {
    const int k = j + (i >> 1);
    return (i & 1) == 0 ? average_two(above(b, k), above(b, k + 1))
                        : average_three(above(b, k), above(b, k + 1), above(b, k + 2));
}
int left_of_size(Block b, int k) { return left(b, min(k, b.size - 1)); }
int at_207(Block b, int i, int j) {
    const int k = i + (j >> 1);
    return (j & 1) == 0 ? average_two(left_of_size(b, k), left_of_size(b, k + 1))
                        : average_three(left_of_size(b, k), left_of_size(b, k + 1), left_of_size(b, k + 2));
}
// Two pixels along `i` are one along `j`. `side`: 1 where `j` goes along the pixels above, -1 where it goes along
// those to the left.
int steep(Block b, int i, int j, int side) {
    const int k = j - (i >> 1);
    if (k >= 0 && (i & 1) == 0)
        return average_two(edge(b, side * k), edge(b, side * (k + 1)));
    const int middle = k >= 0 ? k : 2 * j - i + 1;
    return average_three(edge(b, side * (middle - 1)), edge(b, side * middle), edge(b, side * (middle + 1)));
}

int predict(Block b, uint mode, int i, int j) {
    switch (mode) {
    case DD_INTRA_V:
        return above(b, j);
    case DD_INTRA_H:
        return left(b, i);
    case DD_INTRA_D45:
        return at_45(b, i + j);
    case DD_INTRA_D135:
        return average_three(edge(b, j - i - 1), edge(b, j - i), edge(b, j - i + 1));
    case DD_INTRA_D117:
        return steep(b, i, j, 1);
    case DD_INTRA_D153:
        return steep(b, j, i, -1);
    case DD_INTRA_D63:
        return at_63(b, i, j);
    case DD_INTRA_D207:
        return at_207(b, i, j);
    default: // DD_INTRA_TM
        return clamp(left(b, i) + above(b, j) - corner(b), 0, PIXEL_MAX);
    }
}

ivec4 residual_of(Block b, int i, int j) {
    const uint at = b.residual + uint(i * b.size + j) / 2u;
    const ivec2 pairs = ivec2(residuals[at], residuals[at + 1u]);
    return ivec4(pairs.x << 16 >> 16, pairs.x >> 16, pairs.y << 16 >> 16, pairs.y >> 16);
}

void make_quad(Block b, uint quad) {
    const uint quads_a_row = uint(b.size) / 4u;
    const int i = int(quad / quads_a_row), j = int(quad % quads_a_row) * 4;
    const uint mode = b.how >> DD_INTRA_MODE_SHIFT & 15u;
    ivec4 p;
    if (mode == DD_INTRA_DC)
        p = ivec4(dc(b));
    else if (mode == DD_INTRA_H)
        p = ivec4(left(b, i));
    else
        p = ivec4(predict(b, mode, i, j), predict(b, mode, i, j + 1), predict(b, mode, i, j + 2),
                  predict(b, mode, i, j + 3));
    if (has(b, b.plane == 2u ? DD_INTRA_HAS_RESIDUAL_V : DD_INTRA_HAS_RESIDUAL))
        p = clamp(p + residual_of(b, i, j), 0, PIXEL_MAX);
    store_quad(word_of(b, b.x + j, b.y + i), pack_quad(p));
}

// Quads of a level are numbered size after size.
void make_level(uint level, uint plane) {
    uint first = records[4u * level], before = 0u, unit = gl_LocalInvocationIndex;
    [[unroll]] for (uint size = 0u; size < DD_INTRA_SIZES; size++) {
        const uint next = records[4u * level + size + 1u], shift = 2u + 2u * size;
        const uint end = before + ((next - first) << shift);
        for (; unit < end; unit += LANES)
            make_quad(block_of(first + ((unit - before) >> shift), plane), (unit - before) & ((1u << shift) - 1u));
        before = end;
        first = next;
    }
}

void main() {
    const uint plane = gl_WorkGroupID.x;
    const uint first = plane == 0u ? 0u : push.levels[0], levels = plane == 0u ? push.levels[0] : push.levels[1];
    for (uint level = first; level < first + levels; level++) {
        make_level(level, plane);
        groupMemoryBarrier();
        barrier();
    }
}
