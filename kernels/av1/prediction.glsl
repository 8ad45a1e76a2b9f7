// SPDX-License-Identifier: BSD-2-Clause
//
// Inter prediction of four by four pixels: AV1 specification, clauses 7.11.3.4 (translation), 7.11.3.5 (warp) and
// 7.11.3.10 (masks). Positions of 0 have a filter that changes nothing, so there is one path for all of them.
#extension GL_EXT_control_flow_attributes : require

#include "common/av1_recon.h"
#define DST_ACCESS
#include "common/pixels.glsl"
#include "common/reference_row.glsl"

#ifndef LANES
#define LANES DD_AV1_LANES
#endif
layout(local_size_x = LANES) in;

layout(std430, set = 0, binding = DD_AV1_BIND_REF0) readonly buffer Ref0 { uint ref0[]; };
layout(std430, set = 0, binding = DD_AV1_BIND_REF1) readonly buffer Ref1 { uint ref1[]; };
layout(std430, set = 0, binding = DD_AV1_BIND_REF2) readonly buffer Ref2 { uint ref2[]; };
layout(std430, set = 0, binding = DD_AV1_BIND_REF3) readonly buffer Ref3 { uint ref3[]; };
layout(std430, set = 0, binding = DD_AV1_BIND_REF4) readonly buffer Ref4 { uint ref4[]; };
layout(std430, set = 0, binding = DD_AV1_BIND_REF5) readonly buffer Ref5 { uint ref5[]; };
layout(std430, set = 0, binding = DD_BIND_RECORDS) readonly buffer Records {
    DdAv1ReconParams params;
    uint words[];
};
layout(push_constant) uniform Push { DdAv1ReconPush push; };

// Bits that a prediction has more than a pixel, before it is combined with another one.
const int MORE_BITS = BITS == 12 ? 2 : 4;
const float PIXEL_SCALE = 1.0 / float(64 << MORE_BITS);
const float COMBINED_SCALE = PIXEL_SCALE; // 64ths

// ---- records ----------------------------------------------------------------------------------------------

// The record and the part of it that a lane works on.
struct Work {
    uint record; // its first word
    uint part;   // of its lanes
    bool chroma; // of a whole block
    bool none;   // a lane without work computes, but doesn't store
};

Work find_work(uint record_words, uint first_record, uint first_lane, uint lanes, uint how) {
    const uint log2 = (how >> DD_AV1_GROUP_LOG2) & 7u;
    const uint lane = first_lane + gl_LocalInvocationIndex;
    return Work(first_record + (min(lane, lanes - 1u) >> log2) * record_words, lane & ((1u << log2) - 1u),
                (how & DD_AV1_GROUP_CHROMA) != 0u, lane >= lanes);
}

Work find_work(uint record_words) {
    const uint at = push.groups + gl_WorkGroupID.x * DD_AV1_GROUP_WORDS;
    return find_work(record_words, words[at], words[at + 1u], words[at + 2u], words[at + 3u]);
}

// What a lane writes: a cell of a plane.
struct Cell {
    uint plane;
    uint x, y; // inside the record, pixels
};

Cell find_cell(uint part, uint w4, uint h4, bool chroma) {
    const uint plane = chroma ? 1u + ((part >> (w4 + h4)) & 1u) : 0u;
    return Cell(plane, (part & ((1u << w4) - 1u)) * 4u, ((part >> w4) & ((1u << h4) - 1u)) * 4u);
}
Cell find_cell(uint ctl, uint part) {
    return find_cell(part, (ctl >> DD_AV1_W4_SHIFT) & 3u, (ctl >> DD_AV1_H4_SHIFT) & 3u, (ctl & DD_AV1_CHROMA) != 0u);
}

DdAv1RecordSource read_source(uint at) { return DdAv1RecordSource(words[at], words[at + 1u]); }
DdAv1RecordWarp read_warp(uint at) {
    return DdAv1RecordWarp(int(words[at]), int(words[at + 1u]), words[at + 2u], words[at + 3u]);
}

Source source_plane(uint plane) {
    const uint last = plane == 0u ? params.last[0] : params.last[1];
    return Source(plane == 0u ? params.offset[0] : plane == 1u ? params.offset[1] : params.offset[2],
                  plane == 0u ? params.stride[0] : params.stride[1], int(last & 0xffffu), int(last >> 16));
}

int low_half(uint word) { return int(word << 16) >> 16; }
int high_half(uint word) { return int(word) >> 16; }

// ---- filters ----------------------------------------------------------------------------------------------

float tap_of(uint word, uint i) { return float(bitfieldExtract(int(word), int(i * 8u), 8)); }

// Of the horizontal filter: the taps' scale makes intermediates of its sums.
const float ROW_SCALE = 1.0 / float(64 >> MORE_BITS);
const uint FIRST_TAP = (8u - ROW_TAPS) / 2u; // of the table's eight
Taps load_taps(uint at, float scale) {
    const uint word[2] = uint[2](words[at], words[at + 1u]);
    Taps taps;
    [[unroll]] for (uint i = 0u; i < ROW_TAPS / 2u; i++) {
        const uint t = FIRST_TAP + 2u * i;
        taps.pair[i] = packHalf2x16(vec2(tap_of(word[t >> 2], t & 3u), tap_of(word[t + 1u >> 2], t + 1u & 3u)) * scale);
    }
    return taps;
}

// Word of a source's taps: of a kind, at a position.
uint taps_of(uint kind, uint position) { return DD_AV1_TAPS + ((kind & 7u) * 16u + (position & 15u)) * 2u; }
uint taps_x_of(DdAv1RecordSource s) { return taps_of(s.how >> DD_AV1_TAPS_X_SHIFT, s.how >> DD_AV1_MX_SHIFT); }
uint taps_y_of(DdAv1RecordSource s) { return taps_of(s.how >> DD_AV1_TAPS_Y_SHIFT, s.how >> DD_AV1_MY_SHIFT); }

// Four results of the horizontal filter.
vec4 filter_row(float p[12], Taps taps) {
    vec4 mid = vec4(0.5 - 64.0 * ROW_SCALE * PIXEL_BIAS);
    [[unroll]] for (int t = 0; t < ROW_TAPS; t++)
        mid += vec4(p[t], p[t + 1], p[t + 2], p[t + 3]) * tap(taps, t);
    return floor(mid);
}

// Where the words of a row's pixels lie in every row of a plane.
struct Span {
    uint at[LOAD_WORDS]; // words of the row to load
    int shift;           // of the first pixel in its word
    int ends; // 0: all pixels are the row's own; else SPAN_ENDS, where its words lie, and those of the row's end
};
const int SPAN_ENDS = 4;

Span span_of(Source s, int x) {
    const int first = x >> WORD_SHIFT, last = s.last_x >> WORD_SHIFT;
    Span span;
    span.shift = (x & (PIXELS_PER_WORD - 1)) << PIXEL_SHIFT;
    span.ends = x >= 0 && x + ROW_PIXELS - 1 <= s.last_x
                    ? 0 // one register instead of four
                    : first << 16 | last << 3 | SPAN_ENDS | (s.last_x & (PIXELS_PER_WORD - 1));
    [[unroll]] for (int i = 0; i < LOAD_WORDS; i++)
        span.at[i] = s.offset + uint(clamp(first + i, 0, last));
    return span;
}

// The pixels out of the words that hold them.
void align_row(Span span, uint w[LOAD_WORDS], out uint aligned[ROW_WORDS]) {
    if (span.ends != 0) {
        const int last = (span.ends >> 3) & 0x1fff, shift_last = (span.ends & (SPAN_ENDS - 1)) << PIXEL_SHIFT;
        [[unroll]] for (int i = 0; i < LOAD_WORDS; i++)
            w[i] = extended(last, shift_last, (span.ends >> 16) + i, w[i]);
    }
    [[unroll]] for (int i = 0; i < ROW_WORDS; i++) // a shift by 32 is undefined
        aligned[i] =
            w[i] >> span.shift | (i + 1 < LOAD_WORDS ? w[min(i + 1, LOAD_WORDS - 1)] << 1 << (31 - span.shift) : 0u);
}

#define LOAD_FROM(REF)                                                                                                 \
    {                                                                                                                  \
        [[unroll]] for (int i = 0; i < LOAD_WORDS; i++)                                                                \
            w[i] = REF[row + span.at[i]];                                                                              \
    }

// The pixels of row y; those of p behind them are undefined.
void fetch_row(uint ref, Source s, Span span, int y, out float p[12]) {
    const uint row = uint(clamp(y, 0, s.last_y)) * s.stride;
    uint w[LOAD_WORDS];
    if (ref == 0u)
        LOAD_FROM(ref0)
    else if (ref == 1u)
        LOAD_FROM(ref1)
    else if (ref == 2u)
        LOAD_FROM(ref2)
    else if (ref == 3u)
        LOAD_FROM(ref3)
    else if (ref == 4u)
        LOAD_FROM(ref4)
    else
        LOAD_FROM(ref5)
    uint aligned[ROW_WORDS];
    align_row(span, w, aligned);
    unpack_row(aligned, p);
}

uint ref_of(DdAv1RecordSource source) { return (source.how >> DD_AV1_REF_SHIFT) & 7u; }

// Sums of the vertical filter, before they are rounded: 64 << MORE_BITS times a pixel. x, y: the cell in the source's
// plane.
void translate(DdAv1RecordSource source, Source s, int x, int y, out vec4 sum[4]) {
    const uint ref = ref_of(source);
    const Taps h = load_taps(taps_x_of(source), ROW_SCALE);
    const uint taps_y = taps_y_of(source), v[2] = uint[2](words[taps_y], words[taps_y + 1u]);
    const Span span = span_of(s, x - 3);
    [[unroll]] for (int j = 0; j < 4; j++)
        sum[j] = vec4(0.0);
    // Weights of the row in the four results: the vertical filter slides over them.
    uvec2 weights = uvec2(0u);
    [[dont_unroll]] for (int row = int(push.first_row); row < int(push.end_row); row++) {
        float p[12];
        fetch_row(ref, s, span, y - 3 + row, p);
        const vec4 mid = filter_row(p, h);
        const float next = row < 8 ? tap_of(row < 4 ? v[0] : v[1], uint(row & 3)) : 0.0;
        weights = uvec2((weights.x << 16) | packHalf2x16(vec2(next, 0.0)), (weights.y << 16) | (weights.x >> 16));
        const vec2 low = unpackHalf2x16(weights.x), high = unpackHalf2x16(weights.y);
        sum[0] += mid * low.x;
        sum[1] += mid * low.y;
        sum[2] += mid * high.x;
        sum[3] += mid * high.y;
    }
}

// Four whole numbers from -16384 to 49151, in two registers.
uvec2 pack_values(vec4 v) {
    const ivec4 i = ivec4(v) + 16384;
    return uvec2(i.x | i.y << 16, i.z | i.w << 16);
}
float unpack_value(uvec2 v, uint i) {
    const uint word = i < 2u ? v.x : v.y;
    return float(int((i & 1u) == 0u ? word & 0xffffu : word >> 16) - 16384);
}
vec4 unpack_values(uvec2 v) {
    return vec4(unpack_value(v, 0u), unpack_value(v, 1u), unpack_value(v, 2u), unpack_value(v, 3u));
}

// ---- results ----------------------------------------------------------------------------------------------

vec4 to_pixels(vec4 sum) { return clamp(floor(sum * PIXEL_SCALE + 0.5), 0.0, float(PIXEL_MAX)); }

// A source of two, rounded as it is before they are combined.
vec4 intermediate(vec4 sum) { return floor(sum * (1.0 / 64.0) + 0.5); }

// Both sources' intermediates, the first one with `weight` 64ths.
vec4 combine(vec4 a, vec4 b, vec4 weight) {
    return clamp(floor((a * weight + b * (64.0 - weight)) * COMBINED_SCALE + 0.5), 0.0, float(PIXEL_MAX));
}

// Four weights of a mask.
vec4 mask_weights(uint mask_word) {
    const uint word = words[mask_word];
    return vec4(word & 255u, (word >> 8) & 255u, (word >> 16) & 255u, word >> 24);
}
// Out of a mask whose rows have `width` bytes.
vec4 mask_weights(uint mask, uint width, uint x, uint y) { return mask_weights(mask + (y * width + x) / 4u); }

// Word of a pixel, the first of four, of the plane that is written.
uint word_of(Source s, uint x, uint y) { return s.offset + y * s.stride + (x >> 2) * QUAD_WORDS; }
