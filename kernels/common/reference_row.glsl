// SPDX-License-Identifier: BSD-2-Clause
//
// Rows of a reference, whose coordinates are clamped to its true size: what VP9 and AV1 share. A row of eleven pixels,
// what four results of an eight-tap filter need, comes as words that start with its first pixel.
#ifndef DAEDALUS_COMMON_REFERENCE_ROW_GLSL
#define DAEDALUS_COMMON_REFERENCE_ROW_GLSL

#if BITS == 8
const int PIXELS_PER_WORD = 4, WORD_SHIFT = 2, PIXEL_SHIFT = 3;
const int ROW_WORDS = 3, LOAD_WORDS = 4; // eleven pixels, and eleven from anywhere in a word
const uint PIXEL_MASK = 0xffu, REPLICATE = 0x01010101u;
#else
const int PIXELS_PER_WORD = 2, WORD_SHIFT = 1, PIXEL_SHIFT = 4;
const int ROW_WORDS = 6, LOAD_WORDS = 6;
const uint PIXEL_MASK = 0xffffu, REPLICATE = 0x00010001u;
#endif

// Eight taps as half floats, whose unpacking costs nothing on V3D.
struct Taps {
    uint pair[4];
};
float tap(Taps taps, int t) {
    const vec2 pair = unpackHalf2x16(taps.pair[t >> 1]);
    return (t & 1) == 0 ? pair.x : pair.y;
}

// A plane of the chosen reference.
struct Source {
    uint offset; // words
    uint stride;
    int last_x, last_y;
};

// Where the words of eleven pixels from `x` on lie in every row of a plane.
struct Span {
    int first;              // word of pixel x, as if the row had no ends
    int last;               // the row's last word that holds pixels
    int shift;              // of pixel x in its word
    uint raise;             // factor that moves a following word's pixels behind those of the one before, or 0
    int shift_last;         // of the row's last pixel in its word
    bool crosses;           // some of the words are not, or not fully, in the row
    uint at[LOAD_WORDS]; // words of the row to load
};

Span span_of(Source s, int x) {
    Span span;
    span.first = x >> WORD_SHIFT;
    span.last = s.last_x >> WORD_SHIFT;
    span.shift = (x & (PIXELS_PER_WORD - 1)) << PIXEL_SHIFT;
    span.raise = span.shift == 0 ? 0u : 1u << (32 - span.shift);
    span.shift_last = (s.last_x & (PIXELS_PER_WORD - 1)) << PIXEL_SHIFT;
    span.crosses = x < 0 || x + 10 > s.last_x;
    [[unroll]] for (int i = 0; i < LOAD_WORDS; i++)
        span.at[i] = s.offset + uint(clamp(span.first + i, 0, span.last));
    return span;
}

// The row goes on with its first pixel on the left and its last pixel on the right.
uint extended(Span span, int index, uint word) {
    const uint left = (word & PIXEL_MASK) * REPLICATE, right = ((word >> span.shift_last) & PIXEL_MASK) * REPLICATE;
    const uint keep = index > span.last ? 0u : 0xffffffffu >> (32 - (1 << PIXEL_SHIFT) - span.shift_last);
    return index < 0 ? left : index < span.last ? word : (word & keep) | (right & ~keep);
}

// Eleven pixels out of the words that hold them.
void align_row(Span span, uint w[LOAD_WORDS], out uint words[ROW_WORDS]) {
    if (span.crosses) {
        [[unroll]] for (int i = 0; i < LOAD_WORDS; i++)
            w[i] = extended(span, span.first + i, w[i]);
    }
    [[unroll]] for (int i = 0; i < ROW_WORDS; i++) // a shift by 32 is undefined
        words[i] = w[i] >> span.shift | (i + 1 < LOAD_WORDS ? w[min(i + 1, LOAD_WORDS - 1)] << 1 << (31 - span.shift) : 0u);
}

// Filters run in fp32: all sums stay below 2^24, so they are exact. Pixels of up to 10 bits become floats through the
// mantissa of a half float with the exponent of 1024, whose unpacking costs nothing on V3D; as the taps of a filter
// add up to 1, the sum of products is 1024 too large then.
#if BITS == 8
const float PIXEL_BIAS = 1024.0;
void unpack_row(uint words[ROW_WORDS], out float p[12]) {
    [[unroll]] for (int i = 0; i < 3; i++) {
        const vec2 even = unpackHalf2x16((words[i] & 0x00ff00ffu) + 0x64006400u);
        const vec2 odd = unpackHalf2x16((words[i] >> 8 & 0x00ff00ffu) + 0x64006400u);
        p[i * 4] = even.x;
        p[i * 4 + 1] = odd.x;
        p[i * 4 + 2] = even.y;
        p[i * 4 + 3] = odd.y;
    }
}
#elif BITS == 10
const float PIXEL_BIAS = 1024.0;
void unpack_row(uint words[ROW_WORDS], out float p[12]) {
    [[unroll]] for (int i = 0; i < 6; i++) {
        const vec2 pair = unpackHalf2x16(words[i] + 0x64006400u);
        p[i * 2] = pair.x;
        p[i * 2 + 1] = pair.y;
    }
}
#else
const float PIXEL_BIAS = 0.0;
void unpack_row(uint words[ROW_WORDS], out float p[12]) {
    [[unroll]] for (int i = 0; i < 6; i++) {
        p[i * 2] = float(words[i] & 0xffffu);
        p[i * 2 + 1] = float(words[i] >> 16);
    }
}
#endif

#endif
