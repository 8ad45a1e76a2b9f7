// SPDX-License-Identifier: BSD-2-Clause
//
// What the kernels of the inverse transform share: records, coefficients, the addition to the prediction.

layout(std430, set = 0, binding = DD_BIND_RECORDS) readonly buffer Records {
    DdItxRecord records[];
};
#include "vp9/coefficients.glsl"
layout(push_constant) uniform Push {
    DdItxPush push;
};

uint plane_of(DdItxRecord r) { return r.dst & 3u; }

// Word of the picture of four pixels at (x, y) of a block. The plane's bits change nothing about a multiple of 4.
uint block_word(DdItxRecord r, uint x, uint y) {
    return plane_offset(push.dst, plane_of(r)) + ((r.dst >> 16) + y) * plane_stride(push.dst, plane_of(r)) +
           (((r.dst & 0xffffu) + x) >> 2) * QUAD_WORDS;
}

void add_quad(uint at, ivec4 residual) {
    store_quad(at, pack_quad(clamp(unpack_quad(load_quad(at)) + residual, 0, PIXEL_MAX)));
}

#include "vp9/classes.glsl"
