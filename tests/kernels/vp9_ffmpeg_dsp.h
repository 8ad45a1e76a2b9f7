/* SPDX-License-Identifier: BSD-2-Clause */
/* FFmpeg's own VP9 functions, C or SIMD, as the tests call them. */
#ifndef DAEDALUS_TESTS_VP9_FFMPEG_DSP_H
#define DAEDALUS_TESTS_VP9_FFMPEG_DSP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TestVp9Dsp TestVp9Dsp;

/* Kept until the program ends. NULL: no memory. */
const TestVp9Dsp *test_vp9_dsp(int bit_depth, int simd);

typedef struct TestVp9Mc {
    int filter, average;
    int width, height;  /* width: 4, 8, 16, 32 or 64 */
    int mx, my;         /* 1/16 pixel */
    int step_x, step_y; /* 16: unscaled */
} TestVp9Mc;

void test_vp9_mc(const TestVp9Dsp *dsp, const TestVp9Mc *mc, uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *src,
                 ptrdiff_t src_stride);
/* Clears the block, as FFmpeg's functions do. kind: 0 to 3 DCT by size, 4 lossless. */
void test_vp9_residual(const TestVp9Dsp *dsp, int kind, uint8_t *dst, ptrdiff_t stride, void *block, int eob);

typedef struct TestVp9Picture {
    uint8_t *data[3];
    ptrdiff_t stride[3];
    int bytes_per_pixel, ss_h, ss_v;
} TestVp9Picture;

/* superblocks: VP9Filter, raster order. Returns 0, or -1 without memory. */
int test_vp9_loop_filter(const TestVp9Dsp *dsp, const TestVp9Picture *picture, const void *superblocks, int columns,
                         int rows, const uint8_t limit[64], const uint8_t mblimit[64]);

/* An intra block. */
typedef struct TestVp9IntraBlock {
    int col, row, columns, rows; /* 8x8 */
    int tile_col_start;          /* 8x8 */
    int quarters;                /* 1: 4x4 blocks, whose modes are raster */
    int tx, uvtx;                /* 0 to 3: 4x4 to 32x32 */
    uint8_t mode[4], uvmode;
    void *coefs[3]; /* aligned to 64; cleared as FFmpeg's functions do */
    uint8_t *eobs[3];
} TestVp9IntraBlock;

/* Blocks in the order of decoding, of a picture of so many 8x8 blocks in luma. Whole transform blocks are written
 * beyond it. Returns 0, or -1 without memory. */
int test_vp9_intra(const TestVp9Dsp *dsp, const TestVp9Picture *picture, int columns, int rows, int bit_depth,
                   const TestVp9IntraBlock *blocks, size_t count);

/* The order in which coefficients of a transform block of luma are coded, as places in the decoder's own block. tx: 0
 * to 3: 4x4 to 32x32; mode: that of intra prediction. */
const int16_t *test_vp9_scan(int tx, int mode);

#ifdef __cplusplus
}
#endif
#endif
