// SPDX-License-Identifier: BSD-2-Clause
//
// Loop filter: VP9 specification, clause 8.8. Filters of an edge; between columns a lane has a line of pixels, between
// rows a column of words. The order of edges is vp9/lf_wavefront.glsl's or, with SUPERBLOCKS, vp9/lf_superblock.glsl's.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#ifdef SUPERBLOCKS
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_ballot : require
#endif

#include "common/records.h"
#ifdef INNER // no other workgroup has these pixels
#define DST_ACCESS
#else
#define DST_ACCESS coherent
#endif
#include "common/pixels.glsl"

const float LINE_BIAS = BITS <= 10 ? 1024.0 : 0.0;
#include "vp9/loop_filter.glsl"

#ifdef SUPERBLOCKS
const uint LANES = 256u;
#else
const uint LANES = 192u; // a batch of 16 for each of V3D's QPUs
#endif
layout(local_size_x = LANES) in;

#ifdef SUPERBLOCKS
#include "vp9/lf_tile.glsl"
#endif

const uint WORD_PIXELS = 4u / QUAD_WORDS, PIXEL_BITS = 32u / WORD_PIXELS;
const uint PIXEL_MASK = 0xffffffffu >> (32u - PIXEL_BITS);

// Two pixels in fields of 16 bits become half floats with the exponent of 1024, which V3D takes as they are.
vec2 field_pixels(uint fields) { return unpackHalf2x16(fields + 0x64006400u); }

#if BITS == 8 && !defined SUPERBLOCKS
void unpack(QUAD quad, const uint first, inout float v[16]) {
    const vec2 even = field_pixels(quad & 0x00ff00ffu), odd = field_pixels(quad >> 8 & 0x00ff00ffu);
    v[first] = even.x;
    v[first + 1u] = odd.x;
    v[first + 2u] = even.y;
    v[first + 3u] = odd.y;
}
QUAD pack(float v[16], const uint first) { // the last pixel's bias goes out of the word
    return uint(v[first] + v[first + 1u] * 256.0 - 257.0 * LINE_BIAS + (v[first + 2u] - LINE_BIAS) * 65536.0) |
           uint(v[first + 3u]) << 24;
}
#else
void unpack(QUAD quad, const uint first, inout float v[16]) {
#if BITS <= 10
    v[first] = field_pixels(quad.x).x;
    v[first + 1u] = field_pixels(quad.x).y;
    v[first + 2u] = field_pixels(quad.y).x;
    v[first + 3u] = field_pixels(quad.y).y;
#else
    v[first] = float(quad.x & 0xffffu);
    v[first + 1u] = float(quad.x >> 16);
    v[first + 2u] = float(quad.y & 0xffffu);
    v[first + 3u] = float(quad.y >> 16);
#endif
}
QUAD pack(float v[16], const uint first) {
    const uint mask = uint(PIXEL_MAX) * 0x00010001u;
    return QUAD(uint(v[first]) | uint(v[first + 1u]) << 16, uint(v[first + 2u]) | uint(v[first + 3u]) << 16) & mask;
}
#endif

void store_inner(uint at, float v[16]) {
    store_quad(at - QUAD_WORDS, pack(v, 4u));
    store_quad(at, pack(v, 8u));
}

// v[1] to v[14] become averages over sixteen pixels: a window slides across the edge. Written quad by quad.
void average_line(uint at, float v[16]) {
    float sum = 7.0 * v[0] + 2.0 * v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7] + v[8] + 8.0;
    float made[16];
    made[0] = v[0];
    made[15] = v[15];
    [[unroll]] for (uint i = 1u; i < 15u; i++) {
        made[i] = floor(sum * 0.0625);
        sum = sum - v[i] + v[i + 1u] - v[max(i, 7u) - 7u] + v[min(i + 8u, 15u)];
        if ((i & 3u) == 3u)
            store_quad(at + (i >> 2) * QUAD_WORDS, pack(made, i - 3u));
    }
    store_quad(at + 3u * QUAD_WORDS, pack(made, 12u));
}

void filter_line_of_columns(uint at, Strength t) {
    float v[16];
    unpack(load_quad(at - QUAD_WORDS), 4u, v);
    unpack(load_quad(at), 8u, v);
    if (is_smooth(v, t)) {
        if (t.width != NARROW && is_flat_inside(v)) {
            bool flat_outside = false;
            if (t.width == SIXTEEN) {
                unpack(load_quad(at - 2u * QUAD_WORDS), 0u, v);
                unpack(load_quad(at + QUAD_WORDS), 12u, v);
                flat_outside = is_flat_outside(v);
                if (flat_outside) {
                    average_line(at - 2u * QUAD_WORDS, v);
                }
            }
            if (!flat_outside) {
                filter_eight(v);
                store_inner(at, v);
            }
        } else {
            filter_narrow(v, t);
            store_inner(at, v);
        }
    }
}

// Flat pixels of a column of words are averaged at the same time, in fields of 16 bits: sums of 16 pixels fit. With
// four pixels a word every other one is in a field, and there are two turns. `flat_pixels` has all bits of those that
// change. Words are loaded again: that costs less than the registers.
const uint FIELDS = WORD_PIXELS == 4u ? 0x00ff00ffu : 0xffffffffu, TURN_BITS = 8u, TURNS = WORD_PIXELS == 4u ? 2u : 1u;
const uint UNITS = 0x00010001u;

#define LOAD_LINES(FIRST, END)                                                                                         \
    uint lines[16];                                                                                                    \
    uint from = at - (8u - FIRST) * stride;                                                                            \
    [[unroll]] for (uint i = FIRST; i < END; i++) {                                                                    \
        lines[i] = dst[from];                                                                                          \
        from += stride;                                                                                                \
    }
#define STORE_LINES(FIRST, END)                                                                                        \
    uint to = at - (8u - FIRST) * stride;                                                                              \
    [[unroll]] for (uint i = FIRST; i < END; i++) {                                                                    \
        dst[to] = lines[i];                                                                                            \
        to += stride;                                                                                                  \
    }

void average_eight(uint at, uint stride, uint flat_pixels) {
    LOAD_LINES(4u, 12u)
    [[unroll]] for (uint turn = 0u; turn < TURNS; turn++) {
        const uint shift = turn * TURN_BITS, chosen = flat_pixels >> shift & FIELDS;
        uint f[16];
        [[unroll]] for (uint i = 4u; i < 12u; i++)
            f[i] = lines[i] >> shift & FIELDS;
        uint sum = f[4] + f[4] + f[4] + f[5] + f[5] + f[6] + f[7] + f[8] + 4u * UNITS;
        [[unroll]] for (uint i = 5u; i < 11u; i++) {
            lines[i] ^= ((sum >> 3 & 0x1fffu * UNITS ^ f[i]) & chosen) << shift;
            sum = sum - f[i] + f[i + 1u] - f[max(i, 7u) - 3u] + f[min(i + 4u, 11u)];
        }
    }
    STORE_LINES(5u, 11u)
}

void average_sixteen(uint at, uint stride, uint flat_pixels) {
    LOAD_LINES(0u, 16u)
    [[unroll]] for (uint turn = 0u; turn < TURNS; turn++) {
        const uint shift = turn * TURN_BITS, chosen = flat_pixels >> shift & FIELDS;
        uint f[16];
        [[unroll]] for (uint i = 0u; i < 16u; i++)
            f[i] = lines[i] >> shift & FIELDS;
        uint sum = (f[0] << 3) - f[0] + f[1] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7] + f[8] + 8u * UNITS;
        [[unroll]] for (uint i = 1u; i < 15u; i++) {
            lines[i] ^= ((sum >> 4 & 0xfffu * UNITS ^ f[i]) & chosen) << shift;
            sum = sum - f[i] + f[i + 1u] - f[max(i, 7u) - 7u] + f[min(i + 8u, 15u)];
        }
    }
    STORE_LINES(1u, 15u)
}

// Pixels that are flat for eight more pixels: in each field, the upper bit of a + unit - b says whether b exceeds a
// by more than the unit.
uint flat_outside_of(uint at, uint stride) {
    const uint BIAS = (0x8000u + (1u << (BITS - 8))) * UNITS;
    uint flat_pixels = 0u;
    [[unroll]] for (uint side = 0u; side < 2u; side++) {
        const uint edge = dst[side == 0u ? at - stride : at];
        uint from = side == 0u ? at - 8u * stride : at + 4u * stride;
        uint other[4];
        [[unroll]] for (uint i = 0u; i < 4u; i++) {
            other[i] = dst[from];
            from += stride;
        }
        uint within = 0xffffffffu;
        [[unroll]] for (uint turn = 0u; turn < TURNS; turn++) {
            uint above = 0x8000u * UNITS;
            const uint b = edge >> turn * TURN_BITS & FIELDS;
            [[unroll]] for (uint i = 0u; i < 4u; i++) {
                const uint a = other[i] >> turn * TURN_BITS & FIELDS;
                above &= (a + BIAS - b) & (b + BIAS - a);
            }
            // The fields' upper bits as masks of pixels.
            above = (above >> 15) * PIXEL_MASK;
            within &= WORD_PIXELS == 4u ? above << turn * TURN_BITS | 0xff00ff00u >> turn * TURN_BITS : above;
        }
        flat_pixels = side == 0u ? within : flat_pixels & within;
    }
    return flat_pixels;
}

#if BITS <= 10
float field_pixel(uint fields, const uint upper) { return field_pixels(fields)[upper]; }
#else
float field_pixel(uint fields, const uint upper) { return float(fields >> upper * 16u & 0xffffu); }
#endif

// A column of words: lines[7] and lines[8] are at the edge. Pixels that the narrow filter changes are added to their
// words as differences. No branches: V3D's compiler keeps a value that a branch changes for as long as the outermost
// loop runs.
void filter_word_of_rows(uint at, uint stride, Strength t) {
    uint flat_inside = 0u, changed = 0u; // pixels
    {
        LOAD_LINES(4u, 12u)
        [[unroll]] for (uint turn = 0u; turn < TURNS; turn++) {
            uint f[16];
            [[unroll]] for (uint i = 4u; i < 12u; i++)
                f[i] = lines[i] >> turn * TURN_BITS & FIELDS;
            [[unroll]] for (uint upper = 0u; upper < 2u; upper++) {
                const uint shift = turn * TURN_BITS + upper * 16u;
                float v[16];
                [[unroll]] for (uint i = 4u; i < 12u; i++)
                    v[i] = field_pixel(f[i], upper);
                const bool smooth_line = is_smooth(v, t);
                const bool flat_line = smooth_line && t.width != NARROW && is_flat_inside(v);
                flat_inside |= flat_line ? PIXEL_MASK << shift : 0u;
                const float old[16] = v;
                filter_narrow(v, t);
                const uint narrow = smooth_line && !flat_line ? 0xffffffffu : 0u;
                changed |= narrow;
                [[unroll]] for (uint i = 6u; i < 10u; i++)
                    lines[i] += (uint(int(v[i] - old[i])) << shift) & narrow;
            }
        }
        if (changed != 0u) {
            STORE_LINES(6u, 10u)
        }
    }
    if (flat_inside != 0u) {
        uint flat_outside = 0u;
        if (t.width == SIXTEEN) {
            flat_outside = flat_outside_of(at, stride) & flat_inside;
            if (flat_outside != 0u)
                average_sixteen(at, stride, flat_outside);
        }
        if (flat_inside != flat_outside)
            average_eight(at, stride, flat_inside & ~flat_outside);
    }
}

#ifdef SUPERBLOCKS
#include "vp9/lf_superblock.glsl"
#else
#include "vp9/lf_wavefront.glsl"
#endif
