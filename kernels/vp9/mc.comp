// SPDX-License-Identifier: BSD-2-Clause
//
// Motion compensation without scaling: VP9 specification, clause 8.5.2.4, and the average of compound blocks. A lane
// predicts a strip of four pixels' width. It slides down the block: every row is filtered horizontally and rounded to
// pixels, eight of those make a row of the result. A subpel position of 0 is a filter that changes nothing and may be
// left out; records of a kind lie together, so that this spares time. With PAIR a second strip is averaged with the
// first one. A workgroup's squares have one size, and are recorded one by one or as blocks.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

#include "common/records.h"
#define DST_ACCESS
#include "common/pixels.glsl"
#include "vp9/reference.glsl"

layout(local_size_x = 255) in;

layout(std430, set = 0, binding = DD_BIND_RECORDS) readonly buffer Records {
    uint words[]; // DdMcGroup by workgroup, then records
};
layout(push_constant) uniform Push {
    DdMcPush push;
};

// What four results need of a row when it is filtered horizontally: the first three pixels lie on their left.
#define TAP_PIXELS 11
const int LEFT = 3;

// A sum of products; with it is the half for rounding, as in all of them.
vec4 filter_row(uint words[WORDS_OF(TAP_PIXELS)], Taps taps) {
    UNPACK_ROW(words, p, TAP_PIXELS)
    vec4 sum = vec4(0.5 - PIXEL_BIAS);
    [[unroll]] for (int t = 0; t < 8; t++)
        sum += vec4(p[t], p[t + 1], p[t + 2], p[t + 3]) * tap(taps, t);
    return sum;
}

// Rows of four pixels before the vertical filter, as half floats: those hold integers up to 2048 exactly. 12 bits are
// moved to the middle of that range.
const float ROW_BIAS = BITS == 12 ? -2048.0 : 0.0;
uvec2 pack_row(vec4 p) { return uvec2(packHalf2x16(p.xy + ROW_BIAS), packHalf2x16(p.zw + ROW_BIAS)); }
uvec2 make_row(uint words[WORDS_OF(TAP_PIXELS)], Taps taps) {
    const vec4 sum = filter_row(words, taps);
    return pack_row(vec4(to_pixel(sum.x), to_pixel(sum.y), to_pixel(sum.z), to_pixel(sum.w)));
}
vec4 row_pixels(uvec2 r) { return vec4(unpackHalf2x16(r.x), unpackHalf2x16(r.y)); }

// The same without a horizontal filter: the pixels as they come.
#if BITS == 8
const float WHOLE_BIAS = PIXEL_BIAS;
uvec2 make_whole_row(uint words[WORDS_OF(4)]) { return (uvec2(words[0], words[0] >> 8) & 0x00ff00ffu) + 0x64006400u; }
vec4 whole_row_pixels(uvec2 r) { return row_pixels(r).xzyw; }
#elif BITS == 10
const float WHOLE_BIAS = PIXEL_BIAS;
uvec2 make_whole_row(uint words[WORDS_OF(4)]) { return uvec2(words[0], words[1]) + 0x64006400u; }
vec4 whole_row_pixels(uvec2 r) { return row_pixels(r); }
#else
const float WHOLE_BIAS = ROW_BIAS;
uvec2 make_whole_row(uint words[WORDS_OF(4)]) {
    return pack_row(vec4(words[0] & 0xffffu, words[0] >> 16, words[1] & 0xffffu, words[1] >> 16));
}
vec4 whole_row_pixels(uvec2 r) { return row_pixels(r); }
#endif

#define FILTER_COLUMN(NAME, PIXELS_OF, BIAS)                                                                           \
    vec4 NAME(uvec2 window[8], Taps taps) {                                                                            \
        vec4 sum = vec4(0.5 - BIAS);                                                                                   \
        [[unroll]] for (int t = 0; t < 8; t++)                                                                         \
            sum += PIXELS_OF(window[t]) * tap(taps, t);                                                                \
        return sum;                                                                                                    \
    }
FILTER_COLUMN(filter_column, row_pixels, ROW_BIAS)
FILTER_COLUMN(filter_whole_column, whole_row_pixels, WHOLE_BIAS)

QUAD finish(vec4 sum) { return pack_quad(ivec4(clamp(sum, 0.0, float(PIXEL_MAX)))); }

#if BITS == 8
QUAD average_quad(QUAD a, QUAD b) { return average_word(a, b); }
#else
QUAD average_quad(QUAD a, QUAD b) { return uvec2(average_word(a.x, b.x), average_word(a.y, b.y)); }
#endif

const int NO_ROWS = -8; // not even those before the first one

// The strip of one lane.
struct Strip {
    uint filter_type, mx, my;
    int x, y; // of the reference
    int rows;
    uint at, stride; // of the picture
};

#define PREDICT_HORIZONTAL(REF, WORD, FINISH)                                                                          \
    FETCH_ROW(fetch_taps, REF, TAP_PIXELS, WORD)                                                                       \
    void predict_horizontal_##REF(Source s, Strip strip) {                                                             \
        const Taps taps = load_taps(strip.filter_type, strip.mx);                                                      \
        const Span span = span_of(s, strip.x - LEFT, TAP_PIXELS);                                                      \
        uint at = strip.at;                                                                                            \
        [[dont_unroll]] for (int y = strip.y; y < strip.y + strip.rows; y++) {                                         \
            uint words[WORDS_OF(TAP_PIXELS)];                                                                          \
            fetch_taps_##REF(s, span, y, words);                                                                       \
            const QUAD quad = finish(filter_row(words, taps));                                                         \
            store_quad(at, FINISH);                                                                                    \
            at += strip.stride;                                                                                        \
        }                                                                                                              \
    }

// Rows before the first result fill the window.
#define SLIDE(REF, FETCH, PIXELS, ROW, COLUMN, FINISH)                                                                 \
    const Span span = span_of(s, strip.x - (PIXELS - 4 > 0 ? LEFT : 0), PIXELS);                                       \
    uint at = strip.at;                                                                                                \
    uvec2 window[8];                                                                                                   \
    [[unroll]] for (int i = 0; i < 8; i++)                                                                             \
        window[i] = uvec2(0);                                                                                          \
    int y = strip.y - 3;                                                                                               \
    [[dont_unroll]] for (; y < strip.y + 4; y++) {                                                                     \
        uint words[WORDS_OF(PIXELS)];                                                                                  \
        FETCH##_##REF(s, span, y, words);                                                                              \
        [[unroll]] for (int i = 0; i < 7; i++)                                                                         \
            window[i] = window[i + 1];                                                                                 \
        window[7] = ROW;                                                                                               \
    }                                                                                                                  \
    [[dont_unroll]] for (; y < strip.y + 4 + strip.rows; y++) {                                                        \
        uint words[WORDS_OF(PIXELS)];                                                                                  \
        FETCH##_##REF(s, span, y, words);                                                                              \
        [[unroll]] for (int i = 0; i < 7; i++)                                                                         \
            window[i] = window[i + 1];                                                                                 \
        window[7] = ROW;                                                                                               \
        const QUAD quad = finish(COLUMN(window, taps_y));                                                              \
        store_quad(at, FINISH);                                                                                        \
        at += strip.stride;                                                                                            \
    }
#define PREDICT_VERTICAL(REF, WORD, FINISH)                                                                            \
    FETCH_ROW(fetch_four, REF, 4, WORD)                                                                                \
    void predict_vertical_##REF(Source s, Strip strip) {                                                               \
        const Taps taps_y = load_taps(strip.filter_type, strip.my);                                                    \
        SLIDE(REF, fetch_four, 4, make_whole_row(words), filter_whole_column, FINISH)                                  \
    }
#define PREDICT_BOTH(REF, FINISH)                                                                                      \
    void predict_both_##REF(Source s, Strip strip) {                                                                   \
        const Taps taps_x = load_taps(strip.filter_type, strip.mx), taps_y = load_taps(strip.filter_type, strip.my);   \
        SLIDE(REF, fetch_taps, TAP_PIXELS, make_row(words, taps_x), filter_column, FINISH)                             \
    }

// What needs the most registers comes last.
#define PREDICT(REF, WORD, FINISH)                                                                                     \
    PREDICT_HORIZONTAL(REF, WORD, FINISH)                                                                              \
    PREDICT_VERTICAL(REF, WORD, FINISH)                                                                                \
    PREDICT_BOTH(REF, FINISH)                                                                                          \
    void predict_##REF(Source s, Strip strip) {                                                                        \
        if (strip.my == 0u)                                                                                            \
            predict_horizontal_##REF(s, strip);                                                                        \
        else if (strip.mx == 0u)                                                                                       \
            predict_vertical_##REF(s, strip);                                                                          \
        else                                                                                                           \
            predict_both_##REF(s, strip);                                                                              \
    }

// How words are found: kept ones take fewer instructions and more registers.
#if BITS > 8
#define WORD_OF_REF0 word_found
#define WORD_OF_REF1 word_found
#elif defined(PAIR) // the second reference's record is kept meanwhile
#define WORD_OF_REF0 word_found
#define WORD_OF_REF1 word_kept
#else
#define WORD_OF_REF0 word_kept
#endif
PREDICT(ref0, WORD_OF_REF0, quad)
#ifdef PAIR
PREDICT(ref1, WORD_OF_REF1, average_quad(load_quad(at), quad))
#endif

int signed_x(uint position) { return int(position << 16) >> 16; }
int signed_y(uint position) { return int(position) >> 16; }
uint pack_position(uint x, uint y) { return (x & 0xffffu) | y << 16; }

// What a block's record says of one of its planes. `is_chroma`: 1 or 0, by which a vector's unit goes.
uint source_of_block(uint x, uint y, uint mv, uint is_chroma) {
    const int shift = int(3u + is_chroma);
    return pack_position(x + uint(signed_x(mv) >> shift), y + uint(signed_y(mv) >> shift));
}
uint subpel_of_block(uint mv, uint is_chroma) {
    return (mv << (1u - is_chroma) & 15u) << DD_MC_MX0_SHIFT | (mv >> 16 << (1u - is_chroma) & 15u) << DD_MC_MY0_SHIFT;
}
DdMcRecord square_of_block(uint at, uint mv0, uint mv1, uint plane) {
    const uint is_chroma = min(plane, 1u);
    const uint x = (at >> DD_MC_BLOCK_COL_SHIFT & DD_MC_BLOCK_PLACE_MASK) << (3u - is_chroma);
    const uint y = (at >> DD_MC_BLOCK_ROW_SHIFT & DD_MC_BLOCK_PLACE_MASK) << (3u - is_chroma);
    const uint ctl = (at >> DD_MC_BLOCK_FILTER_SHIFT & 3u) << DD_MC_FILTER_SHIFT | plane << DD_MC_PLANE_SHIFT;
    const uint subpel = subpel_of_block(mv0, is_chroma), other = subpel_of_block(mv1, is_chroma);
    return DdMcRecord(pack_position(x, y), source_of_block(x, y, mv0, is_chroma), source_of_block(x, y, mv1, is_chroma),
                      ctl | subpel | other << (DD_MC_MX1_SHIFT - DD_MC_MX0_SHIFT));
}

DdMcGroup load_group(uint group) {
    const uint word = group * 4u;
    return DdMcGroup(words[word], words[word + 1u], words[word + 2u], words[word + 3u]);
}

// Without branches, and reading as much of each kind: behind the last record are coefficients.
DdMcRecord load_square(DdMcGroup g, uint index) {
#ifdef PAIR
    const uint block_words = 3u;
#else
    const uint block_words = 2u;
#endif
    const uint kind = g.how >> DD_MC_GROUP_KIND_SHIFT;
    const uint is_chroma = kind == DD_MC_CHROMA ? 1u : 0u;
    const uint at = g.records + (index >> is_chroma) * (kind == DD_MC_SQUARES ? 4u : block_words);
    const uint w0 = words[at], w1 = words[at + 1u], w2 = words[at + 2u], w3 = words[at + 3u];
    const DdMcRecord block = square_of_block(w0, w1, w2, is_chroma + (is_chroma & index));
    const bool is_block = kind != DD_MC_SQUARES;
    return DdMcRecord(is_block ? block.dst : w0, is_block ? block.src0 : w1, is_block ? block.src1 : w2,
                      is_block ? block.ctl : w3);
}

void main() {
    const DdMcGroup g = load_group(gl_WorkGroupID.x);
    const uint size_class = g.how & DD_MC_GROUP_CLASS_MASK, unit = g.unit + gl_LocalInvocationIndex;
    const uint rows_log2 = min(size_class + 2u, push.rows_log2), units_log2 = 2u * size_class + 2u - rows_log2;
    const uint index = unit >> units_log2, part = unit & ((1u << units_log2) - 1u);
    const uint px = (part & ((1u << size_class) - 1u)) * 4u, py = part >> size_class << rows_log2;

    const DdMcRecord r = load_square(g, min(index, g.squares - 1u));
    const uint plane = r.ctl >> DD_MC_PLANE_SHIFT & 3u;
    Strip strip;
    strip.filter_type = r.ctl >> DD_MC_FILTER_SHIFT & 3u;
    strip.rows = index < g.squares ? 1 << rows_log2 : NO_ROWS;
    strip.stride = plane_stride(push.dst, plane);
    strip.at = plane_offset(push.dst, plane) + ((r.dst >> 16) + py) * strip.stride +
               (((r.dst & 0xffffu) + px) >> 2) * QUAD_WORDS;
    strip.mx = r.ctl >> DD_MC_MX0_SHIFT & 15u;
    strip.my = r.ctl >> DD_MC_MY0_SHIFT & 15u;
    strip.x = signed_x(r.src0) + int(px);
    strip.y = signed_y(r.src0) + int(py);
    predict_ref0(source_plane(push.ref0, plane), strip);
#ifdef PAIR
    strip.mx = r.ctl >> DD_MC_MX1_SHIFT & 15u;
    strip.my = r.ctl >> DD_MC_MY1_SHIFT & 15u;
    strip.x = signed_x(r.src1) + int(px);
    strip.y = signed_y(r.src1) + int(py);
    predict_ref1(source_plane(push.ref1, plane), strip);
#endif
}
