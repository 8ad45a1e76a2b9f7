// SPDX-License-Identifier: BSD-2-Clause
#include "ffmpeg_vp9.h"

#include "libavcodec/avcodec.h"
#include "libavcodec/vp9data.h"
#include "libavcodec/vp9dec.h"
#include "libavcodec/vp9dsp.h"
#include "libavutil/cpu.h"
#include "libavutil/frame.h"
#include "libavutil/mem.h"

#include <string.h>

_Static_assert(sizeof(VP9Filter) == 192, "the layout that dd_vp9_loop_filter takes");

// The loop filter is reached through a decoder's context: this is one of which only that part is filled.
struct FfmpegVp9 {
    AVCodecContext *avctx;
    VP9Context *vp9;
    AVFrame *frame;
};

FfmpegVp9 *ffmpeg_vp9_open(int bit_depth, int simd) {
    FfmpegVp9 *dsp = av_mallocz(sizeof(*dsp));
    if (!dsp)
        return NULL;
    dsp->avctx = avcodec_alloc_context3(NULL);
    dsp->vp9 = av_mallocz(sizeof(*dsp->vp9));
    dsp->frame = av_frame_alloc();
    if (!dsp->avctx || !dsp->vp9 || !dsp->frame) {
        ffmpeg_vp9_close(&dsp);
        return NULL;
    }
    dsp->avctx->priv_data = dsp->vp9;
    dsp->vp9->bytesperpixel = bit_depth > 8 ? 2 : 1;
    dsp->vp9->s.frames[CUR_FRAME].tf.f = dsp->frame;
    av_force_cpu_flags(simd ? -1 : 0);
    ff_vp9dsp_init(&dsp->vp9->dsp, bit_depth, 1);
    av_force_cpu_flags(-1);
    return dsp;
}

void ffmpeg_vp9_close(FfmpegVp9 **dsp) {
    if (!*dsp)
        return;
    if ((*dsp)->avctx)
        (*dsp)->avctx->priv_data = NULL;
    av_freep(&(*dsp)->vp9);
    av_frame_free(&(*dsp)->frame);
    avcodec_free_context(&(*dsp)->avctx);
    av_freep(dsp);
}

void ffmpeg_vp9_mc(const FfmpegVp9 *dsp, unsigned size, unsigned filter, int average, uint8_t *dst,
                   ptrdiff_t dst_stride, const uint8_t *ref, ptrdiff_t ref_stride, int mx, int my) {
    const int index = 6 - av_log2(size); // 64: 0, 4: 4
    dsp->vp9->dsp.mc[index][filter][average][mx != 0][my != 0](dst, dst_stride, ref, ref_stride, (int)size, mx, my);
}

void ffmpeg_vp9_itx(const FfmpegVp9 *dsp, unsigned kind, uint8_t *dst, ptrdiff_t stride, int16_t *coefs, int eob) {
    dsp->vp9->dsp.itxfm_add[kind][DCT_DCT](dst, stride, coefs, eob);
}

const int16_t *ffmpeg_vp9_scan(unsigned kind) {
    return ff_vp9_scans[kind][DCT_DCT];
}

void ffmpeg_vp9_loop_filter(FfmpegVp9 *dsp, uint8_t *const planes[3], const ptrdiff_t strides[3], unsigned ss_h,
                            unsigned ss_v, const void *superblocks, unsigned sb_cols, unsigned sb_rows,
                            const uint8_t *limit, const uint8_t *mblimit) {
    VP9Context *s = dsp->vp9;
    const VP9Filter *lflvl = superblocks;
    for (int p = 0; p < 3; p++) {
        dsp->frame->data[p] = planes[p];
        dsp->frame->linesize[p] = (int)strides[p];
    }
    s->ss_h = (uint8_t)ss_h;
    s->ss_v = (uint8_t)ss_v;
    memcpy(s->filter_lut.lim_lut, limit, 64);
    memcpy(s->filter_lut.mblim_lut, mblimit, 64);
    for (unsigned row = 0; row < sb_rows; row++)
        for (unsigned col = 0; col < sb_cols; col++, lflvl++) {
            VP9Filter filter = *lflvl; // its argument is not const
            const ptrdiff_t x = (ptrdiff_t)col * 64 * s->bytesperpixel;
            ff_vp9_loopfilter_sb(dsp->avctx, &filter, (int)row * 8, (int)col * 8, (ptrdiff_t)row * 64 * strides[0] + x,
                                 ((ptrdiff_t)row * 64 >> ss_v) * strides[1] + (x >> ss_h));
        }
}
