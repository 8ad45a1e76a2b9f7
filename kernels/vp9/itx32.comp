// SPDX-License-Identifier: BSD-2-Clause
//
// Inverse DCT of 32x32 and its addition: VP9 specification, clauses 8.7.2 and 8.6.2. A lane transforms a row, then a
// column, then adds words of four pixels. The even inputs come first and their half waits aside, as 32 values and what
// lies between them are more than V3D has registers. A class knows that coefficients lie in a corner: rows beyond it
// are not transformed, and inputs beyond it fold away.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

#define SIZE 32
#include "common/records.h"
#define DST_ACCESS
#include "common/pixels.glsl"
#include "vp9/residual.glsl"
#include "vp9/transform.glsl"

// A batch for each of V3D's QPUs where shared memory has the room.
const uint LANES = BITS > 8 ? 128 : 192;
const uint BLOCKS = LANES / 32u;

layout(local_size_x = LANES) in;

int rounded(int residual) { return (residual + 32) >> 6; }

// Of all blocks: between the passes [row][column], after them the residual. With 8 bits values fit in 16, and two
// share a word: first neighbours in a row, then neighbours in a column, so that each word has one writer.
#if BITS == 8
shared uint values[BLOCKS * 512u];
#define HALF 8 // words of half a line
#define LINE 16
#define KEEP_EVEN(HALF_OF_COLUMN) even = packed_half(HALF_OF_COLUMN)

uint[8] packed_half(int even[16]) {
    uint words[8];
    [[unroll]] for (uint i = 0u; i < 8u; i++)
        words[i] = make_pair(even[2u * i], even[2u * i + 1u]);
    return words;
}
int value(uint block, uint row, uint column) {
    return half_of(values[(block * 32u + row) * 16u + column / 2u], column & 1u);
}
int residual(uint block, uint row, uint column) {
    return half_of(values[(block * 16u + row / 2u) * 32u + column], row & 1u);
}
uint column_word(uint block, uint column, uint i) { return (block * 16u + i) * 32u + column; }
#else
shared int values[BLOCKS * 1024u];
#define HALF 16
#define LINE 32
#define KEEP_EVEN(HALF_OF_COLUMN) keep_even(block, column, HALF_OF_COLUMN)

// Where a column's even half waits: in rows of even inputs, each in the one that its own sums take.
uint waiting(uint i) { return (i & 1u) == 0u ? i : 31u - i; }
int value(uint block, uint row, uint column) { return values[(block * 32u + row) * 32u + column]; }
int residual(uint block, uint row, uint column) { return value(block, row, column); }
uint column_word(uint block, uint column, uint i) { return (block * 32u + i) * 32u + column; }

void keep_even(uint block, uint column, int even[16]) {
    [[unroll]] for (uint i = 0u; i < 16u; i++)
        values[column_word(block, column, waiting(i))] = even[i];
}
#endif

uint row_word(uint block, uint row, uint i) { return (block * 32u + row) * LINE + i; }

// Barriers keep the compiler from loading the odd inputs before the even half is done.
#define EACH_CLASS(PASS)                                                                                               \
    if (c.number == 0u)                                                                                                \
        PASS(4u)                                                                                                       \
    else if (c.number == 1u)                                                                                           \
        PASS(8u)                                                                                                       \
    else if (c.number == 2u)                                                                                           \
        PASS(16u)                                                                                                      \
    else                                                                                                               \
        PASS(32u)

#define EVEN_OF_ROW(CORNER)                                                                                            \
    {                                                                                                                  \
        const uint block = lane / CORNER, row = lane % CORNER, index = c.first + c.group * BLOCKS + block;             \
        if (block < BLOCKS && index < c.end) {                                                                         \
            const uint from = records[index].coefs;                                                                    \
            int x[16];                                                                                                 \
            [[unroll]] for (uint i = 0u; i < 16u; i++)                                                                 \
                x[i] = 2u * i < CORNER ? coefficient(from, 2u * i * CORNER + row) : 0;                                 \
            store_even(block, row, idct16(x));                                                                         \
        }                                                                                                              \
    }

#define ODD_OF_ROW(CORNER)                                                                                             \
    {                                                                                                                  \
        const uint block = lane / CORNER, row = lane % CORNER, index = c.first + c.group * BLOCKS + block;             \
        if (block < BLOCKS && index < c.end) {                                                                         \
            const uint from = records[index].coefs;                                                                    \
            int x[16];                                                                                                 \
            [[unroll]] for (uint i = 0u; i < 16u; i++)                                                                 \
                x[i] = 2u * i + 1u < CORNER ? coefficient(from, (2u * i + 1u) * CORNER + row) : 0;                     \
            add_odd(block, row, idct32_odd(x));                                                                        \
        }                                                                                                              \
    }

#define EVEN_OF_COLUMN(CORNER)                                                                                         \
    {                                                                                                                  \
        int x[16];                                                                                                     \
        [[unroll]] for (uint i = 0u; i < 16u; i++)                                                                     \
            x[i] = 2u * i < CORNER ? value(block, 2u * i, column) : 0;                                                 \
        KEEP_EVEN(idct16(x));                                                                                          \
    }

#define ODD_OF_COLUMN(CORNER)                                                                                          \
    {                                                                                                                  \
        int x[16];                                                                                                     \
        [[unroll]] for (uint i = 0u; i < 16u; i++)                                                                     \
            x[i] = 2u * i + 1u < CORNER ? value(block, 2u * i + 1u, column) : 0;                                       \
        odd = idct32_odd(x);                                                                                           \
    }

// The first half of a row, while the second one is computed.
void store_even(uint block, uint row, int even[16]) {
#if BITS == 8
    const uint words[8] = packed_half(even);
#else
    const int words[16] = even;
#endif
    [[unroll]] for (uint i = 0u; i < HALF; i++)
        values[row_word(block, row, i)] = words[i];
}

void add_odd(uint block, uint row, int odd[16]) {
    [[unroll]] for (uint i = 0u; i < HALF; i++) {
#if BITS == 8
        const uint pair = values[row_word(block, row, i)];
        const int a = half_of(pair, 0u), b = half_of(pair, 1u);
        values[row_word(block, row, i)] = make_pair(a + odd[15u - 2u * i], b + odd[14u - 2u * i]);
        values[row_word(block, row, 15u - i)] = make_pair(b - odd[14u - 2u * i], a - odd[15u - 2u * i]);
#else
        const int a = values[row_word(block, row, i)];
        values[row_word(block, row, i)] = a + odd[15u - i];
        values[row_word(block, row, 31u - i)] = a - odd[15u - i];
#endif
    }
}

void main() {
    const uint lane = gl_LocalInvocationIndex;
    const Class c = class_of(gl_WorkGroupID.x);

    EACH_CLASS(EVEN_OF_ROW)
    barrier();
    EACH_CLASS(ODD_OF_ROW)
    barrier();

    const uint block = lane / 32u, column = lane % 32u, index = c.first + c.group * BLOCKS + block;
#if BITS == 8
    uint even[8];
#endif
    int odd[16];
    EACH_CLASS(EVEN_OF_COLUMN)
    barrier();
    EACH_CLASS(ODD_OF_COLUMN)
    barrier();

    [[unroll]] for (uint i = 0u; i < HALF; i++) {
#if BITS == 8
        const int a = half_of(even[i], 0u), b = half_of(even[i], 1u);
        const int p = odd[15u - 2u * i], q = odd[14u - 2u * i];
        values[column_word(block, column, i)] = make_pair(rounded(a + p), rounded(b + q));
        values[column_word(block, column, 15u - i)] = make_pair(rounded(b - q), rounded(a - p));
#else
        const int a = values[column_word(block, column, waiting(i))];
        values[column_word(block, column, i)] = rounded(a + odd[15u - i]);
        values[column_word(block, column, 31u - i)] = rounded(a - odd[15u - i]);
#endif
    }
    barrier();

    if (index >= c.end)
        return;
    const DdItxRecord r = records[index];
    const uint x = (column % 8u) * 4u;
    for (uint row = column / 8u; row < 32u; row += 4u)
        add_quad(block_word(r, x, row), ivec4(residual(block, row, x), residual(block, row, x + 1u),
                                              residual(block, row, x + 2u), residual(block, row, x + 3u)));
}
