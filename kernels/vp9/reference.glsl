// SPDX-License-Identifier: BSD-2-Clause
//
// Reading rows of a reference with coordinates clamped to its true size (VP9 specification, clause 8.5.2.4). A row
// comes as words that start with its first pixel.

layout(std430, set = 0, binding = DD_BIND_REF0) readonly buffer Ref0 {
    uint ref0[];
};
layout(std430, set = 0, binding = DD_BIND_REF1) readonly buffer Ref1 {
    uint ref1[];
};

#include "common/reference_row.glsl"

// Words that so many pixels take, and that they may lie in when they begin anywhere in a word.
#define WORDS_OF(PIXELS) ((PIXELS + PIXELS_PER_WORD - 1) / PIXELS_PER_WORD)
#define LOADS_OF(PIXELS) ((PIXELS + 2 * PIXELS_PER_WORD - 2) / PIXELS_PER_WORD)

Source source_plane(DdRefPlanes planes, uint plane) {
    const bool luma = plane == 0u;
    const uint last = luma ? planes.last[0] : planes.last[1];
    return Source(luma ? planes.offset[0] : plane == 1u ? planes.offset[1] : planes.offset[2],
                  luma ? planes.stride[0] : planes.stride[1], int(last & 0xffffu), int(last >> 16));
}

// Where the words of a row's pixels from `x` on lie in every row of a plane.
struct Span {
    int first;              // word of pixel x, as if the row had no ends
    int last;               // the row's last word that holds pixels
    int shift;              // of pixel x in its word
    uint raise;             // factor that moves a following word's pixels behind those of the one before, or 0
    int shift_last;         // of the row's last pixel in its word
    bool crosses;           // some of the words are not, or not fully, in the row
    uint at[LOAD_WORDS];    // words of the row to load
};

// `pixels`: of a row, up to eleven.
Span span_of(Source s, int x, int pixels) {
    Span span;
    span.first = x >> WORD_SHIFT;
    span.last = s.last_x >> WORD_SHIFT;
    span.shift = (x & (PIXELS_PER_WORD - 1)) << PIXEL_SHIFT;
    span.raise = span.shift == 0 ? 0u : 1u << (32 - span.shift);
    span.shift_last = (s.last_x & (PIXELS_PER_WORD - 1)) << PIXEL_SHIFT;
    span.crosses = x < 0 || x + pixels - 1 > s.last_x;
    [[unroll]] for (int i = 0; i < LOAD_WORDS; i++)
        span.at[i] = s.offset + uint(clamp(span.first + i, 0, span.last));
    return span;
}

// Where the i-th word of a row of pixels lies, from the row's place in a plane on: found anew for each row, or kept.
uint word_found(Span span, Source s, int i) { return s.offset + uint(clamp(span.first + i, 0, span.last)); }
uint word_kept(Span span, Source s, int i) { return span.at[i]; }

// PIXELS pixels of row y; WORD is one of the two above. The following word's pixels are moved by a multiplication,
// for which V3D has a unit that has less to do than the one for shifts; so are sums of bits that never meet, in place
// of "or".
#define FETCH_ROW(NAME, REF, PIXELS, WORD)                                                                             \
    void NAME##_##REF(Source s, Span span, int y, out uint words[WORDS_OF(PIXELS)]) {                                  \
        const uint row = uint(clamp(y, 0, s.last_y)) * s.stride;                                                       \
        uint w[LOADS_OF(PIXELS) + 1];                                                                                  \
        [[unroll]] for (int i = 0; i <= LOADS_OF(PIXELS); i++)                                                         \
            w[i] = i < LOADS_OF(PIXELS) ? REF[row + WORD(span, s, i)] : 0u;                                            \
        if (span.crosses) {                                                                                            \
            [[unroll]] for (int i = 0; i < LOADS_OF(PIXELS); i++)                                                      \
                w[i] = extended(span.last, span.shift_last, span.first + i, w[i]);                                     \
        }                                                                                                              \
        [[unroll]] for (int i = 0; i < WORDS_OF(PIXELS); i++)                                                          \
            words[i] = (w[i] >> span.shift) + w[i + 1] * span.raise;                                                   \
    }

#define UNPACK_ROW(WORDS, P, PIXELS)                                                                                   \
    float P[12];                                                                                                       \
    {                                                                                                                  \
        uint all[ROW_WORDS];                                                                                           \
        [[unroll]] for (int i = 0; i < ROW_WORDS; i++)                                                                 \
            all[i] = i < WORDS_OF(PIXELS) ? WORDS[min(i, WORDS_OF(PIXELS) - 1)] : 0u;                                  \
        unpack_row(all, P);                                                                                            \
    }

layout(std430, set = 0, binding = DD_BIND_TABLES) readonly buffer Tables {
    uint table[];
};

uint subpel_row(uint filter_type, uint subpel) { return DD_TABLE_SUBPEL + (filter_type * 16u + subpel) * 4u; }

Taps load_taps(uint filter_type, uint subpel) {
    const uint at = subpel_row(filter_type, subpel);
    return Taps(uint[4](table[at], table[at + 1u], table[at + 2u], table[at + 3u]));
}

// One tap of a row of the table.
float loaded_tap(uint row, uint i) { return unpackHalf2x16(table[row + (i >> 1)] >> (i & 1u) * 16u).x; }

// Rounds a filter's sum to a pixel; it already contains the half.
float to_pixel(float sum) { return floor(clamp(sum, 0.0, float(PIXEL_MAX))); }

// Rounded average of two predictions (clause 8.5.2.3), all pixels of a word at once: no carry crosses them.
uint average_word(uint a, uint b) {
#if BITS == 8
    return (a | b) - ((a ^ b) >> 1 & 0x7f7f7f7fu);
#else
    return (a | b) - ((a ^ b) >> 1 & 0x7fff7fffu);
#endif
}
