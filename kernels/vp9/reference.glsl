// SPDX-License-Identifier: BSD-2-Clause
//
// Reading rows of a reference with coordinates clamped to its true size (VP9 specification, clause 8.5.2.4).
// A row of twelve pixels from any position comes as words that start with its first pixel.

layout(std430, set = 0, binding = DD_BIND_REF0) readonly buffer Ref0 {
    uint ref0[];
};
layout(std430, set = 0, binding = DD_BIND_REF1) readonly buffer Ref1 {
    uint ref1[];
};

#if BITS == 8
const int PIXELS_PER_WORD = 4, WORD_SHIFT = 2, PIXEL_SHIFT = 3;
const int ROW_WORDS = 3; // of twelve pixels
const uint PIXEL_MASK = 0xffu, REPLICATE = 0x01010101u;
#else
const int PIXELS_PER_WORD = 2, WORD_SHIFT = 1, PIXEL_SHIFT = 4;
const int ROW_WORDS = 6;
const uint PIXEL_MASK = 0xffffu, REPLICATE = 0x00010001u;
#endif

// A plane of the chosen reference.
struct Source {
    uint offset; // words
    uint stride;
    int last_x, last_y;
};

Source source_plane(DdRefPlanes planes, uint plane) {
    const bool luma = plane == 0u;
    const uint last = luma ? planes.last[0] : planes.last[1];
    return Source(luma ? planes.offset[0] : plane == 1u ? planes.offset[1] : planes.offset[2],
                  luma ? planes.stride[0] : planes.stride[1], int(last & 0xffffu), int(last >> 16));
}

bool inside(Source s, int x) { return x >= 0 && x + 11 <= s.last_x; }

// Word `index` of a row that starts at word `row`, as if the row went on with its first pixel on the left and its
// last pixel on the right.
#define CLAMPED_WORD(REF)                                                                                              \
    uint clamped_word_##REF(Source s, uint row, int index) {                                                           \
        const int last = s.last_x >> WORD_SHIFT;                                                                       \
        const int in_last = (s.last_x & (PIXELS_PER_WORD - 1)) << PIXEL_SHIFT;                                         \
        const uint word = REF[row + uint(clamp(index, 0, last))];                                                      \
        const uint left = (word & PIXEL_MASK) * REPLICATE;                                                             \
        const uint right = ((word >> in_last) & PIXEL_MASK) * REPLICATE;                                               \
        const uint keep = index > last ? 0u : 0xffffffffu >> (32 - (1 << PIXEL_SHIFT) - in_last);                      \
        return index < 0 ? left : index < last ? word : (word & keep) | (right & ~keep);                               \
    }

// Pixels x .. x + 11 of row y.
#define FETCH_ROW(REF)                                                                                                 \
    CLAMPED_WORD(REF)                                                                                                  \
    void fetch_row_##REF(Source s, bool in_x, int x, int y, out uint words[ROW_WORDS]) {                               \
        const uint row = s.offset + uint(clamp(y, 0, s.last_y)) * s.stride;                                            \
        const int first = x >> WORD_SHIFT;                                                                             \
        uint w[ROW_WORDS + 1];                                                                                         \
        if (in_x) {                                                                                                    \
            [[unroll]] for (int i = 0; i <= ROW_WORDS; i++)                                                                       \
                w[i] = REF[row + uint(first + i)];                                                                     \
        } else {                                                                                                       \
            [[unroll]] for (int i = 0; i <= ROW_WORDS; i++)                                                                       \
                w[i] = clamped_word_##REF(s, row, first + i);                                                          \
        }                                                                                                              \
        const int right = (x & (PIXELS_PER_WORD - 1)) << PIXEL_SHIFT;                                                  \
        [[unroll]] for (int i = 0; i < ROW_WORDS; i++) /* a shift by 32 is undefined */                                           \
            words[i] = w[i] >> right | w[i + 1] << 1 << (31 - right);                                                  \
    }

// Filters run in fp32: all sums stay below 2^24, so they are exact. Pixels of up to 10 bits become floats through the
// mantissa of a half float with the exponent of 1024, whose unpacking costs nothing on V3D; as the taps of a filter
// add up to 1, the sum of products is 1024 too large then.
#if BITS == 8
const float PIXEL_BIAS = 1024.0;
void unpack_row(uint words[ROW_WORDS], out float p[12]) {
    [[unroll]] for (int i = 0; i < 3; i++) {
        const vec2 even = unpackHalf2x16((words[i] & 0x00ff00ffu) | 0x64006400u);
        const vec2 odd = unpackHalf2x16((words[i] >> 8 & 0x00ff00ffu) | 0x64006400u);
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
        const vec2 pair = unpackHalf2x16(words[i] | 0x64006400u);
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

layout(std430, set = 0, binding = DD_BIND_TABLES) readonly buffer Tables {
    float table[];
};

uint subpel_row(uint filter_type, uint subpel) { return DD_TABLE_SUBPEL + (filter_type * 16u + subpel) * 8u; }

void load_taps(uint at, out float taps[8]) {
    [[unroll]] for (uint i = 0u; i < 8u; i++)
        taps[i] = table[at + i];
}

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
