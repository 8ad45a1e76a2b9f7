// SPDX-License-Identifier: BSD-2-Clause
//
// dav1d's own AV1 DSP functions, out of the stock build's static library: what a CPU core does with the work that a
// kernel does on the GPU.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Dav1dAv1 Dav1dAv1;

// simd 0: the plain C functions. NULL: no memory.
Dav1dAv1 *dav1d_av1_open(int bit_depth, int simd);
void dav1d_av1_close(Dav1dAv1 **dsp);

// A picture that is filtered in place, and the same pixels before that.
typedef struct BenchPicture {
    uint8_t *pixels[3];
    const uint8_t *before[3];
    ptrdiff_t stride[3];         // bytes
    unsigned blocks_w, blocks_h; // 8x8 of luma
    unsigned planes, ss_h, ss_v;
} BenchPicture;

// CDEF of all blocks. Strengths: primary << 2 | secondary, by the index of each 64x64.
typedef struct BenchCdef {
    const uint8_t *index; // raster
    unsigned index_stride;
    unsigned damping; // of luma
    uint8_t luma[8], chroma[8];
} BenchCdef;
void dav1d_av1_cdef(const Dav1dAv1 *dsp, const BenchPicture *picture, const BenchCdef *cdef);

// Deblocks one column (row) of edges, for a sharpness of 0. `mask`: a bit a 4x4 block, for each size of filter.
typedef struct BenchEdges {
    int chroma, rows; // rows: edges between rows, else between columns
    uint32_t mask[4];
    const uint8_t (*levels)[4]; // of the first block; the byte that counts is the first one
    ptrdiff_t level_stride;     // blocks
    int length;                 // blocks
} BenchEdges;
void dav1d_av1_deblock(const Dav1dAv1 *dsp, uint8_t *at, ptrdiff_t stride, const BenchEdges *edges);

// Restores a part of a stripe in place. Pixels on its left are taken from `before`, the rows around it from `lines`:
// two above, at rows 0 and 1, and two below, at rows 6 and 7.
typedef struct BenchRestoration {
    int wiener;
    int8_t horizontal[3], vertical[3];
    int set;
    int8_t weight[2];
    const uint8_t *lines;
    int width, height;
    int left, right, above, below; // whether there are pixels
} BenchRestoration;
void dav1d_av1_restore(const Dav1dAv1 *dsp, uint8_t *at, const uint8_t *before, ptrdiff_t stride,
                       const BenchRestoration *restoration);

// Sizes and types as DdAv1Residual numbers them. Clears the coefficients.
void dav1d_av1_residual(const Dav1dAv1 *dsp, int size, int type, uint8_t *at, ptrdiff_t stride, void *coefs, int eob);
// Position of each coefficient of a two-dimensional transform.
const uint16_t *dav1d_av1_scan(int size);

#ifdef __cplusplus
}
#endif
