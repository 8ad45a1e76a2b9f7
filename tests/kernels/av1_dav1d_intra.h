/* SPDX-License-Identifier: BSD-2-Clause */
/* dav1d's own functions of intra prediction. Pixels are of 1 or 2 bytes, strides in bytes. */
#ifndef DAEDALUS_TESTS_AV1_DAV1D_INTRA_H
#define DAEDALUS_TESTS_AV1_DAV1D_INTRA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TestIntraDsp TestIntraDsp;

/* Kept until the program ends. */
const TestIntraDsp *test_intra_dsp(int simd, int bit_depth);

/* Modes as dav1d numbers them. */
enum {
    TEST_INTRA_DC,
    TEST_INTRA_V,
    TEST_INTRA_H,
    TEST_INTRA_D45,
    TEST_INTRA_D135,
    TEST_INTRA_D113,
    TEST_INTRA_D157,
    TEST_INTRA_D203,
    TEST_INTRA_D67,
    TEST_INTRA_SMOOTH,
    TEST_INTRA_SMOOTH_V,
    TEST_INTRA_SMOOTH_H,
    TEST_INTRA_PAETH,
    TEST_INTRA_FILTER,
};

typedef struct TestIntra {
    const uint8_t *at; /* the block in its picture */
    ptrdiff_t stride;
    int w, h;
    int has_above, has_left;
    int above, left; /* pixels of the edges that may be read */
    int mode;
    int delta;         /* of directions: -3 to 3; recursive: the filter's mode */
    int filters_edges; /* 1: the sequence has intra edge filters */
    int smooth;        /* 1: a neighbour is smooth */
    int max_w, max_h;  /* pixels up to the end of the last 8x8 of luma */
} TestIntra;

void test_intra(const TestIntraDsp *dsp, const TestIntra *b, uint8_t *to, ptrdiff_t stride);

typedef struct TestLuma {
    const uint8_t *pixels;
    ptrdiff_t stride;
    int layout;       /* 0: 4:2:0, 1: 4:2:2, 2: 4:4:4 */
    int w_pad, h_pad; /* 4 pixels of chroma that have no luma */
} TestLuma;
void test_chroma_from_luma(const TestIntraDsp *dsp, const TestIntra *b, const TestLuma *luma, int alpha, uint8_t *to,
                           ptrdiff_t stride);
/* `indices`: two a byte, w / 2 bytes a row; eight pixels of `palette`, aligned. */
void test_palette(const TestIntraDsp *dsp, const void *palette, const uint8_t *indices, int w, int h, uint8_t *to,
                  ptrdiff_t stride);
/* Packed pixels over those at `to`. */
void test_blend(const TestIntraDsp *dsp, const uint8_t *over, const uint8_t *mask, int w, int h, uint8_t *to,
                ptrdiff_t stride);

#ifdef __cplusplus
}
#endif
#endif
