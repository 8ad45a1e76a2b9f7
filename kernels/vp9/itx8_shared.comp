// SPDX-License-Identifier: BSD-2-Clause
//
// Inverse DCT of 8x8 with 8 bits and its addition, for wide GPUs: VP9 specification, clauses 8.7.2 and 8.6.2. Two lanes
// share a block: each transforms four rows, then four columns, which are whole words of the picture; shared memory lies
// between. In class 0 coefficients lie in the upper left 4x4, and one lane has all the rows there are.
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

const uint LANES = 256u, BLOCKS = LANES / 2u;
layout(local_size_x = LANES) in;

// Two neighbouring rows of one column share a word, in memory as in between.
int even_row(uint pair) { return int(pair << 16) >> 16; }
int odd_row(uint pair) { return int(pair) >> 16; }

// [block][pair of rows][column]
shared uint pairs[BLOCKS * 4u * 8u];

#define ROW_PASS(CORNER)                                                                                               \
    {                                                                                                                  \
        const uint block = lane / (CORNER / 4u), half_of = lane % (CORNER / 4u);                                       \
        const uint index = c.first + c.group * BLOCKS + block;                                                         \
        if (block < BLOCKS && index < c.end) {                                                                         \
            const uint from = records[index].coefs >> 3 << 3; /* blocks begin at a multiple of eight words */         \
            [[unroll]] for (uint p = 0u; p < 2u; p++) {                                                                \
                int even[8], odd[8];                                                                                   \
                [[unroll]] for (uint i = 0u; i < 8u; i++) {                                                            \
                    even[i] = odd[i] = 0;                                                                              \
                    if (i < CORNER) {                                                                                  \
                        const uint pair = coefs[from + ((i * CORNER + half_of * 4u + p * 2u) >> 1)];                   \
                        even[i] = even_row(pair);                                                                      \
                        odd[i] = odd_row(pair);                                                                        \
                    }                                                                                                  \
                }                                                                                                      \
                even = idct8(even);                                                                                    \
                odd = idct8(odd);                                                                                      \
                const uint to = (block * 4u + half_of * 2u + p) * 8u;                                                  \
                [[unroll]] for (uint i = 0u; i < 8u; i++)                                                              \
                    pairs[to + i] = (uint(even[i]) & 0xffffu) | uint(odd[i]) << 16;                                    \
            }                                                                                                          \
        }                                                                                                              \
    }

#define COLUMN_PASS(CORNER)                                                                                            \
    {                                                                                                                  \
        uint in_rows[4][4]; /* [pair of rows][column] */                                                               \
        [[unroll]] for (uint p = 0u; p < CORNER / 2u; p++) {                                                           \
            [[unroll]] for (uint i = 0u; i < 4u; i++)                                                                  \
                in_rows[p][i] = pairs[(block * 4u + p) * 8u + half_of * 4u + i];                                       \
        }                                                                                                              \
        [[unroll]] for (uint i = 0u; i < 4u; i++) {                                                                    \
            int x[8];                                                                                                  \
            [[unroll]] for (uint p = 0u; p < 4u; p++) {                                                                \
                x[2u * p] = p < CORNER / 2u ? even_row(in_rows[p][i]) : 0;                                             \
                x[2u * p + 1u] = p < CORNER / 2u ? odd_row(in_rows[p][i]) : 0;                                         \
            }                                                                                                          \
            x = idct8(x);                                                                                              \
            [[unroll]] for (uint y = 0u; y < 8u; y++)                                                                  \
                rows[y] = add_pixel(rows[y], i, (x[y] + 16) >> 5);                                                     \
        }                                                                                                              \
    }

// Adds to pixel `i` of a word.
uint add_pixel(uint word, uint i, int residual) {
    const int old = int(word >> (i * 8u) & 0xffu);
    return word ^ uint(old ^ clamp(old + residual, 0, PIXEL_MAX)) << (i * 8u);
}

void main() {
    const uint lane = gl_LocalInvocationIndex;
    const Class c = class_of(gl_WorkGroupID.x);
    if (c.number == 0u)
        ROW_PASS(4u)
    else
        ROW_PASS(8u)
    barrier();

    const uint block = lane >> 1, half_of = lane & 1u, index = c.first + c.group * BLOCKS + block;
    if (index >= c.end)
        return;
    const DdItxRecord r = records[index];
    const uint at = block_word(r, half_of * 4u, 0u), stride = plane_stride(push.dst, plane_of(r));
    uint rows[8];
    [[unroll]] for (uint y = 0u; y < 8u; y++)
        rows[y] = dst[at + y * stride];
    if (c.number == 0u)
        COLUMN_PASS(4u)
    else
        COLUMN_PASS(8u)
    [[unroll]] for (uint y = 0u; y < 8u; y++)
        dst[at + y * stride] = rows[y];
}
