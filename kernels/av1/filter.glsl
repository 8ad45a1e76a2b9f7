// SPDX-License-Identifier: BSD-2-Clause
//
// What the passes of the AV1 in-loop filters share: buffers, planes, rows of four pixels.
// BYTES: bytes a pixel, 1 or 2.
#extension GL_EXT_control_flow_attributes : require
#include "common/av1_records.h"

// Those of restoration wait for barriers.
#ifndef LANES
#define LANES 255
#endif
layout(local_size_x = LANES) in;

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

uint plane_of_group(uint group) { return group < pass.first[1] ? 0u : group < pass.first[2] ? 1u : 2u; }

uint first_group(uint plane) { return plane == 0u ? 0u : plane == 1u ? pass.first[1] : pass.first[2]; }

DdAv1Plane plane_at(uint plane) {
    if (plane == 0u)
        return params.plane[0];
    if (plane == 1u)
        return params.plane[1];
    return params.plane[2];
}

bool filtered(uint plane) { return ((pass.flags >> (DD_AV1_PASS_PLANE_SHIFT + plane)) & 1u) != 0u; }

// Word of the quad at column 4 * x4 of a row. Rows before the first lie in the slack.
uint quad_at(DdAv1Plane plane, int x4, int y) {
    return uint(int(plane.offset / 4u) + y * int(plane.stride / 4u) + x4 * int(QUAD_WORDS));
}

uint shift_h(uint plane) { return plane == 0u ? 0u : params.ss_h; }
uint shift_v(uint plane) { return plane == 0u ? 0u : params.ss_v; }
// Columns and rows that the passes write: whole 8x8 blocks of luma.
uint plane_columns(uint plane) { return (params.w8 * 8u) >> shift_h(plane); }
uint plane_rows(uint plane) { return (params.h8 * 8u) >> shift_v(plane); }
