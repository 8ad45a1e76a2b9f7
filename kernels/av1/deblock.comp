// SPDX-License-Identifier: BSD-2-Clause
//
// Deblocking of a whole frame in place, across the edges between columns or (ROWS) those between rows. AV1
// specification, clause 7.14. Edges of one direction don't touch each other's pixels, so they need no order. A lane
// takes one line of pixels across an edge, of four edges one after the other. Only pixels that a filter reads are
// loaded: a neighbour may be writing the next ones.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#include "filter.glsl"

layout(set = 0, binding = DD_AV1_BIND_DST, std430) buffer DstHalves { uint16_t dst_halves[]; };
layout(set = 0, binding = DD_AV1_BIND_DST, std430) buffer DstBytes { uint8_t dst_bytes[]; };

struct Line {
    int p3, p2, p1, p0, q0, q1, q2, q3;
};
struct Outer { // what 14 taps read on top
    int p6, p5, p4, q4, q5, q6;
};

// Two pixels on one side of an edge: `near` lies closer to it. `at`: byte of the edge's first pixel behind it; `k`: 0
// for the two pixels at the edge.
#ifdef ROWS
#if BYTES == 1
#define PIXEL(at) dst_bytes[at]
#define TO_PIXEL(v) uint8_t(v)
#else
#define PIXEL(at) dst_halves[(at) >> 1]
#define TO_PIXEL(v) uint16_t(v)
#endif
void load_before(uint at, uint step, const uint k, out int near, out int far) {
    near = int(uint(PIXEL(at - step * (2u * k + 1u))));
    far = int(uint(PIXEL(at - step * (2u * k + 2u))));
}
void load_behind(uint at, uint step, const uint k, out int near, out int far) {
    near = int(uint(PIXEL(at + step * (2u * k))));
    far = int(uint(PIXEL(at + step * (2u * k + 1u))));
}
void store_before(uint at, uint step, const uint k, int near, int far) {
    PIXEL(at - step * (2u * k + 1u)) = TO_PIXEL(near);
    PIXEL(at - step * (2u * k + 2u)) = TO_PIXEL(far);
}
void store_behind(uint at, uint step, const uint k, int near, int far) {
    PIXEL(at + step * (2u * k)) = TO_PIXEL(near);
    PIXEL(at + step * (2u * k + 1u)) = TO_PIXEL(far);
}
#else
#if BYTES == 1
#define PAIR(at) dst_halves[(at) >> 1]
#define TO_PAIR(low, high) uint16_t(uint((low) + ((high) << 8)))
#define PAIR_BYTES 2u
#define PAIR_LOW(pair) int((pair) & 255u)
#define PAIR_HIGH(pair) int((pair) >> 8)
#else
#define PAIR(at) dst[(at) >> 2]
#define TO_PAIR(low, high) uint((low) + ((high) << 16))
#define PAIR_BYTES 4u
#define PAIR_LOW(pair) int((pair) & 65535u)
#define PAIR_HIGH(pair) int((pair) >> 16)
#endif
void load_before(uint at, uint step, const uint k, out int near, out int far) {
    const uint pair = uint(PAIR(at - PAIR_BYTES * (k + 1u)));
    near = PAIR_HIGH(pair);
    far = PAIR_LOW(pair);
}
void load_behind(uint at, uint step, const uint k, out int near, out int far) {
    const uint pair = uint(PAIR(at + PAIR_BYTES * k));
    near = PAIR_LOW(pair);
    far = PAIR_HIGH(pair);
}
void store_before(uint at, uint step, const uint k, int near, int far) {
    PAIR(at - PAIR_BYTES * (k + 1u)) = TO_PAIR(far, near);
}
void store_behind(uint at, uint step, const uint k, int near, int far) {
    PAIR(at + PAIR_BYTES * k) = TO_PAIR(near, far);
}
#endif

int apart(int a, int b) { return max(a - b, b - a); }

// Thresholds of an edge, clause 7.14.4, in the pixels' depth.
struct Limits {
    int outer, inner, busy, flat_most;
};

Limits limits_of(int level, int sharp, int depth) {
    int limit = level;
    if (sharp > 0)
        limit = min(limit >> ((sharp + 3) >> 2), 9 - sharp);
    limit = max(limit, 1);
    return Limits((2 * (level + 2) + limit) << depth, limit << depth, (level >> 4) << depth, 1 << depth);
}

// Clause 7.14.6.3.
void narrow(inout Line l, bool busy, int depth) {
    const int low = -(128 << depth), high = (128 << depth) - 1, top = (256 << depth) - 1;
    const int base = clamp(3 * (l.q0 - l.p0) + (busy ? clamp(l.p1 - l.q1, low, high) : 0), low, high);
    const int f1 = min(base + 4, high) >> 3, f2 = min(base + 3, high) >> 3;
    const int f = busy ? 0 : (f1 + 1) >> 1;
    l.p0 = clamp(l.p0 + f2, 0, top);
    l.q0 = clamp(l.q0 - f1, 0, top);
    l.p1 = clamp(l.p1 + f, 0, top);
    l.q1 = clamp(l.q1 - f, 0, top);
}

// Clause 7.14.6.4, of 6, 8 and 14 taps: windows that move by one pixel for each output.
void flat6(inout Line l) {
    const Line o = l;
    const int m = o.p0 + o.q0;
    l.p1 = (o.p2 * 3 + o.p1 * 2 + o.p0 + m + 4) >> 3;
    l.p0 = (o.p2 + o.p1 * 2 + m * 2 + o.q1 + 4) >> 3;
    l.q0 = (o.p1 + m * 2 + o.q1 * 2 + o.q2 + 4) >> 3;
    l.q1 = (o.q0 + m + o.q1 * 2 + o.q2 * 3 + 4) >> 3;
}

void flat8(inout Line l) {
    const Line o = l;
    int s = o.p3 * 3 + o.p2 * 2 + o.p1 + o.p0 + o.q0 + 4;
    l.p2 = s >> 3;
    s += o.p1 + o.q1 - o.p3 - o.p2;
    l.p1 = s >> 3;
    s += o.p0 + o.q2 - o.p3 - o.p1;
    l.p0 = s >> 3;
    s += o.q0 + o.q3 - o.p3 - o.p0;
    l.q0 = s >> 3;
    s += o.q1 + o.q3 - o.p2 - o.q0;
    l.q1 = s >> 3;
    s += o.q2 + o.q3 - o.p1 - o.q1;
    l.q2 = s >> 3;
}

void flat14(inout Line l, inout Outer w) {
    const Line o = l;
    const Outer v = w;
    int s = v.p6 * 7 + v.p5 * 2 + v.p4 * 2 + o.p3 + o.p2 + o.p1 + o.p0 + o.q0 + 8;
    w.p5 = s >> 4;
    s += o.p3 + o.q1 - v.p6 - v.p6;
    w.p4 = s >> 4;
    s += o.p2 + o.q2 - v.p6 - v.p5;
    l.p3 = s >> 4;
    s += o.p1 + o.q3 - v.p6 - v.p4;
    l.p2 = s >> 4;
    s += o.p0 + v.q4 - v.p6 - o.p3;
    l.p1 = s >> 4;
    s += o.q0 + v.q5 - v.p6 - o.p2;
    l.p0 = s >> 4;
    s += o.q1 + v.q6 - v.p6 - o.p1;
    l.q0 = s >> 4;
    s += o.q2 + v.q6 - v.p5 - o.p0;
    l.q1 = s >> 4;
    s += o.q3 + v.q6 - v.p4 - o.q0;
    l.q2 = s >> 4;
    s += v.q4 + v.q6 - o.p3 - o.q1;
    l.q3 = s >> 4;
    s += v.q5 + v.q6 - o.p2 - o.q2;
    w.q4 = s >> 4;
    s += v.q6 + v.q6 - o.p1 - o.q3;
    w.q5 = s >> 4;
}

bool flat_outside(const Line l, const Outer w, int most) {
    return max(max(max(apart(w.p6, l.p0), apart(w.p5, l.p0)), max(apart(w.p4, l.p0), apart(w.q4, l.q0))),
               max(apart(w.q5, l.q0), apart(w.q6, l.q0))) <= most;
}

// One line across an edge of 4 taps, of 6 or 8 (`middle`), or of 14 (`wide`).
void filter_line(uint at, uint step, bool luma, bool middle, bool wide, const Limits t, int depth) {
    Line l;
    load_before(at, step, 0u, l.p0, l.p1);
    load_behind(at, step, 0u, l.q0, l.q1);
    const int near = max(apart(l.p1, l.p0), apart(l.q1, l.q0));
    int far = near, spread = near;
    if (middle) {
        load_before(at, step, 1u, l.p2, l.p3);
        load_behind(at, step, 1u, l.q2, l.q3);
        far = max(far, max(apart(l.p2, l.p1), apart(l.q2, l.q1)));
        spread = max(spread, max(apart(l.p2, l.p0), apart(l.q2, l.q0)));
        if (luma) {
            far = max(far, max(apart(l.p3, l.p2), apart(l.q3, l.q2)));
            spread = max(spread, max(apart(l.p3, l.p0), apart(l.q3, l.q0)));
        }
    }
    if (far > t.inner || apart(l.p0, l.q0) * 2 + (apart(l.p1, l.q1) >> 1) > t.outer)
        return;
    if (middle && spread <= t.flat_most) {
        if (wide) {
            Outer w;
            int unused_p, unused_q;
            load_before(at, step, 2u, w.p4, w.p5);
            load_behind(at, step, 2u, w.q4, w.q5);
            load_before(at, step, 3u, w.p6, unused_p);
            load_behind(at, step, 3u, w.q6, unused_q);
            if (flat_outside(l, w, t.flat_most)) {
                flat14(l, w);
                store_before(at, step, 2u, w.p4, w.p5);
                store_behind(at, step, 2u, w.q4, w.q5);
            } else {
                flat8(l);
            }
        } else if (luma) {
            flat8(l);
        } else {
            flat6(l);
        }
        if (luma) {
            store_before(at, step, 1u, l.p2, l.p3);
            store_behind(at, step, 1u, l.q2, l.q3);
        }
    } else {
        narrow(l, near > t.busy, depth);
    }
    store_before(at, step, 0u, l.p0, l.p1);
    store_behind(at, step, 0u, l.q0, l.q1);
}

void main() {
    // Read before lanes part.
    const uint superblocks = params.superblocks, sb_cols = params.sb_cols, levels = params.levels;
    const uint level_stride = params.level_stride, w4 = params.w4, h4 = params.h4;
    const int sharp = int(params.sharpness), depth = int(params.bit_depth) - 8;
    const Place place = place_of_lane();
    const uint ss_h = place.luma ? 0u : pass.ss_h, ss_v = place.luma ? 0u : pass.ss_v;
    const uint columns = (w4 + ss_h) >> ss_h, rows = (h4 + ss_v) >> ss_v; // in 4x4 blocks
#ifdef ROWS
    const uint dir = 1u, x = place.unit * 16u + place.lane, y = place.row * 16u;
#else
    const uint dir = 0u, x = place.unit * 16u, y = place.row * 16u + place.lane;
#endif
    uint x4 = x >> 2, y4 = y >> 2;
    if (!place.filtered || x4 >= columns || y4 >= rows)
        return;
    const uint sb = superblocks + ((y4 >> (5u - ss_v)) * sb_cols + (x4 >> (5u - ss_h))) * DD_AV1_SB_WORDS;
    const uint in_x = x4 & (31u >> ss_h), in_y = y4 & (31u >> ss_v);
    const uint line = dir * 32u + (dir == 0u ? in_x : in_y), along = dir == 0u ? in_y : in_x;
    const uint half_bits = 4u - (dir == 0u ? ss_v : ss_h);
    const uint bit = place.luma ? along : ((along >> half_bits) << 4u) + (along & ((1u << half_bits) - 1u));
    const uint next_table = place.luma ? 3u : 2u, next_level = dir == 0u ? 1u : level_stride;
    const uint level_byte = 8u * (place.luma ? dir : place.plane + 1u);
    const uint stride = place.luma ? pass.stride[0] : pass.stride[1];
    const uint step = dir == 0u ? uint(BYTES) : stride;
    uint table = sb + line * next_table + (place.luma ? 0u : DD_AV1_SB_CHROMA);
    uint level = levels + y4 * level_stride + x4;
    uint at = place.offset + y * stride + x * uint(BYTES);
    uint left = min(4u, dir == 0u ? columns - x4 : rows - y4); // edges
    if ((dir == 0u ? x4 : y4) == 0u)
        left--, table += next_table, level += next_level, at += 4u * step;
    if (left == 0u)
        return;
    [[dont_unroll]] do {
        const uint narrow_bits = words[table], middle_bits = words[table + 1u], third = words[table + 2u];
        const uint wide_bits = place.luma ? third : 0u; // of chroma it is the next edge's
        if ((((narrow_bits | middle_bits | wide_bits) >> bit) & 1u) != 0u) {
            const uint own = (words[level] >> level_byte) & 255u;
            const uint before = (words[level - next_level] >> level_byte) & 255u;
            const int strength = int(own != 0u ? own : before);
            if (strength != 0)
                filter_line(at, step, place.luma, (((middle_bits | wide_bits) >> bit) & 1u) != 0u,
                            ((wide_bits >> bit) & 1u) != 0u, limits_of(strength, sharp, depth), depth);
        }
        table += next_table;
        level += next_level;
        at += 4u * step;
        left--;
    } while (left != 0u);
}
