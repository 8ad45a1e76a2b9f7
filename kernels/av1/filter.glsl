// SPDX-License-Identifier: BSD-2-Clause
//
// What the passes of the AV1 in-loop filters share: buffers, planes, rows of four pixels.
// BYTES: bytes a pixel, 1 or 2; or BITS: 8, 10 or 12.
#extension GL_EXT_control_flow_attributes : require
#include "common/av1_records.h"

#ifdef BITS
#if BITS == 8
#define BYTES 1
#else
#define BYTES 2
#endif
#endif

layout(local_size_x = 255) in;

layout(set = 0, binding = DD_AV1_BIND_DST, std430) buffer Dst { uint dst[]; };
layout(set = 0, binding = DD_AV1_BIND_SCRATCH_A, std430) buffer ScratchA { uint scratch_a[]; };
layout(set = 0, binding = DD_AV1_BIND_SCRATCH_B, std430) buffer ScratchB { uint scratch_b[]; };
layout(set = 0, binding = DD_AV1_BIND_RECORDS, std430) readonly buffer Records {
    DdAv1FilterParams params;
    uint words[];
};
layout(push_constant) uniform Push { DdAv1Pass pass; };

// Four neighbouring pixels as they lie in memory.
#if BYTES == 1
#define PIXELS uint
#define QUAD_WORDS 1u
uint pixel(PIXELS q, uint i) { return bitfieldExtract(q, int(8u * i), 8); }
PIXELS with_pixel(PIXELS q, uint i, uint value) { return bitfieldInsert(q, value, int(8u * i), 8); }
#define LOAD_QUAD(buf, at) (buf[at])
#define STORE_QUAD(buf, at, q) buf[at] = (q)
#else
#define PIXELS uvec2
#define QUAD_WORDS 2u
uint pixel(PIXELS q, uint i) { return bitfieldExtract(i < 2u ? q.x : q.y, int(16u * (i & 1u)), 16); }
PIXELS with_pixel(PIXELS q, uint i, uint value) {
    const int at = int(16u * (i & 1u));
    return i < 2u ? uvec2(bitfieldInsert(q.x, value, at, 16), q.y) : uvec2(q.x, bitfieldInsert(q.y, value, at, 16));
}
#define LOAD_QUAD(buf, at) uvec2(buf[at], buf[(at) + 1u])
#define STORE_QUAD(buf, at, q) buf[at] = (q).x, buf[(at) + 1u] = (q).y
#endif

uint group_index() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }

DdAv1Plane plane_at(uint plane) {
    if (plane == 0u)
        return params.plane[0];
    if (plane == 1u)
        return params.plane[1];
    return params.plane[2];
}

// Lanes of the passes that take a plane in pieces of 16x16 pixels or whole blocks: sixteen lanes make a unit.
struct Place {
    uint plane, offset; // byte of its first pixel
    uint row, unit, lane;
    bool luma, filtered;
};

Place place_of_lane() {
    const uint group = group_index(), first1 = pass.first[1], first2 = pass.first[2];
    const uint o0 = pass.offset[0], o1 = pass.offset[1], o2 = pass.offset[2];
    const bool luma = group < first1, last = group >= first2;
    const uint index = (group - (luma ? 0u : last ? first2 : first1)) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    const uint units = index >> 4, across = luma ? pass.across[0] : pass.across[1];
    Place p;
    p.luma = luma;
    p.plane = luma ? 0u : last ? 2u : 1u;
    p.offset = luma ? o0 : last ? o2 : o1;
    // Never too small, as `inverse` isn't; of the largest pictures one too large.
    const uint row = uint((float(units) + 0.5) * (luma ? pass.inverse[0] : pass.inverse[1]));
    const int unit = int(units - row * across), below = unit >> 31;
    p.row = group < pass.total ? uint(int(row) + below) : 0xffffu; // where groups are counted in two dimensions
    p.unit = uint(unit) + (across & uint(below));
    p.lane = index & 15u;
    p.filtered = ((pass.flags >> (DD_AV1_PASS_PLANE_SHIFT + p.plane)) & 1u) != 0u;
    return p;
}

// Of a unit of whole blocks of 8x8 pixels of luma: the block, and the lane's four pixels in the plane.
struct BlockQuad {
    uint x8, y8, x, y;
};

BlockQuad block_quad(const Place p) {
    const uint h = p.luma ? 0u : pass.ss_h, v = p.luma ? 0u : pass.ss_v, across = 1u - h, log2 = 4u - h - v;
    BlockQuad b;
    b.x8 = (p.unit << (h + v)) + (p.lane >> log2);
    b.y8 = p.row;
    b.x = ((b.x8 << across) + (p.lane & across)) << 2;
    b.y = (b.y8 << (3u - v)) + ((p.lane >> across) & ((8u >> v) - 1u));
    return b;
}

// Whether CDEF filters the plane of a block with this decision.
bool cdef_filters(const Place p, uint decision) {
    return (decision & (p.luma ? 0xfffu : 0xffu << DD_AV1_CDEF_UV_PRI_SHIFT)) != 0u;
}

// Word of the quad at column 4 * x4 of a row. Rows before the first lie in the slack.
uint quad_at(DdAv1Plane plane, int x4, int y) {
    return uint(int(plane.offset / 4u) + y * int(plane.stride / 4u) + x4 * int(QUAD_WORDS));
}

uint shift_v(uint plane) { return plane == 0u ? 0u : params.ss_v; }
