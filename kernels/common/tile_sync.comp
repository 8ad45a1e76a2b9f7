// SPDX-License-Identifier: BSD-2-Clause
//
// Copies tiles of a picture from one buffer to another of the same layout. A workgroup has a tile of one plane.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "common/records.h"

layout(local_size_x = 256) in;

layout(std430, set = 0, binding = DD_BIND_DST) writeonly buffer To {
    uint to[];
};
layout(std430, set = 0, binding = DD_BIND_REF0) readonly buffer From {
    uint from[];
};
layout(std430, set = 0, binding = DD_BIND_RECORDS) readonly buffer Tiles {
    uint tiles[]; // column | row << 16
};
layout(push_constant) uniform Push {
    DdTileSyncPush push;
};

void main() {
    const uint plane = gl_WorkGroupID.y;
    const uint tile = tiles[gl_WorkGroupID.x];
    const uint stride = plane == 0u ? push.planes.stride[0] : push.planes.stride[1];
    const uint words_log2 = plane == 0u ? push.words_log2[0] : push.words_log2[1];
    const uint rows_log2 = plane == 0u ? push.rows_log2[0] : push.rows_log2[1];
    const uint offset =
        plane == 0u ? push.planes.offset[0] : plane == 1u ? push.planes.offset[1] : push.planes.offset[2];
    const uint first = offset + ((tile & 0xffffu) << words_log2) + ((tile >> 16) << rows_log2) * stride;
    const uint words = 1u << (words_log2 + rows_log2);
    for (uint i = gl_LocalInvocationID.x; i < words; i += gl_WorkGroupSize.x) {
        const uint row = i >> words_log2;
        const uint at = first + row * stride + (i - (row << words_log2));
        to[at] = from[at];
    }
}
