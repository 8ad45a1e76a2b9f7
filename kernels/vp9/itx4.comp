// SPDX-License-Identifier: BSD-2-Clause
//
// Inverse transform of 4x4 blocks and its addition, a block a lane: DCT, or with WHT the lossless Walsh-Hadamard
// transform. VP9 specification, clauses 8.7.1.10, 8.7.2 and 8.6.2.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

#define SIZE 4
#include "common/records.h"
#define DST_ACCESS
#include "common/pixels.glsl"
#include "vp9/residual.glsl"
#include "vp9/transform.glsl"

layout(local_size_x = 255) in;

#ifdef WHT
int[4] transform(int x0, int x1, int x2, int x3) {
    int a = x0 + x1, c = x3, d = x2 - x3;
    const int e = (a - d) >> 1;
    c = e - c;
    const int b = e - x1;
    return int[4](a - c, c, b, d + b);
}
const int INPUT_SHIFT = 2;
int rounded(int v) { return v; }
#else
int[4] transform(int x0, int x1, int x2, int x3) { return idct4(x0, x1, x2, x3); }
const int INPUT_SHIFT = 0;
int rounded(int v) { return (v + 8) >> 4; }
#endif

void main() {
    const uint index = push.first_record[0] + gl_GlobalInvocationID.x;
    if (index >= push.first_record[1])
        return;
    const DdItxRecord r = records[index];
    int rows[4][4];
    [[unroll]] for (uint i = 0u; i < 4u; i++)
        rows[i] = transform(coefficient(r.coefs, i) >> INPUT_SHIFT, coefficient(r.coefs, 4u + i) >> INPUT_SHIFT,
                            coefficient(r.coefs, 8u + i) >> INPUT_SHIFT, coefficient(r.coefs, 12u + i) >> INPUT_SHIFT);
    int columns[4][4];
    [[unroll]] for (uint i = 0u; i < 4u; i++)
        columns[i] = transform(rows[0][i], rows[1][i], rows[2][i], rows[3][i]);
    const uint at = block_word(r, 0u, 0u), stride = plane_stride(push.dst, plane_of(r));
    [[unroll]] for (uint y = 0u; y < 4u; y++)
        add_quad(at + y * stride, ivec4(rounded(columns[0][y]), rounded(columns[1][y]), rounded(columns[2][y]),
                                        rounded(columns[3][y])));
}
