// SPDX-License-Identifier: BSD-2-Clause
//
// A picture of 10 bits and 4:2:0 once more as P010: samples in the upper bits, one plane of luma, one of Cb and Cr in
// turn. A lane takes four vectors of eight samples: of luma four rows, of chroma two rows of both planes.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "common/records.h"

layout(local_size_x = 64) in;

layout(std430, set = 0, binding = DD_BIND_DST) buffer Picture {
    uvec4 picture[];
};
layout(push_constant) uniform Push {
    DdP010Push push;
};

const uint SHIFT = 6u; // both samples of a word at once: the lower one has ten bits

void main() {
    const uint x = gl_GlobalInvocationID.x;
    if (gl_WorkGroupID.y < push.luma_groups) {
        if (x >= push.luma_vectors)
            return;
        const uint at = 4u * gl_WorkGroupID.y * push.luma_stride + x;
        for (uint row = 0u; row < 4u; row++)
            picture[push.to_luma + at + row * push.luma_stride] = picture[push.luma + at + row * push.luma_stride] << SHIFT;
        return;
    }
    if (x >= push.chroma_vectors)
        return;
    const uint first = 2u * (gl_WorkGroupID.y - push.luma_groups);
    for (uint row = first; row < first + 2u; row++) {
        const uvec4 cb = picture[push.cb + row * push.chroma_stride + x], cr = picture[push.cr + row * push.chroma_stride + x];
        const uvec4 even = (cb & 0xffffu) | cr << 16, odd = cb >> 16 | (cr & 0xffff0000u);
        const uint to = push.to_chroma + row * push.luma_stride + 2u * x;
        picture[to] = uvec4(even.x, odd.x, even.y, odd.y) << SHIFT;
        picture[to + 1u] = uvec4(even.z, odd.z, even.w, odd.w) << SHIFT;
    }
}
