/* SPDX-License-Identifier: BSD-2-Clause */
/* dav1d's own functions of inter prediction. Pixels are of 1 or 2 bytes, strides in bytes (of values: in values). */
#ifndef DAEDALUS_TESTS_AV1_DAV1D_MC_H
#define DAEDALUS_TESTS_AV1_DAV1D_MC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TestMcDsp TestMcDsp;

/* Kept until the program ends. */
const TestMcDsp *test_mc_dsp(int simd, int bit_depth);

typedef struct TestSource {
    const uint8_t *pixels;
    ptrdiff_t stride;
    int horizontal, vertical; /* 0 regular, 1 smooth, 2 sharp, 3 bilinear (then both) */
    int mx, my;               /* 1/16 pixel */
} TestSource;

void test_put(const TestMcDsp *dsp, uint8_t *dst, ptrdiff_t stride, const TestSource *source, int w, int h);
/* Values w apart from row to row. */
void test_prep(const TestMcDsp *dsp, int16_t *values, const TestSource *source, int w, int h);
/* Of 8x8 pixels; mx, my as the functions take them. */
void test_warp_put(const TestMcDsp *dsp, uint8_t *dst, ptrdiff_t stride, const TestSource *source,
                   const int16_t shear[4]);
void test_warp_prep(const TestMcDsp *dsp, int16_t *values, ptrdiff_t stride, const TestSource *source,
                    const int16_t shear[4]);

typedef struct TestPair {
    const int16_t *first, *second;
    int w, h;
} TestPair;

void test_average(const TestMcDsp *dsp, uint8_t *dst, ptrdiff_t stride, const TestPair *pair);
void test_weighted(const TestMcDsp *dsp, uint8_t *dst, ptrdiff_t stride, const TestPair *pair, int sixteenths);
void test_masked(const TestMcDsp *dsp, uint8_t *dst, ptrdiff_t stride, const TestPair *pair, const uint8_t *mask);
/* Makes the mask of chroma, too. `layout`: 0: 4:4:4, 1: 4:2:2, 2: 4:2:0. */
void test_difference(const TestMcDsp *dsp, uint8_t *dst, ptrdiff_t stride, const TestPair *pair, int layout, int sign,
                     uint8_t *mask);

/* Blends packed pixels of a neighbour's prediction over the block's. `above`: from the upper edge, else from the
   left. */
void test_overlap(const TestMcDsp *dsp, uint8_t *dst, ptrdiff_t stride, const uint8_t *over, int w, int h, int above);

#ifdef __cplusplus
}
#endif
#endif
