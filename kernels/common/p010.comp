// SPDX-License-Identifier: BSD-2-Clause
//
// A picture of 10 bits and 4:2:0 once more as P010: samples in the upper bits, one plane of luma, one of Cb and Cr in
// turn. A lane takes four vectors of eight samples, of luma four rows, of chroma two rows of both planes. It
// loads them before it stores any: a load may not pass a store to the same buffer.
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

void store_pairs(uint to, uvec4 cb, uvec4 cr) {
    const uvec4 even = (cb & 0xffffu) | cr << 16, odd = cb >> 16 | (cr & 0xffff0000u);
    picture[to] = uvec4(even.x, odd.x, even.y, odd.y) << SHIFT;
    picture[to + 1u] = uvec4(even.z, odd.z, even.w, odd.w) << SHIFT;
}

void main() {
    const uint x = gl_GlobalInvocationID.x;
    if (gl_WorkGroupID.y < push.luma_groups) {
        if (x >= push.luma_vectors)
            return;
        const uint at = 4u * gl_WorkGroupID.y * push.luma_stride + x;
        const uvec4 a = picture[push.luma + at], b = picture[push.luma + at + push.luma_stride];
        const uvec4 c = picture[push.luma + at + 2u * push.luma_stride];
        const uvec4 d = picture[push.luma + at + 3u * push.luma_stride];
        picture[push.to_luma + at] = a << SHIFT;
        picture[push.to_luma + at + push.luma_stride] = b << SHIFT;
        picture[push.to_luma + at + 2u * push.luma_stride] = c << SHIFT;
        picture[push.to_luma + at + 3u * push.luma_stride] = d << SHIFT;
        return;
    }
    if (x >= push.chroma_vectors)
        return;
    const uint first = 2u * (gl_WorkGroupID.y - push.luma_groups), from = first * push.chroma_stride + x;
    const uint to = push.to_chroma + first * push.luma_stride + 2u * x;
    const uvec4 cb0 = picture[push.cb + from], cb1 = picture[push.cb + from + push.chroma_stride];
    const uvec4 cr0 = picture[push.cr + from], cr1 = picture[push.cr + from + push.chroma_stride];
    store_pairs(to, cb0, cr0);
    store_pairs(to + push.luma_stride, cb1, cr1);
}
