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

#ifdef __cplusplus
}
#endif
