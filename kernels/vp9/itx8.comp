// SPDX-License-Identifier: BSD-2-Clause
//
// Inverse DCT of 8x8 with 8 bits and its addition: VP9 specification, clauses 8.7.2 and 8.6.2. Two lanes share a block
// and nothing else: each transforms all rows, of which it keeps half the results, then four columns, whole words of the
// picture. Half the rows' work is done twice, but no lane waits for another, which is what V3D rewards. In class 0
// coefficients lie in the upper left 4x4.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

#define BITS 8
#define SIZE 8
#include "common/records.h"
#define DST_ACCESS
#include "common/pixels.glsl"
#include "vp9/residual.glsl"
#include "vp9/transform.glsl"

layout(local_size_x = 255) in;

// Two neighbouring rows of one column share a word, in memory as in between.
int even_row(uint pair) { return int(pair << 16) >> 16; }
int odd_row(uint pair) { return int(pair) >> 16; }

// Half of the results of a row: the first four, or with mask -1 the last four from the last one on.
int[4] half_row(int x[8], int mask) {
    const int even[4] = idct4(x[0], x[2], x[4], x[6]);
    const int odd[4] = idct8_odd(x[1], x[3], x[5], x[7]);
    int y[4];
    [[unroll]] for (int i = 0; i < 4; i++)
        y[i] = (even[i] - mask) + (odd[3 - i] ^ mask);
    return y;
}

// Adds to the pixel that lies so many bits up.
uint add_pixel(uint word, uint shift, int residual) {
    const int old = int(word >> shift & 0xffu);
    return word ^ uint(old ^ clamp(old + residual, 0, PIXEL_MAX)) << shift;
}

// Half of the results of two rows, a column a component. Coefficients lie in so many rows and columns.
uvec4 row_pair(uint from, uint p, uint corner, int mask) {
    uvec4 pairs = uvec4(0u);
    if (2u * p < corner) {
        int even[8], odd[8];
        [[unroll]] for (uint i = 0u; i < 8u; i++) {
            uint pair = 0u;
            if (i < corner)
                pair = coefs[from + i * (corner >> 1) + p];
            even[i] = even_row(pair);
            odd[i] = odd_row(pair);
        }
        const int even_half[4] = half_row(even, mask), odd_half[4] = half_row(odd, mask);
        [[unroll]] for (uint i = 0u; i < 4u; i++)
            pairs[i] = (uint(even_half[i]) & 0xffffu) | uint(odd_half[i]) << 16;
    }
    return pairs;
}

void main() {
    const Class c = class_of(gl_WorkGroupID.x);
    const uint lane = c.group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    const uint index = c.first + (lane >> 1);
    if (index >= c.end)
        return;
    const DdItxRecord r = records[index];
    const int mask = -int(lane & 1u);
    const uint from = r.coefs, corner = c.number == 0u ? 4u : 8u;
    const uint at = block_word(r, (lane & 1u) * 4u, 0u), stride = plane_stride(push.dst, plane_of(r));
    const uvec4 pairs[4] = uvec4[4](row_pair(from, 0u, corner, mask), row_pair(from, 1u, corner, mask),
                                    row_pair(from, 2u, corner, mask), row_pair(from, 3u, corner, mask));
    uint rows[8];
    [[unroll]] for (uint y = 0u; y < 8u; y++)
        rows[y] = dst[at + y * stride];
    [[unroll]] for (uint i = 0u; i < 4u; i++) {
        int x[8];
        [[unroll]] for (uint p = 0u; p < 4u; p++) {
            x[2u * p] = even_row(pairs[p][i]);
            x[2u * p + 1u] = odd_row(pairs[p][i]);
        }
        x = idct8(x);
        const uint shift = i * 8u ^ uint(mask) & 24u;
        [[unroll]] for (uint y = 0u; y < 8u; y++)
            rows[y] = add_pixel(rows[y], shift, (x[y] + 16) >> 5);
    }
    [[unroll]] for (uint y = 0u; y < 8u; y++)
        dst[at + y * stride] = rows[y];
}
