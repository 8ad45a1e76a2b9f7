// SPDX-License-Identifier: BSD-2-Clause
//
// Inverse DCTs with a side of 32 or 64 and their addition: AV1 specification, clauses 7.13.2.3, 7.13.3 and 7.12.3.
// All blocks of a workgroup have one shape. A line of 32 or 64 consists of two or four parts, networks of 16 results
// each, that lanes transform apart; then they are put together. All is in place: rows are stored in an order in which
// each part of a column finds its inputs where its results go.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_ballot : require

#include "common/av1_recon.h"
#define DST_ACCESS
#include "common/pixels.glsl"
#include "av1/transform.glsl"

const uint LANES = DD_AV1_ITX_LARGE_LANES;
layout(local_size_x = LANES) in;
layout(push_constant) uniform Push { DdAv1ItxPush push; };
#include "av1/residual.glsl"

// Of all blocks, row after row.
shared int values[DD_AV1_ITX_VALUES];

// Parts: the DCT of 16, the odd inputs of 32, and both networks of the odd inputs of 64.
uint parts_log2(uint line_log2) { return max(line_log2, 4u) - 4u; }

// Which inputs of a line are a part's: number first, then alternately one and the other step further.
struct Inputs {
    uint first, step, next_step;
};
Inputs inputs_of(uint line_log2, uint part) {
    if (line_log2 < 6u)
        return Inputs(part, 1u << parts_log2(line_log2), 1u << parts_log2(line_log2));
    return part < 2u ? Inputs(part * 2u, 4u, 4u) : Inputs(part * 2u - 3u, part == 2u ? 6u : 2u, part == 2u ? 2u : 6u);
}

// Where a row lies: part after part, each in its inputs' order.
uint place_of(uint row, uint line_log2) {
    if (line_log2 < 5u)
        return row;
    if (line_log2 == 5u)
        return (row & 1u) * 16u + (row >> 1);
    const uint in_eight = row & 7u;
    const bool outer = in_eight == 1u || in_eight == 7u;
    return (in_eight & 1u) == 0u ? ((row & 2u) << 3) + (row >> 2)
                                 : (outer ? 32u : 48u) + (row >> 3) * 2u + (in_eight >> 2);
}

#if BITS == 8
#define FROM_MEMORY (int(coef_words[at] << up) >> 16)
#else
#define FROM_MEMORY int(coef_words[at])
#endif

// The inputs of a part. Their number is uniform.
#define LOAD(FETCH)                                                                                                    \
    {                                                                                                                  \
        [[unroll]] for (uint i = 1u; i < 16u; i++)                                                                     \
            x[i] = 0;                                                                                                  \
        x[0] = FETCH;                                                                                                  \
        if (inputs > 0u) {                                                                                             \
            at += step;                                                                                                \
            x[1] = FETCH;                                                                                              \
        }                                                                                                              \
        if (inputs > 1u) {                                                                                             \
            [[unroll]] for (uint i = 2u; i < 4u; i++) {                                                                \
                at += (i & 1u) == 0u ? next_step : step;                                                               \
                x[i] = FETCH;                                                                                          \
            }                                                                                                          \
        }                                                                                                              \
        if (inputs > 2u) {                                                                                             \
            [[unroll]] for (uint i = 4u; i < 8u; i++) {                                                                \
                at += (i & 1u) == 0u ? next_step : step;                                                               \
                x[i] = FETCH;                                                                                          \
            }                                                                                                          \
        }                                                                                                              \
        if (inputs > 3u) {                                                                                             \
            [[unroll]] for (uint i = 8u; i < 16u; i++) {                                                               \
                at += (i & 1u) == 0u ? next_step : step;                                                               \
                x[i] = FETCH;                                                                                          \
            }                                                                                                          \
        }                                                                                                              \
    }

// The branch keeps V3D's compiler from making all addresses ahead of the values.
#define STORE(N, VALUE)                                                                                                \
    if (is_there) {                                                                                                    \
        uint to = first;                                                                                               \
        [[unroll]] for (uint i = 0u; i < N; i++) {                                                                     \
            values[to] = VALUE;                                                                                        \
            to += stride;                                                                                              \
        }                                                                                                              \
    }

// One part of a line. `first`: where its results go; columns also have their inputs there.
void transform_part(uint shape, uint direction, uint part, uint first, uint coefs, uint row, bool is_there) {
    const uint n = line_log2(shape, direction), stride = direction == 0u ? 1u : 1u << line_log2(shape, 0u);
    const uint inputs = inputs_log2(shape, direction) - parts_log2(n);
    int x[16];
    if (direction == 0u) {
        const Inputs which = inputs_of(n, part);
        const uint rows_log2 = inputs_log2(shape, 1u);
        uint at = (which.first << rows_log2) + row, step = which.step << rows_log2;
        uint next_step = which.next_step << rows_log2;
#if BITS == 8
        const uint up = 16u - (at & 1u) * 16u;
        at >>= 1;
        step >>= 1;
        next_step >>= 1;
#endif
        at += coefs;
        LOAD(FROM_MEMORY)
        if ((shape & DD_AV1_ITX_RECT) != 0u) {
            [[unroll]] for (uint i = 0u; i < 16u; i++)
                x[i] = half_turn(x[i]);
        }
    } else {
        uint at = first;
        const uint step = stride, next_step = stride;
        LOAD(values[at])
    }
    if (n == 3u) {
        const int y[8] = dct8(int[8](x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]));
        const int shift = shift_of(shape, direction);
        STORE(8u, rounded(y[i], shift))
    } else if (n == 4u) {
        const int y[16] = dct16(x);
        const int shift = shift_of(shape, direction);
        STORE(16u, rounded(y[i], shift))
    } else if (part == 0u) {
        const int y[16] = dct16(x);
        STORE(16u, y[i])
    } else if (part == 1u) {
        const int y[16] = odd_of_32(x);
        STORE(16u, y[i])
    } else if (part == 2u) {
        const int y[16] = outer_odd_of_64(int[8](x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]));
        STORE(16u, y[i])
    } else {
        const int y[16] = inner_odd_of_64(int[8](x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]));
        STORE(16u, y[i])
    }
}

// Results k, 15 - k, 16 + k and 31 - k of a line of 32; of one of 64 also those mirrored. They need the results of
// parts at the same places.
void put_together(uint shape, uint direction, uint line, uint k, bool is_there) {
    const uint stride = direction == 0u ? 1u : 1u << line_log2(shape, 0u);
    const uint from_start = k * stride, from_end = (15u - k) * stride;
    const uint a = line + from_start, b = line + from_end, c = a + 16u * stride, d = b + 16u * stride;
    const int even_k = values[a], even_15_k = values[b], odd_k = values[c], odd_15_k = values[d];
    const int y[4] = int[4](even_k + odd_15_k, even_15_k + odd_k, even_15_k - odd_k, even_k - odd_15_k);
    const int shift = shift_of(shape, direction);
    if (line_log2(shape, direction) == 5u) {
        if (is_there) {
            values[a] = rounded(y[0], shift);
            values[b] = rounded(y[1], shift);
            values[c] = rounded(y[2], shift);
            values[d] = rounded(y[3], shift);
        }
    } else {
        const uint e = a + 32u * stride, f = b + 32u * stride, g = c + 32u * stride, h = d + 32u * stride;
        const int odd[4] = odd_of_64(values[e], values[f], values[g], values[h]);
        if (is_there) {
            values[a] = rounded(y[0] + odd[3], shift);
            values[b] = rounded(y[1] + odd[2], shift);
            values[c] = rounded(y[2] + odd[1], shift);
            values[d] = rounded(y[3] + odd[0], shift);
            values[e] = rounded(y[3] - odd[0], shift);
            values[f] = rounded(y[2] - odd[1], shift);
            values[g] = rounded(y[1] - odd[2], shift);
            values[h] = rounded(y[0] - odd[3], shift);
        }
    }
}

// Where a line of a block starts.
uint line_start(uint shape, uint direction, uint block, uint line) {
    const uint w_log2 = line_log2(shape, 0u), h_log2 = line_log2(shape, 1u);
    return (block << (w_log2 + h_log2)) + (direction == 0u ? place_of(line, h_log2) << w_log2 : line);
}

void transform_parts(uint direction) {
    const Group g = read_group(direction);
    const uint lines_log2 = field(g.shape, DD_AV1_ITX_ROWS_SHIFT - 9u * direction, 3u);
    const uint n = line_log2(g.shape, direction);
    const uint units_log2 = lines_log2 + parts_log2(n), units = g.blocks << units_log2;
    [[dont_unroll]] for (uint from = 0u; from < units; from += LANES) {
        const uint i = min(from + gl_LocalInvocationIndex, units - 1u);
        const uint block = i >> units_log2, line = i & ((1u << lines_log2) - 1u);
        const uint part = (i >> lines_log2) & ((1u << parts_log2(n)) - 1u);
        const uint first = line_start(g.shape, direction, block, line) +
                           (part << (direction == 0u ? 4u : 4u + line_log2(g.shape, 0u)));
        transform_part(g.shape, direction, part, first, read_record(g.first + block).coefs, line,
                       from + gl_LocalInvocationIndex < units);
    }
}

void put_lines_together(uint direction) {
    const Group g = read_group(direction);
    const uint lines_log2 = field(g.shape, DD_AV1_ITX_ROWS_SHIFT - 9u * direction, 3u);
    const uint units = line_log2(g.shape, direction) < 5u ? 0u : g.blocks << (lines_log2 + 3u);
    [[dont_unroll]] for (uint from = 0u; from < units; from += LANES) {
        const uint i = min(from + gl_LocalInvocationIndex, units - 1u);
        const uint line = i & ((1u << lines_log2) - 1u), k = (i >> lines_log2) & 7u;
        put_together(g.shape, direction, line_start(g.shape, direction, i >> (lines_log2 + 3u), line), k,
                     from + gl_LocalInvocationIndex < units);
    }
}

void add_residuals() {
    const Group g = read_group(2u);
    const uint w_log2 = line_log2(g.shape, 0u), quads_log2 = w_log2 + line_log2(g.shape, 1u) - 2u;
    const uint quads = g.blocks << quads_log2;
    [[dont_unroll]] for (uint i = gl_LocalInvocationIndex; i < quads; i += LANES) {
        const DdAv1ItxRecord r = read_record(g.first + (i >> quads_log2));
        const uint x = (i & ((1u << (w_log2 - 2u)) - 1u)) * 4u;
        const uint y = (i & ((1u << quads_log2) - 1u)) >> (w_log2 - 2u);
        const uint from = i * 4u;
        const ivec4 residual = ivec4(values[from], values[from + 1u], values[from + 2u], values[from + 3u]);
        const uint at = block_word(r, x, y);
        store_quad(at, added(at, residual));
    }
}

void main() {
    [[dont_unroll]] for (uint direction = 0u; direction < 2u; direction++) {
        transform_parts(direction);
        barrier();
        put_lines_together(direction);
        barrier();
    }
    add_residuals();
}
