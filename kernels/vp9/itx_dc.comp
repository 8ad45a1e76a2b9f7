// SPDX-License-Identifier: BSD-2-Clause
//
// Inverse DCT of blocks that have a DC coefficient alone, and its addition: VP9 specification, clauses 8.7.2 and 8.6.2
// with all other inputs zero. Classes are the transform sizes. A lane adds the same value to 4x4 pixels.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

#include "common/records.h"
#define DST_ACCESS
#include "common/pixels.glsl"
#include "vp9/residual.glsl"

layout(local_size_x = 255) in;

// v * cos(pi / 4), rounded. Above 8 bits the product may need more than 32.
int scale(int v) {
#if BITS == 8
    return (v * 11585 + 8192) >> 14;
#else
    return ((v >> 7) * 11585 + (((v & 127) * 11585 + 8192) >> 7)) >> 7;
#endif
}

void main() {
    const Class c = class_of(gl_WorkGroupID.x);
    const uint unit = c.group * gl_WorkGroupSize.x + gl_LocalInvocationIndex, units_log2 = 2u * c.number;
    const uint index = c.first + (unit >> units_log2);
    if (index >= c.end)
        return;
    const uint part = unit & ((1u << units_log2) - 1u);
    const uint x = (part & ((1u << c.number) - 1u)) * 4u, y = (part >> c.number) * 4u;

    const DdItxRecord r = records[index];
    const int shift = min(4 + int(c.number), 6);
    const ivec4 residual = ivec4((scale(scale(int(r.coefs))) + (1 << (shift - 1))) >> shift);
    const uint at = block_word(r, x, y), stride = plane_stride(push.dst, plane_of(r));
    [[unroll]] for (uint i = 0u; i < 4u; i++)
        add_quad(at + i * stride, residual);
}
