// SPDX-License-Identifier: BSD-2-Clause
//
// Inverse transforms with sides of up to 16 and their addition: AV1 specification, clauses 7.13.3 and 7.12.3. All
// blocks of a workgroup have one shape, so that all branches are uniform. A lane transforms rows, then columns, then
// adds words of four pixels. Blocks of any size that need no transform are here as well: those with a DC coefficient
// alone, of which the CPU has worked out what to add, and those that are scaled in both directions. itx_large.comp
// has all others.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_ballot : require

#include "common/av1_recon.h"
#define DST_ACCESS
#include "common/pixels.glsl"
#include "av1/transform.glsl"

const uint LANES = DD_AV1_ITX_LANES;
layout(local_size_x = LANES) in;
layout(push_constant) uniform Push { DdAv1ItxPush push; };
#include "av1/residual.glsl"

// Of all blocks, row after row: values between the passes, then the residual.
shared int values[LANES * 16u];

// Inputs beyond the corner are zero.
#define LOAD(N, FETCH)                                                                                                 \
    {                                                                                                                  \
        [[unroll]] for (uint i = 0u; i < 4u; i++) {                                                                    \
            x[i] = FETCH;                                                                                              \
            at += step;                                                                                                \
        }                                                                                                              \
        [[unroll]] for (uint i = 4u; i < N; i++)                                                                       \
            x[i] = 0;                                                                                                  \
        if (N > 4u && inputs > 2u) {                                                                                   \
            [[unroll]] for (uint i = 4u; i < min(N, 8u); i++) {                                                        \
                x[i] = FETCH;                                                                                          \
                at += step;                                                                                            \
            }                                                                                                          \
        }                                                                                                              \
        if (N > 8u && inputs > 3u) {                                                                                   \
            [[unroll]] for (uint i = 8u; i < N; i++) {                                                                 \
                x[i] = FETCH;                                                                                          \
                at += step;                                                                                            \
            }                                                                                                          \
        }                                                                                                              \
    }

#if BITS == 8
#define FROM_MEMORY (int(coef_words[at] << up) >> 16)
#else
#define FROM_MEMORY int(coef_words[at])
#endif

// A line from its inputs to its results, which are mirrored where the type says so.
#define LINE(N, TRANSFORM)                                                                                             \
    {                                                                                                                  \
        int x[N];                                                                                                      \
        const uint inputs = inputs_log2(shape, direction);                                                             \
        if (direction == 0u) {                                                                                         \
            uint at = from;                                                                                            \
            const uint step = from_step;                                                                               \
            LOAD(N, FROM_MEMORY)                                                                                       \
            if ((shape & DD_AV1_ITX_RECT) != 0u) {                                                                     \
                [[unroll]] for (uint i = 0u; i < N; i++)                                                               \
                    x[i] = half_turn(x[i]);                                                                            \
            }                                                                                                          \
        } else {                                                                                                       \
            uint at = first;                                                                                           \
            LOAD(N, values[at])                                                                                        \
        }                                                                                                              \
        TRANSFORM                                                                                                      \
        const bool flip = (shape & (DD_AV1_ITX_FLIP_H << direction)) != 0u;                                            \
        const int shift = shift_of(shape, direction);                                                                  \
        uint at = flip ? first + (N - 1u) * step : first;                                                              \
        const uint to_next = flip ? -step : step;                                                                      \
        [[unroll]] for (uint i = 0u; i < N; i++)                                                                       \
            x[i] = rounded(x[i], shift);                                                                               \
        if (has_line) {                                                                                                \
            [[unroll]] for (uint i = 0u; i < N; i++) {                                                                 \
                values[at] = x[i];                                                                                     \
                at += to_next;                                                                                         \
            }                                                                                                          \
        }                                                                                                              \
    }

#define TRANSFORM_4                                                                                                    \
    if (kind == DD_AV1_ITX_DCT)                                                                                        \
        x = dct4(x[0], x[1], x[2], x[3]);                                                                              \
    if (kind == DD_AV1_ITX_ADST)                                                                                       \
        x = adst4(x);                                                                                                  \
    if (kind == DD_AV1_ITX_WHT) {                                                                                      \
        [[unroll]] for (uint i = 0u; i < 4u; i++)                                                                      \
            x[i] >>= direction == 0u ? 2 : 0;                                                                          \
        x = wht4(x);                                                                                                   \
    }                                                                                                                  \
    if (kind == DD_AV1_ITX_IDENTITY) {                                                                                 \
        [[unroll]] for (uint i = 0u; i < 4u; i++)                                                                      \
            x[i] = identity(x[i], 2u);                                                                                 \
    }
#define TRANSFORM_8                                                                                                    \
    if (kind == DD_AV1_ITX_DCT)                                                                                        \
        x = dct8(x);                                                                                                   \
    if (kind == DD_AV1_ITX_ADST)                                                                                       \
        x = adst8(x);                                                                                                  \
    if (kind == DD_AV1_ITX_IDENTITY) {                                                                                 \
        [[unroll]] for (uint i = 0u; i < 8u; i++)                                                                      \
            x[i] = identity(x[i], 3u);                                                                                 \
    }
#define TRANSFORM_16                                                                                                   \
    if (kind == DD_AV1_ITX_DCT)                                                                                        \
        x = dct16(x);                                                                                                  \
    if (kind == DD_AV1_ITX_ADST)                                                                                       \
        x = adst16(x);                                                                                                 \
    if (kind == DD_AV1_ITX_IDENTITY) {                                                                                 \
        [[unroll]] for (uint i = 0u; i < 16u; i++)                                                                     \
            x[i] = identity(x[i], 4u);                                                                                 \
    }

void transform_line(uint shape, uint direction, uint first, uint coefs, uint row, bool has_line) {
    const uint kind = kind_of(shape, direction), n = line_log2(shape, direction);
    const uint step = direction == 0u ? 1u : 1u << line_log2(shape, 0u);
#if BITS == 8
    const uint from = coefs + (row >> 1), from_step = 1u << (inputs_log2(shape, 1u) - 1u), up = 16u - (row & 1u) * 16u;
#else
    const uint from = coefs + row, from_step = 1u << inputs_log2(shape, 1u);
#endif
#ifndef X4
    if (n == 2u)
        LINE(4u, TRANSFORM_4)
    else
#endif
#ifndef X8
    if (n == 3u)
        LINE(8u, TRANSFORM_8)
    else
#endif
#ifndef X16
        LINE(16u, TRANSFORM_16)
#else
	;
#endif
}

bool is_scaled(uint shape) {
    return kind_of(shape, 0u) == DD_AV1_ITX_IDENTITY && kind_of(shape, 1u) == DD_AV1_ITX_IDENTITY;
}
bool is_transformed(uint shape) { return (shape & DD_AV1_ITX_DC_ALONE) == 0u && !is_scaled(shape); }

int scaled(uint shape, uint coefs, uint x, uint y) {
    const uint cols_log2 = inputs_log2(shape, 0u), rows_log2 = inputs_log2(shape, 1u);
    const bool inside = (x >> cols_log2 | y >> rows_log2) == 0u;
    int v = coefficient(coefs, inside ? (x << rows_log2) + y : 0u);
    if ((shape & DD_AV1_ITX_RECT) != 0u)
        v = half_turn(v);
    v = rounded(identity(v, line_log2(shape, 0u)), shift_of(shape, 0u));
    v = rounded(identity(v, line_log2(shape, 1u)), shift_of(shape, 1u));
    return inside ? v : 0;
}

void add_residuals(uint shape, uint first, uint blocks) {
    const uint w_log2 = line_log2(shape, 0u), quads_log2 = w_log2 + line_log2(shape, 1u) - 2u;
    const uint quads = blocks << quads_log2;
    [[dont_unroll]] for (uint from = 0u; from < quads; from += LANES) {
        const uint i = min(from + gl_LocalInvocationIndex, quads - 1u);
        const DdAv1ItxRecord r = read_record(first + (i >> quads_log2));
        const uint x = (i & ((1u << (w_log2 - 2u)) - 1u)) * 4u;
        const uint y = (i & ((1u << quads_log2) - 1u)) >> (w_log2 - 2u);
        ivec4 residual = ivec4(int(r.coefs));
        if (is_transformed(shape))
            residual = ivec4(values[i * 4u], values[i * 4u + 1u], values[i * 4u + 2u], values[i * 4u + 3u]);
        else if ((shape & DD_AV1_ITX_DC_ALONE) == 0u)
            residual = ivec4(scaled(shape, r.coefs, x, y), scaled(shape, r.coefs, x + 1u, y),
                             scaled(shape, r.coefs, x + 2u, y), scaled(shape, r.coefs, x + 3u, y));
        const uint at = block_word(r, x, y);
        const QUAD sum = added(at, residual);
        if (from + gl_LocalInvocationIndex < quads)
            store_quad(at, sum);
    }
}

void main() {
    const uint lane = gl_LocalInvocationIndex;
    const uint directions = is_transformed(read_group(0u).shape) ? 2u : 0u;
    [[dont_unroll]] for (uint direction = 0u; direction < directions; direction++) {
        const Group g = read_group(direction);
        // Lines of a block: rows of the corner, then all columns.
        const uint lines_log2 = field(g.shape, DD_AV1_ITX_ROWS_SHIFT - 9u * direction, 3u);
        const uint line = lane & ((1u << lines_log2) - 1u), block = min(lane >> lines_log2, g.blocks - 1u);
        const uint size_log2 = line_log2(g.shape, 0u) + line_log2(g.shape, 1u);
        const uint at = (block << size_log2) + (direction == 0u ? line << line_log2(g.shape, 0u) : line);
        const uint coefs = read_record(g.first + block).coefs;
        transform_line(g.shape, direction, at, coefs, line, lane >> lines_log2 < g.blocks);
        barrier();
    }
    const Group g = read_group(directions);
    add_residuals(g.shape, g.first, g.blocks);
}
