// SPDX-License-Identifier: BSD-2-Clause
//
// Inverse transforms and their addition: AV1 specification, clauses 7.13.3 and 7.12.3. All blocks of a workgroup have one shape. A lane
// transforms rows, then columns, then adds words of four pixels. Only rows with coefficients are transformed. Of a block with a DC
// coefficient alone the CPU has worked out what to add. One kernel for all shapes makes it one dispatch a frame.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

#include "common/av1_recon.h"
#define DST_ACCESS
#include "common/pixels.glsl"
#include "av1/transform.glsl"

const uint LANES = DD_AV1_ITX_LANES;
layout(local_size_x = LANES) in;
layout(push_constant) uniform Push { DdAv1ItxPush push; };
#include "av1/residual.glsl"

// Of all blocks, row after row: coefficients, values between the passes, the residual.
shared int values[DD_AV1_ITX_VALUES];

int coefficient(uint first, uint at) {
#if BITS == 8
    return int(words[first + (at >> 1)] << (16u - (at & 1u) * 16u)) >> 16;
#else
    return int(words[first + at]);
#endif
}

// The lines of one direction.
struct Pass {
    uint n_log2;
    uint inputs; // of a line, from the first on; the others are zero
    uint stride; // from a value of a line to the next
    uint kind;
    bool flip;
    int shift;
};

// A DCT of 32 is one of 16 of its even inputs and a network of the odd ones, mirrored; so is one of 64 with one of 32. Each part
// is in registers alone: it finds its inputs where its results go, the parts' 16, 16 and 32 values behind each other.
uint place_of(uint i, uint n_log2, uint kind) {
    if (n_log2 < 5u || kind != DD_AV1_ITX_DCT)
        return i;
    if (n_log2 == 5u)
        return (i & 1u) * 16u + (i >> 1);
    return (i & 1u) != 0u ? 32u + (i >> 1) : (i & 2u) * 8u + (i >> 2);
}

int rounded(Pass p, int v) {
    v = (v + (1 << p.shift >> 1)) >> p.shift;
#if BITS == 8
    return v;
#else
    const int limit = 1 << max(BITS + 5, 15);
    return clamp(v, -limit, limit - 1);
#endif
}

// The inputs of a part. Their number is a power of two. What V3D has least of here is registers: branches are few, and
// addresses are made on the way, forwards in loads and backwards in stores, so that none is kept from one to the other.
#define LOAD(N, AT, INPUTS)                                                                                            \
    {                                                                                                                  \
        uint at = AT;                                                                                                  \
        [[unroll]] for (uint i = 0u; i < 4u; i++) {                                                                    \
            const int v = values[at];                                                                                  \
            x[i] = i < INPUTS ? v : 0;                                                                                 \
            at += i + 1u < INPUTS ? p.stride : 0u;                                                                     \
        }                                                                                                              \
        [[unroll]] for (uint i = 4u; i < N; i++)                                                                       \
            x[i] = 0;                                                                                                  \
        if (N > 4u && INPUTS > 4u) {                                                                                   \
            [[unroll]] for (uint i = 4u; i < min(N, 8u); i++) {                                                        \
                x[i] = values[at];                                                                                     \
                at += p.stride;                                                                                        \
            }                                                                                                          \
        }                                                                                                              \
        if (N > 8u && INPUTS > 8u) {                                                                                   \
            [[unroll]] for (uint i = 8u; i < N; i++) {                                                                 \
                x[i] = values[at];                                                                                     \
                at += p.stride;                                                                                        \
            }                                                                                                          \
        }                                                                                                              \
    }

// The results of a whole line, mirrored where the type says so.
#define STORE(N)                                                                                                       \
    {                                                                                                                  \
        uint at = p.flip ? line : line + (N - 1u) * p.stride;                                                          \
        const uint step = p.flip ? -p.stride : p.stride;                                                               \
        [[unroll]] for (uint i = 0u; i < N; i++) {                                                                     \
            values[at] = rounded(p, x[N - 1u - i]);                                                                    \
            at -= step;                                                                                                \
        }                                                                                                              \
    }

// The results of a part.
#define STORE_PART(N, AT)                                                                                              \
    {                                                                                                                  \
        uint at = (AT) + (N - 1u) * p.stride;                                                                          \
        [[unroll]] for (uint i = 0u; i < N; i++) {                                                                     \
            values[at] = x[N - 1u - i];                                                                                \
            at -= p.stride;                                                                                            \
        }                                                                                                              \
    }

void keep_identity(Pass p, uint line) {
    const uint n = 1u << p.n_log2;
    [[dont_unroll]] for (uint i = 0u; i < n; i++) {
        const uint at = line + i * p.stride;
        const int v = values[at];
        values[at] = i < p.inputs ? rounded(p, identity(v, p.n_log2)) : 0;
    }
}

// Puts the parts of a DCT of n together. The odd one's results lie behind the even one's, and are mirrored.
void combine(Pass p, uint line, uint n, bool last) {
    uint low = line, high = line + (n - 1u) * p.stride;
    [[dont_unroll]] for (uint i = 0u; i < n / 2u; i++) {
        const int even = values[low], odd = values[high];
        values[low] = last ? rounded(p, even + odd) : even + odd;
        values[high] = last ? rounded(p, even - odd) : even - odd;
        low += p.stride;
        high -= p.stride;
    }
}

void transform_odd_parts(Pass p, uint line) {
    const uint doubled = p.n_log2 - 5u;
    {
        int x[16];
        const uint first = line + 16u * p.stride, inputs = p.inputs >> (1u + doubled);
        LOAD(16u, first, inputs)
        x = odd_of_32(x);
        STORE_PART(16u, first)
    }
    combine(p, line, 32u, doubled == 0u);
    if (doubled != 0u) {
        {
            int x[16];
            const uint first = line + 32u * p.stride, inputs = p.inputs >> 1;
            LOAD(16u, first, inputs)
            const int y[32] = odd_of_64(x);
            uint at = line + 63u * p.stride;
            [[unroll]] for (uint i = 0u; i < 32u; i++) {
                values[at] = y[31u - i];
                at -= p.stride;
            }
        }
        combine(p, line, 64u, true);
    }
}

void transform(Pass p, uint line) {
    const bool dct = p.kind == DD_AV1_ITX_DCT;
    const uint inputs = p.inputs >> (max(p.n_log2, 4u) - 4u);
    if (p.kind == DD_AV1_ITX_IDENTITY) {
        keep_identity(p, line);
    } else if (p.n_log2 == 2u) {
        int x[4];
        LOAD(4u, line, inputs)
        if (p.kind == DD_AV1_ITX_WHT)
            x = wht4(x);
        else if (dct)
            x = dct4(x[0], x[1], x[2], x[3]);
        else
            x = adst4(x);
        STORE(4u)
    } else if (p.n_log2 == 3u) {
        int x[8];
        LOAD(8u, line, inputs)
        if (dct)
            x = dct8(x);
        else
            x = adst8(x);
        STORE(8u)
    } else {
        int x[16];
        LOAD(16u, line, inputs)
        if (dct)
            x = dct16(x);
        else
            x = adst16(x);
        if (p.n_log2 == 4u)
            STORE(16u)
        else
            STORE_PART(16u, line)
    }
    if (p.n_log2 >= 5u && dct)
        transform_odd_parts(p, line);
}

uint field(uint shape, uint shift, uint bits) { return (shape >> shift) & ((1u << bits) - 1u); }

void main() {
    const uint lane = gl_LocalInvocationIndex, group = push.groups + gl_WorkGroupID.x * 3u;
    const uint first = words[group], blocks = words[group + 1u], shape = words[group + 2u];
    const uint w_log2 = field(shape, DD_AV1_ITX_W_SHIFT, 3u), h_log2 = field(shape, DD_AV1_ITX_H_SHIFT, 3u);
    const uint cols_log2 = field(shape, DD_AV1_ITX_COLS_SHIFT, 3u), rows_log2 = field(shape, DD_AV1_ITX_ROWS_SHIFT, 3u);
    const uint kind_h = field(shape, DD_AV1_ITX_KIND_H_SHIFT, 2u), kind_v = field(shape, DD_AV1_ITX_KIND_V_SHIFT, 2u);
    const uint size_log2 = w_log2 + h_log2;
    const bool dc_alone = (shape & DD_AV1_ITX_DC_ALONE) != 0u, lossless = kind_h == DD_AV1_ITX_WHT;

    if (!dc_alone) {
        const uint corner_log2 = cols_log2 + rows_log2;
        [[dont_unroll]] for (uint i = lane; i < blocks << corner_log2; i += LANES) {
            const uint block = i >> corner_log2, at = i & ((1u << corner_log2) - 1u);
            const uint x = at >> rows_log2, y = at & ((1u << rows_log2) - 1u);
            int v = coefficient(read_record(first + block).coefs, at);
            if ((shape & DD_AV1_ITX_RECT) != 0u)
                v = half_turn(v);
            values[(block << size_log2) + (place_of(y, h_log2, kind_v) << w_log2) + place_of(x, w_log2, kind_h)] =
                lossless ? v >> 2 : v;
        }
        barrier();
    }

    // One loop for both directions, for the code is long.
    const uint directions = dc_alone ? 0u : 2u;
    [[dont_unroll]] for (uint direction = 0u; direction < directions; direction++) {
        const bool rows = direction == 0u;
        const uint lines_log2 = rows ? rows_log2 : w_log2;
        Pass p;
        p.n_log2 = rows ? w_log2 : h_log2;
        p.inputs = 1u << (rows ? cols_log2 : rows_log2);
        p.stride = rows ? 1u : 1u << w_log2;
        p.kind = rows ? kind_h : kind_v;
        p.flip = (shape & (rows ? DD_AV1_ITX_FLIP_H : DD_AV1_ITX_FLIP_V)) != 0u;
        p.shift = rows ? int(field(shape, DD_AV1_ITX_ROUND_SHIFT, 2u)) : lossless ? 0 : 4;
        [[dont_unroll]] for (uint i = lane; i < blocks << lines_log2; i += LANES) {
            const uint block = i >> lines_log2, number = i & ((1u << lines_log2) - 1u);
            transform(p, (block << size_log2) + (rows ? place_of(number, h_log2, kind_v) << w_log2 : number));
        }
        barrier();
    }

    const uint quads_log2 = size_log2 - 2u;
    [[dont_unroll]] for (uint i = lane; i < blocks << quads_log2; i += LANES) {
        const uint in_block = i & ((1u << quads_log2) - 1u);
        const uint x = (in_block & ((1u << (w_log2 - 2u)) - 1u)) * 4u, y = in_block >> (w_log2 - 2u), from = i * 4u;
        const DdAv1ItxRecord r = read_record(first + (i >> quads_log2));
        ivec4 residual = ivec4(int(r.coefs));
        if (!dc_alone)
            residual = ivec4(values[from], values[from + 1u], values[from + 2u], values[from + 3u]);
        add_quad(block_word(r, x, y), residual);
    }
}
