/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernels/vp9_ffmpeg_dsp.h"

#include "config.h"
#include "libavcodec/avcodec.h"
#include "libavcodec/vp9data.h"
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

/* Only inter blocks wait. FFmpeg's own function would need all of its decoders. */
void ff_progress_frame_await(const ProgressFrame *f, int progress) {
    (void)f;
    (void)progress;
}

/* What reconstruction of intra blocks looks at. */
struct intra_state {
    VP9Context s;
    VP9TileData td;
    VP9Block b;
    AVFrame *frame;
};

static enum BlockSize block_size(const TestVp9IntraBlock *block) {
    int bs = BS_64x64;

    while (bs < BS_8x8 && (ff_vp9_bwh_tab[1][bs][0] != block->columns || ff_vp9_bwh_tab[1][bs][1] != block->rows))
        bs++;
    return block->quarters ? BS_4x4 : bs;
}

static void set_place(struct intra_state *state, const TestVp9Picture *picture, const TestVp9IntraBlock *block) {
    VP9TileData *td = &state->td;

    td->row = block->row;
    td->row7 = block->row & 7;
    td->col = block->col;
    td->col7 = block->col & 7;
    td->tile_col_start = block->tile_col_start;
    for (int p = 0; p < 3; p++) {
        const int height = 8 >> (p ? picture->ss_v : 0), width = 8 >> (p ? picture->ss_h : 0);
        uint8_t *row = picture->data[p] + block->row * height * picture->stride[p];

        state->s.intra_pred_data[p] = row - picture->stride[p]; /* nothing was filtered */
        td->dst[p] = row + block->col * width * picture->bytes_per_pixel;
    }
}

static void intra_block(struct intra_state *state, const TestVp9Picture *picture, const TestVp9IntraBlock *block) {
    VP9TileData *td = &state->td;
    const ptrdiff_t y_off = block->row * 8 * picture->stride[0] + block->col * 8 * picture->bytes_per_pixel;
    const ptrdiff_t uv_off = block->row * (8 >> picture->ss_v) * picture->stride[1] +
                             block->col * (8 >> picture->ss_h) * picture->bytes_per_pixel;

    set_place(state, picture, block);
    state->b.bs = block_size(block);
    state->b.tx = block->tx;
    state->b.uvtx = block->uvtx;
    memcpy(state->b.mode, block->mode, sizeof(state->b.mode));
    state->b.uvmode = block->uvmode;
    td->block = block->coefs[0];
    td->eob = block->eobs[0];
    for (int p = 0; p < 2; p++) {
        td->uvblock[p] = block->coefs[1 + p];
        td->uveob[p] = block->eobs[1 + p];
    }
    (picture->bytes_per_pixel == 1 ? ff_vp9_intra_recon_8bpp : ff_vp9_intra_recon_16bpp)(td, y_off, uv_off);
}

static void set_picture(struct intra_state *state, const TestVp9Dsp *dsp, const TestVp9Picture *picture) {
    VP9Context *s = &state->s;

    s->dsp = dsp->table;
    s->ss_h = picture->ss_h;
    s->ss_v = picture->ss_v;
    s->bytesperpixel = picture->bytes_per_pixel;
    s->s.frames[CUR_FRAME].tf.f = state->frame;
    for (int p = 0; p < 3; p++) {
        state->frame->data[p] = picture->data[p];
        state->frame->linesize[p] = picture->stride[p];
    }
    state->td.s = s;
    state->td.b = &state->b;
    state->td.y_stride = picture->stride[0];
    state->td.uv_stride = picture->stride[1];
}

int test_vp9_intra(const TestVp9Dsp *dsp, const TestVp9Picture *picture, int columns, int rows, int bit_depth,
                   const TestVp9IntraBlock *blocks, size_t count) {
    struct intra_state *state = av_mallocz(sizeof(*state));
    const int enough = state && (state->frame = av_frame_alloc());

    if (enough) {
        set_picture(state, dsp, picture);
        state->s.cols = columns;
        state->s.rows = rows;
        state->s.s.h.bpp = bit_depth;
        for (size_t i = 0; i < count; i++)
            intra_block(state, picture, blocks + i);
        av_frame_free(&state->frame);
    }
    av_free(state);
    return enough ? 0 : -1;
}

const int16_t *test_vp9_scan(int tx, int mode) {
    return ff_vp9_scans[tx][ff_vp9_intra_txfm_type[mode]];
}
