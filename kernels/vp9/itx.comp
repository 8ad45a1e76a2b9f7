// SPDX-License-Identifier: BSD-2-Clause
//
// Inverse DCT of SIZE x SIZE, 8 to 32, and its addition: VP9 specification, clauses 8.7.2 and 8.6.2. A lane transforms
// a row, then a column, then adds words of four pixels. A class knows that coefficients lie in a corner: rows beyond
// it are not transformed, and inputs beyond it fold away.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

#include "common/records.h"
#define DST_ACCESS
#include "common/pixels.glsl"
#include "vp9/residual.glsl"
#include "vp9/transform.glsl"

const uint LANES = SIZE == 32 ? 128 : 256;
const uint BLOCKS = LANES / SIZE;
const int SHIFT = SIZE == 8 ? 5 : 6;

layout(local_size_x = LANES) in;

// [block][row][column]
shared int block_values[BLOCKS * SIZE * SIZE];

#if SIZE == 8
#define TRANSFORM idct8
#elif SIZE == 16
#define TRANSFORM idct16
#else
#define TRANSFORM idct32
#endif

#define ROW_PASS(CORNER)                                                                                               \
    {                                                                                                                  \
        const uint block = lane / CORNER, row = lane % CORNER, index = c.first + c.group * BLOCKS + block;             \
        if (block < BLOCKS && index < c.end) {                                                                         \
            const uint from = records[index].coefs;                                                                    \
            int x[SIZE];                                                                                               \
            [[unroll]] for (uint i = 0u; i < SIZE; i++)                                                                           \
                x[i] = i < CORNER ? coefficient(from, i * CORNER + row) : 0;                                           \
            const int y[SIZE] = TRANSFORM(x);                                                                          \
            [[unroll]] for (uint i = 0u; i < SIZE; i++)                                                                           \
                block_values[(block * SIZE + row) * SIZE + i] = y[i];                                                  \
        }                                                                                                              \
    }

#define COLUMN_PASS(CORNER)                                                                                            \
    {                                                                                                                  \
        int x[SIZE];                                                                                                   \
        [[unroll]] for (uint i = 0u; i < SIZE; i++)                                                                               \
            x[i] = i < CORNER ? block_values[(block * SIZE + i) * SIZE + column] : 0;                                  \
        y = TRANSFORM(x);                                                                                              \
    }

void main() {
    const uint lane = gl_LocalInvocationIndex;
    const Class c = class_of(gl_WorkGroupID.x);

    if (c.number == 0u)
        ROW_PASS(4u)
    else if (c.number == 1u)
        ROW_PASS(8u)
#if SIZE >= 16
    else if (c.number == 2u)
        ROW_PASS(16u)
#endif
#if SIZE >= 32
    else
        ROW_PASS(32u)
#endif
    barrier();

    const uint block = lane / SIZE, column = lane % SIZE, index = c.first + c.group * BLOCKS + block;
    int y[SIZE];
    if (c.number == 0u)
        COLUMN_PASS(4u)
    else if (c.number == 1u)
        COLUMN_PASS(8u)
#if SIZE >= 16
    else if (c.number == 2u)
        COLUMN_PASS(16u)
#endif
#if SIZE >= 32
    else
        COLUMN_PASS(32u)
#endif
    barrier();

    [[unroll]] for (uint i = 0u; i < SIZE; i++)
        block_values[(block * SIZE + i) * SIZE + column] = (y[i] + (1 << (SHIFT - 1))) >> SHIFT;
    barrier();

    if (index >= c.end)
        return;
    const DdItxRecord r = records[index];
    const uint quads = SIZE / 4u, rows_at_once = SIZE / quads;
    const uint x = (column % quads) * 4u;
    for (uint row = column / quads; row < SIZE; row += rows_at_once) {
        const uint at = (block * SIZE + row) * SIZE + x;
        add_quad(block_word(r, x, row),
                 ivec4(block_values[at], block_values[at + 1u], block_values[at + 2u], block_values[at + 3u]));
    }
}
