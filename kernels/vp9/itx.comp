// SPDX-License-Identifier: BSD-2-Clause
//
// Inverse DCT of SIZE x SIZE, 8 or 16, and its addition: VP9 specification, clauses 8.7.2 and 8.6.2. A lane transforms
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

// A batch for each of V3D's QPUs.
const uint LANES = 192;
const uint BLOCKS = LANES / SIZE;
const int SHIFT = SIZE == 8 ? 5 : 6;

layout(local_size_x = LANES) in;

// Of all blocks: between the passes [row][column], after them the residual. With 8 bits values fit in 16, and two
// share a word: first neighbours in a row, then neighbours in a column, so that each word has one writer.
#if BITS == 8
shared uint value_pairs[BLOCKS * SIZE * SIZE / 2];

void store_row(uint block, uint row, int y[SIZE]) {
    [[unroll]] for (uint i = 0u; i < SIZE; i += 2u)
        value_pairs[((block * SIZE + row) * SIZE + i) / 2u] = make_pair(y[i], y[i + 1u]);
}
int row_value(uint block, uint row, uint column) {
    return half_of(value_pairs[((block * SIZE + row) * SIZE + column) / 2u], column & 1u);
}
void store_column(uint block, uint column, int y[SIZE]) {
    [[unroll]] for (uint i = 0u; i < SIZE; i += 2u)
        value_pairs[(block * SIZE + i) * (SIZE / 2u) + column] = make_pair(y[i], y[i + 1u]);
}
int column_value(uint block, uint row, uint column) {
    return half_of(value_pairs[(block * SIZE + row / 2u * 2u) * (SIZE / 2u) + column], row & 1u);
}
#else
shared int block_values[BLOCKS * SIZE * SIZE];

void store_row(uint block, uint row, int y[SIZE]) {
    [[unroll]] for (uint i = 0u; i < SIZE; i++)
        block_values[(block * SIZE + row) * SIZE + i] = y[i];
}
int row_value(uint block, uint row, uint column) { return block_values[(block * SIZE + row) * SIZE + column]; }
void store_column(uint block, uint column, int y[SIZE]) {
    [[unroll]] for (uint i = 0u; i < SIZE; i++)
        block_values[(block * SIZE + i) * SIZE + column] = y[i];
}
int column_value(uint block, uint row, uint column) { return row_value(block, row, column); }
#endif

#if SIZE == 8
#define TRANSFORM idct8
#else
#define TRANSFORM idct16
#endif

#define ROW_PASS(CORNER)                                                                                               \
    {                                                                                                                  \
        const uint block = lane / CORNER, row = lane % CORNER, index = c.first + c.group * BLOCKS + block;             \
        if (block < BLOCKS && index < c.end) {                                                                         \
            const uint from = records[index].coefs;                                                                    \
            int x[SIZE];                                                                                               \
            [[unroll]] for (uint i = 0u; i < SIZE; i++)                                                                \
                x[i] = i < CORNER ? coefficient(from, i * CORNER + row) : 0;                                           \
            store_row(block, row, TRANSFORM(x));                                                                       \
        }                                                                                                              \
    }

#define COLUMN_PASS(CORNER)                                                                                            \
    {                                                                                                                  \
        int x[SIZE];                                                                                                   \
        [[unroll]] for (uint i = 0u; i < SIZE; i++)                                                                    \
            x[i] = i < CORNER ? row_value(block, i, column) : 0;                                                       \
        y = TRANSFORM(x);                                                                                              \
    }

void main() {
    const uint lane = gl_LocalInvocationIndex;
    const Class c = class_of(gl_WorkGroupID.x);

    if (c.number == 0u)
        ROW_PASS(4u)
    else if (c.number == 1u)
        ROW_PASS(8u)
#if SIZE == 16
    else
        ROW_PASS(16u)
#endif
    barrier();

    const uint block = lane / SIZE, column = lane % SIZE, index = c.first + c.group * BLOCKS + block;
    int y[SIZE];
    if (c.number == 0u)
        COLUMN_PASS(4u)
    else if (c.number == 1u)
        COLUMN_PASS(8u)
#if SIZE == 16
    else
        COLUMN_PASS(16u)
#endif
    barrier();

    [[unroll]] for (uint i = 0u; i < SIZE; i++)
        y[i] = (y[i] + (1 << (SHIFT - 1))) >> SHIFT;
    store_column(block, column, y);
    barrier();

    if (index >= c.end)
        return;
    const DdItxRecord r = records[index];
    const uint quads = SIZE / 4u, rows_at_once = SIZE / quads;
    const uint x = (column % quads) * 4u;
    for (uint row = column / quads; row < SIZE; row += rows_at_once)
        add_quad(block_word(r, x, row), ivec4(column_value(block, row, x), column_value(block, row, x + 1u),
                                              column_value(block, row, x + 2u), column_value(block, row, x + 3u)));
}
