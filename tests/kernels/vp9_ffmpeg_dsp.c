/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernels/vp9_ffmpeg_dsp.h"

#include "config.h"
#include "libavcodec/avcodec.h"
#include "libavcodec/vp9dec.h"
#include "libavutil/cpu.h"
#include "libavutil/frame.h"
#include "libavutil/mem.h"

struct TestVp9Dsp {
    VP9DSPContext table;
};

const TestVp9Dsp *test_vp9_dsp(int bit_depth, int simd) {
    static TestVp9Dsp *made[3][2];
    TestVp9Dsp **dsp = &made[(bit_depth - 8) / 2][!!simd];

    if (!*dsp && (*dsp = av_mallocz(sizeof(**dsp)))) {
        av_force_cpu_flags(simd ? -1 : 0);
        ff_vp9dsp_init(&(*dsp)->table, bit_depth, 0);
        av_force_cpu_flags(-1);
    }
    return *dsp;
}

static int size_index(int width) {
    int index = 0;

    for (; width < 64; width *= 2)
        index++;
    return index;
}

void test_vp9_mc(const TestVp9Dsp *dsp, const TestVp9Mc *mc, uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *src,
                 ptrdiff_t src_stride) {
    const int size = size_index(mc->width);

    if (mc->step_x == 16 && mc->step_y == 16)
        dsp->table.mc[size][mc->filter][mc->average][!!mc->mx][!!mc->my](dst, dst_stride, src, src_stride, mc->height,
                                                                         mc->mx, mc->my);
    else
        dsp->table.smc[size][mc->filter][mc->average](dst, dst_stride, src, src_stride, mc->height, mc->mx, mc->my,
                                                      mc->step_x, mc->step_y);
}

void test_vp9_residual(const TestVp9Dsp *dsp, int kind, uint8_t *dst, ptrdiff_t stride, void *block, int eob) {
    dsp->table.itxfm_add[kind][DCT_DCT](dst, stride, block, eob);
}

int test_vp9_loop_filter(const TestVp9Dsp *dsp, const TestVp9Picture *picture, const void *superblocks, int columns,
                         int rows, const uint8_t limit[64], const uint8_t mblimit[64]) {
    VP9Context *s = av_mallocz(sizeof(*s));
    AVCodecContext *ctx = av_mallocz(sizeof(*ctx));
    AVFrame *frame = av_frame_alloc();
    VP9Filter *filter = av_malloc(sizeof(*filter) * columns * rows);
    const int enough = s && ctx && frame && filter;

    if (enough) {
        memcpy(filter, superblocks, sizeof(*filter) * columns * rows);
        ctx->priv_data = s;
        s->s.frames[CUR_FRAME].tf.f = frame;
        s->dsp = dsp->table;
        s->bytesperpixel = picture->bytes_per_pixel;
        s->ss_h = picture->ss_h;
        s->ss_v = picture->ss_v;
        memcpy(s->filter_lut.lim_lut, limit, 64);
        memcpy(s->filter_lut.mblim_lut, mblimit, 64);
        for (int p = 0; p < 3; p++) {
            frame->data[p] = picture->data[p];
            frame->linesize[p] = picture->stride[p];
        }
        for (int row = 0; row < rows; row++)
            for (int col = 0; col < columns; col++)
                ff_vp9_loopfilter_sb(ctx, filter + row * columns + col, row, col,
                                     row * 64 * picture->stride[0] + col * 64 * picture->bytes_per_pixel,
                                     (row * 64 >> picture->ss_v) * picture->stride[1] +
                                         (col * 64 >> picture->ss_h) * picture->bytes_per_pixel);
    }
    av_free(filter);
    av_frame_free(&frame);
    av_free(ctx);
    av_free(s);
    return enough ? 0 : -1;
}
