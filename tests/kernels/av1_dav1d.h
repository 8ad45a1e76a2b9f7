/* SPDX-License-Identifier: BSD-2-Clause */
/* dav1d's own functions. Of in-loop filters, edges, blocks and stripes are walked here, pixels are filtered there. */
#ifndef DAEDALUS_TESTS_AV1_DAV1D_H
#define DAEDALUS_TESTS_AV1_DAV1D_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TestPlane {
    uint8_t *data;     /* pixels of 1 or 2 bytes */
    ptrdiff_t stride;  /* bytes */
    int width, height; /* of what is filtered */
} TestPlane;

/* A 4x4 block's edges: `mask` as dav1d's filters want them (sizes 0, 1, 2), for one column (row) of blocks. */
void test_deblock_line(int simd, int bit_depth, int chroma, int rows, uint8_t *at, ptrdiff_t stride,
                       const uint32_t mask[4], const uint8_t (*levels)[4], ptrdiff_t level_stride, int sharpness,
                       int length);

int test_cdef_direction(int simd, int bit_depth, const uint8_t *at, ptrdiff_t stride, unsigned *variance);
/* Filters one block of `out`, whose pixels still are those of `in`. `shape` 0: 8x8, 1: 4x8, 2: 4x4. */
void test_cdef_block(int simd, int bit_depth, int shape, const TestPlane *in, const TestPlane *out, int x, int y,
                     int pri, int sec, int dir, int damping);

typedef struct TestUnit {
    int wiener;
    int8_t horizontal[3], vertical[3];
    int set;
    int8_t weight[2];
} TestUnit;

/* Filters the rows first .. last of `out` from x on, `width` pixels wide. `deblocked`: before CDEF; `filtered`: after
   it. */
void test_restore_stripe(int simd, int bit_depth, const TestUnit *unit, const TestPlane *deblocked,
                         const TestPlane *filtered, const TestPlane *out, int x, int width, int first, int last);

/* Adds the residual of a transform block, and clears the coefficients. */
void test_add_residual(int simd, int bit_depth, int size, int type, uint8_t *at, ptrdiff_t stride, void *coefs,
                       int eob);
const uint16_t *test_scan(int size);
/* 0: two-dimensional, 1: column after column, 2: row after row */
int test_tx_class(int type);

#ifdef __cplusplus
}
#endif
#endif
