// SPDX-License-Identifier: BSD-2-Clause
//
// What the kernels of the inverse transform share: records, coefficients, the addition to the prediction.

layout(std430, set = 0, binding = DD_BIND_RECORDS) readonly buffer Records {
    DdItxRecord records[];
};
layout(std430, set = 0, binding = DD_BIND_COEFS) readonly buffer Coefs {
    uint coefs[];
};
layout(push_constant) uniform Push {
    DdItxPush push;
};

// Element `at` of the corner that starts at word `first`.
int coefficient(uint first, uint at) {
#if BITS == 8
    return int(coefs[first + (at >> 1)] << (16u - (at & 1u) * 16u)) >> 16;
#else
    return int(coefs[first + at]);
#endif
}

uint plane_of(DdItxRecord r) { return r.dst & 3u; }

// Word of the picture of four pixels at (x, y) of a block. The plane's bits change nothing about a multiple of 4.
uint block_word(DdItxRecord r, uint x, uint y) {
    return plane_offset(push.dst, plane_of(r)) + ((r.dst >> 16) + y) * plane_stride(push.dst, plane_of(r)) +
           (((r.dst & 0xffffu) + x) >> 2) * QUAD_WORDS;
}

void add_quad(uint at, ivec4 residual) {
    store_quad(at, pack_quad(clamp(unpack_quad(load_quad(at)) + residual, 0, PIXEL_MAX)));
}

// The class of a workgroup: its number, the workgroup's index in it, and its records.
struct Class {
    uint number, group, first, end;
};

Class class_of(uint group) {
    Class c = Class(0u, group, push.first_record[0], push.first_record[1]);
    [[unroll]] for (uint i = 1u; i < 4u; i++)
        if (group >= push.first_group[i - 1u])
            c = Class(i, group - push.first_group[i - 1u], push.first_record[i], push.first_record[i + 1u]);
    return c;
}
