// SPDX-License-Identifier: BSD-2-Clause
//
// CDEF of a whole frame from the decisions of cdef_direction.comp. AV1 specification, clause 7.15.2. A lane owns four
// pixels of a row. There is no table: the steps of the eight directions are packed into literals.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "filter.glsl"

void store(uint at, PIXELS q) {
    if ((pass.flags & DD_AV1_PASS_TO_DST) != 0u)
        STORE_QUAD(dst, at, q);
    else
        STORE_QUAD(scratch_a, at, q);
}

// Where a plane's pixels can be read: the frame in whole 8x8 blocks of luma.
struct Frame {
    uint first; // word of row 0
    uint step;  // words from a row to the next
    int columns;
    int rows;
};

// Four pixels that start at any column.
PIXELS load_at(const Frame f, int x, int y) {
#if BYTES == 1
    const uint at = uint(int(f.first) + y * int(f.step) + (x >> 2));
    const int shift = 8 * (x & 3);
    const uint low = scratch_b[at], high = scratch_b[at + 1u];
    return shift == 0 ? low : (low >> shift) | (high << (32 - shift));
#else
    const uint at = uint(int(f.first) + y * int(f.step) + (x >> 1));
    const uint a = scratch_b[at], b = scratch_b[at + 1u], c = scratch_b[at + 2u];
    return (x & 1) == 0 ? uvec2(a, b) : uvec2((a >> 16) | (b << 16), (b >> 16) | (c << 16));
#endif
}

ivec4 unpacked(PIXELS q) { return ivec4(pixel(q, 0u), pixel(q, 1u), pixel(q, 2u), pixel(q, 3u)); }

// Steps of direction d, one or two pixels away, clause 7.15.3: (x, y).
ivec2 near_step(uint d) {
    return ivec2(int((0x22233333u >> (4u * d)) & 7u), int((0x33332221u >> (4u * d)) & 7u)) - 2;
}
ivec2 far_step(uint d) {
    return ivec2(int((0x12344444u >> (4u * d)) & 7u), int((0x44443210u >> (4u * d)) & 7u)) - 2;
}

struct Sum {
    ivec4 centre;
    ivec4 sum, low, high;
};

// A tap that lies outside the frame becomes the centre: it adds nothing and bounds nothing.
void add_tap(inout Sum s, const Frame f, ivec2 at, int weight, int strength, int shift) {
    const bool row_inside = at.y >= 0 && at.y < f.rows;
    ivec4 t = unpacked(load_at(f, at.x, row_inside ? at.y : 0));
    const ivec4 x = at.x + ivec4(0, 1, 2, 3);
    t = mix(s.centre, t, bvec4(row_inside && x.x >= 0 && x.x < f.columns, row_inside && x.y >= 0 && x.y < f.columns,
                               row_inside && x.z >= 0 && x.z < f.columns, row_inside && x.w >= 0 && x.w < f.columns));
    s.low = min(s.low, t);
    s.high = max(s.high, t);
    const ivec4 d = t - s.centre;
    const ivec4 size = abs(d);
    const ivec4 bounded = min(size, max(ivec4(0), strength - (size >> shift)));
    s.sum += weight * mix(bounded, -bounded, lessThan(d, ivec4(0)));
}

void add_pair(inout Sum s, const Frame f, ivec2 at, ivec2 step, int weight, int strength, int shift) {
    add_tap(s, f, at + step, weight, strength, shift);
    add_tap(s, f, at - step, weight, strength, shift);
}

PIXELS filter_quad(const Frame f, ivec2 at, PIXELS q, int pri, int sec, uint dir, int damping) {
    Sum s;
    s.centre = unpacked(q);
    s.sum = ivec4(0);
    s.low = s.centre;
    s.high = s.centre;
    if (pri != 0) {
        const int shift = max(0, damping - findMSB(pri));
        const int odd = (pri >> (int(params.bit_depth) - 8)) & 1;
        add_pair(s, f, at, near_step(dir), 4 - odd, pri, shift);
        add_pair(s, f, at, far_step(dir), 2 + odd, pri, shift);
    }
    if (sec != 0) {
        const int shift = max(0, damping - findMSB(sec));
        const uint left = (dir + 2u) & 7u, right = (dir + 6u) & 7u;
        add_pair(s, f, at, near_step(left), 2, sec, shift);
        add_pair(s, f, at, near_step(right), 2, sec, shift);
        add_pair(s, f, at, far_step(left), 1, sec, shift);
        add_pair(s, f, at, far_step(right), 1, sec, shift);
    }
    const ivec4 v = clamp(s.centre + ((s.sum + 8 + (s.sum >> 31)) >> 4), s.low, s.high);
#if BYTES == 1
    return uint(v.x | v.y << 8 | v.z << 16 | v.w << 24);
#else
    return uvec2(v.x | v.y << 16, v.z | v.w << 16);
#endif
}

void main() {
    const uint group = group_index();
    if (group >= pass.total)
        return;
    const uint plane = plane_of_group(group);
    const uint lane = (group - first_group(plane)) * 256u + gl_LocalInvocationID.x;
    const uint columns = plane_columns(plane), rows = plane_rows(plane);
    const uint across = columns / 4u;
    const uint y = lane / across;
    const uint x4 = lane - y * across;
    if (y >= rows)
        return;

    const DdAv1Plane at = plane_at(plane);
    const uint own = quad_at(at, int(x4), int(y));
    PIXELS q = LOAD_QUAD(scratch_b, own);
    const uint block = ((y << shift_v(plane)) >> 3) * params.w8 + ((x4 << shift_h(plane)) >> 1);
    const uint decision = scratch_a[params.blocks + block];
    const int depth = int(params.bit_depth) - 8;
    const int shift = plane == 0u ? 0 : int(DD_AV1_CDEF_UV_PRI_SHIFT);
    const int pri = bitfieldExtract(int(decision), shift, 8) & (plane == 0u ? 255 : 15);
    const int sec = int(bitfieldExtract(decision, shift + 8 - (plane == 0u ? 0 : 4), 4)) << depth;
    const uint dir = bitfieldExtract(decision, shift + 12 - (plane == 0u ? 0 : 4), 3);
    if (filtered(plane) && (pri | sec) != 0) {
        const Frame f = Frame(at.offset / 4u, at.stride / 4u, int(columns), int(rows));
        const int damping = int(params.cdef_damping) + depth - (plane == 0u ? 0 : 1);
        q = filter_quad(f, ivec2(4u * x4, y), q, plane == 0u ? pri : pri << depth, sec, dir, damping);
    }
    store(own, q);
}
