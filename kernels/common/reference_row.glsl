// SPDX-License-Identifier: BSD-2-Clause
//
// Rows of a reference, whose coordinates are clamped to its true size: what VP9 and AV1 share. A row has the pixels
// that four results of a filter need, and comes as words that start with its first one.
// ROW_TAPS: of the filter, 6 or 8.
#ifndef DAEDALUS_COMMON_REFERENCE_ROW_GLSL
#define DAEDALUS_COMMON_REFERENCE_ROW_GLSL

#ifndef ROW_TAPS
#define ROW_TAPS 8
#endif
const int ROW_PIXELS = ROW_TAPS + 3;

#if BITS == 8
const int PIXELS_PER_WORD = 4, WORD_SHIFT = 2, PIXEL_SHIFT = 3;
const uint PIXEL_MASK = 0xffu, REPLICATE = 0x01010101u;
#else
const int PIXELS_PER_WORD = 2, WORD_SHIFT = 1, PIXEL_SHIFT = 4;
const uint PIXEL_MASK = 0xffffu, REPLICATE = 0x00010001u;
#endif
// Words of a row, and of one that begins anywhere in a word.
const int ROW_WORDS = (ROW_PIXELS + PIXELS_PER_WORD - 1) / PIXELS_PER_WORD;
const int LOAD_WORDS = (ROW_PIXELS + 2 * (PIXELS_PER_WORD - 1)) / PIXELS_PER_WORD;

// Taps as half floats, whose unpacking costs nothing on V3D.
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

// The row goes on with its first pixel on the left and its last pixel on the right. last: the row's last word that
// holds pixels; shift_last: of the last pixel in it.
uint extended(int last, int shift_last, int index, uint word) {
    const uint left = (word & PIXEL_MASK) * REPLICATE, right = ((word >> shift_last) & PIXEL_MASK) * REPLICATE;
    const uint keep = index > last ? 0u : 0xffffffffu >> (32 - (1 << PIXEL_SHIFT) - shift_last);
    return index < 0 ? left : index < last ? word : (word & keep) | (right & ~keep);
}

// Filters run in fp32: all sums stay below 2^24, so they are exact. Pixels of up to 10 bits become floats through the
// mantissa of a half float with the exponent of 1024, whose unpacking costs nothing on V3D; as the taps of a filter
// add up to 1, the sum of products is 1024 too large then.
#if BITS == 8
const float PIXEL_BIAS = 1024.0;
void unpack_row(uint words[ROW_WORDS], out float p[12]) {
    [[unroll]] for (int i = 0; i < ROW_WORDS; i++) {
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
    [[unroll]] for (int i = 0; i < ROW_WORDS; i++) {
        const vec2 pair = unpackHalf2x16(words[i] + 0x64006400u);
        p[i * 2] = pair.x;
        p[i * 2 + 1] = pair.y;
    }
}
#else
const float PIXEL_BIAS = 0.0;
void unpack_row(uint words[ROW_WORDS], out float p[12]) {
    [[unroll]] for (int i = 0; i < ROW_WORDS; i++) {
        p[i * 2] = float(words[i] & 0xffffu);
        p[i * 2 + 1] = float(words[i] >> 16);
    }
}
#endif

#endif
