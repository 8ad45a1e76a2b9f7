// SPDX-License-Identifier: BSD-2-Clause
//
// FFmpeg's own VP9 DSP functions, out of the stock build's static library: what a CPU core does with the work that a
// kernel does on the GPU.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct FfmpegVp9 FfmpegVp9;

// simd 0: the plain C functions. NULL: no memory.
FfmpegVp9 *ffmpeg_vp9_open(int bit_depth, int simd);
void ffmpeg_vp9_close(FfmpegVp9 **dsp);

// size: 4 to 64; filter: 0 smooth, 1 regular, 2 sharp, 3 bilinear; mx, my: 1/16 pixel
void ffmpeg_vp9_mc(const FfmpegVp9 *dsp, unsigned size, unsigned filter, int average, uint8_t *dst,
                   ptrdiff_t dst_stride, const uint8_t *ref, ptrdiff_t ref_stride, int mx, int my);
// kind: 0 to 3 DCT 4x4 to 32x32, 4 lossless WHT. Clears the coefficients.
void ffmpeg_vp9_itx(const FfmpegVp9 *dsp, unsigned kind, uint8_t *dst, ptrdiff_t stride, int16_t *coefs, int eob);
// The default scan of a transform: position of each coefficient.
const int16_t *ffmpeg_vp9_scan(unsigned kind);

// The loop filter of a whole picture, superblock after superblock. superblocks: as dd_vp9_loop_filter takes them.
void ffmpeg_vp9_loop_filter(FfmpegVp9 *dsp, uint8_t *const planes[3], const ptrdiff_t strides[3], unsigned ss_h,
                            unsigned ss_v, const void *superblocks, unsigned sb_cols, unsigned sb_rows,
                            const uint8_t *limit, const uint8_t *mblimit);

#ifdef __cplusplus
}
#endif
