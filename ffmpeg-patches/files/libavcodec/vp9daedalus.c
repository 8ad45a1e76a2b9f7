/*
 * VP9 reconstruction with libdaedalus
 *
 * This file is part of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 *
 * FFmpeg is distributed in the hope that it will be useful,
 * but WITHOUT ANY WARRANTY; without even the implied warranty of
 * MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
 * Lesser General Public License for more details.
 *
 * You should have received a copy of the GNU Lesser General Public
 * License along with FFmpeg; if not, write to the Free Software
 * Foundation, Inc., 51 Franklin Street, Fifth Floor, Boston, MA 02110-1301 USA
 */

#include "config.h"

#include <string.h>

#include <daedalus/daedalus.h>
#include <daedalus/debug.h>

#include "libavutil/attributes.h"
#include "libavutil/avassert.h"
#include "libavutil/frame.h"
#include "libavutil/hwcontext.h"
#include "libavutil/hwcontext_daedalus.h"
#include "libavutil/imgutils.h"
#include "libavutil/intreadwrite.h"
#include "libavutil/mem.h"

#include "avcodec.h"
#include "codec_internal.h"
#include "daedalus.h"
#include "daedalus_compat.h"
#include "internal.h"
#include "progressframe.h"
#include "threadprogress.h"
#include "vp9daedalus.h"
#include "vp9data.h"
#include "vp9dec.h"

extern const FFCodec ff_vp9_decoder;

// libdaedalus reads the decoder's own arrays
_Static_assert(sizeof(VP9Filter) == sizeof(DdVp9FilterSuperblock) &&
               offsetof(VP9Filter, mask) == offsetof(DdVp9FilterSuperblock, mask),
               "layout of the loop filter's superblocks");
_Static_assert(FILTER_8TAP_SMOOTH == 0 && FILTER_8TAP_REGULAR == 1 &&
               FILTER_8TAP_SHARP == 2 && FILTER_BILINEAR == 3, "order of the filters");
_Static_assert(VERT_PRED == DD_VP9_INTRA_V && HOR_PRED == DD_VP9_INTRA_H && DC_PRED == DD_VP9_INTRA_DC &&
               DIAG_DOWN_LEFT_PRED == DD_VP9_INTRA_D45 && DIAG_DOWN_RIGHT_PRED == DD_VP9_INTRA_D135 &&
               VERT_RIGHT_PRED == DD_VP9_INTRA_D117 && HOR_DOWN_PRED == DD_VP9_INTRA_D153 &&
               VERT_LEFT_PRED == DD_VP9_INTRA_D63 && HOR_UP_PRED == DD_VP9_INTRA_D207 &&
               TM_VP8_PRED == DD_VP9_INTRA_TM, "order of the intra modes");

/* A place in the buffers of a tile. */
typedef struct Position {
    unsigned blocks;
    unsigned pixels; ///< of luma
} Position;

typedef struct Superblock {
    Position at;
    unsigned intra; ///< number of its intra blocks
} Superblock;

/* An intra block of a superblock. */
typedef struct IntraBlock {
    uint8_t row, col; ///< 8x8 blocks from the superblock on
    Position at;
} IntraBlock;

#define MAX_BLOCKS 64 ///< of a superblock

typedef struct Recorder {
    DdVp9Recorder *to;
    const Superblock *last; ///< the one that was parsed last
    unsigned intra_blocks, inter_blocks, residuals;
    unsigned taken_intra; ///< intra blocks that were recorded, of which intra_blocks has none
    unsigned touched;   ///< pixels of luma, from the start of the tile's buffer on, whose coefficients may not be zero
    int error;          ///< the first one; the CPU has to do the frame
} Recorder;

enum Step {
    STEP_PARSE,   ///< pass 1
    STEP_RECORD,  ///< the pass that records, if pass 1 doesn't
    STEP_PREDICT, ///< the CPU's pass before the GPU reconstructs
    STEP_FINISH,  ///< the CPU's pass after the GPU has reconstructed
};

typedef struct VP9DaedalusContext {
    DdDevice *device; ///< owned by AVCodecContext.hw_device_ctx
    DdSession *session;
    int undecided; ///< 1 while it isn't known whether there is a GPU
    int absent;    ///< 1 if there turned out to be none
    int told_unsupported;

    DdFrame *frame;
    DdPlan plan;
    enum Step step;
    int record_apart; ///< 1 if not pass 1 records, but a pass of its own
    int scaled;       ///< 1 if a reference has another size
    int take_inter;   ///< 1 if recorded blocks leave nothing for a later pass, but for intra blocks
    int take_intra;   ///< 1 if intra blocks are recorded too
    int at_once;      ///< 1 if the frame has intra blocks alone, and pass 1 reconstructs them
    AVRefStructPool *parsed_pool; ///< of VP9Frame.parsed
    DdOutcome outcome;
    int64_t since; ///< when what the thread does now began, for libdaedalus's timeline
    Recorder *recorders;
    unsigned recorders_size;
    Superblock *superblocks;
    unsigned superblocks_size;
    IntraBlock *intra; ///< MAX_BLOCKS for each superblock
    unsigned intra_size;
    // the sums of all recorders
    unsigned intra_blocks, inter_blocks, residuals, taken_intra;
    int gpu_recon, gpu_filter;
    int cpu_predict, cpu_finish; ///< VP9_RECON_* of the CPU's passes
} VP9DaedalusContext;

/**
 * Say whether the device has a GPU that may be given work, or may turn out to
 * have one.
 */
static int may_have_gpu(const DdDevice *device)
{
    return dd_device_opening(device) || dd_device_has_gpu(device);
}

/**
 * The device, or NULL if there is none that may be given work, or makes pictures.
 */
static DdDevice *find_device(const AVCodecContext *avctx)
{
    const AVDaedalusDeviceContext *hwctx = ff_daedalus_device(avctx);

    return hwctx && (may_have_gpu(hwctx->device) || dd_device_exports(hwctx->device)) ? hwctx->device : NULL;
}

int ff_vp9_daedalus_overlaps(const AVCodecContext *avctx)
{
    const DdDevice *device = avctx->codec == &ff_vp9_decoder.p ? find_device(avctx) : NULL;

    return device && may_have_gpu(device);
}

int ff_vp9_daedalus_overlaps_now(const AVCodecContext *avctx)
{
    const DdDevice *device = find_device(avctx);

    return device && !dd_device_opening(device) && dd_device_has_gpu(device);
}

static int parsed_init(AVRefStructOpaque opaque, void *obj)
{
    return ff_thread_progress_init(obj, 1);
}

static void parsed_reset(AVRefStructOpaque opaque, void *obj)
{
    ff_thread_progress_reset(obj);
}

static void parsed_free_entry(AVRefStructOpaque opaque, void *obj)
{
    ff_thread_progress_destroy(obj);
}

int ff_vp9_daedalus_init(AVCodecContext *avctx)
{
    VP9Context *s = avctx->priv_data;
    DdDevice *device = find_device(avctx);

    if (!device)
        return 0;

    s->dd = av_mallocz(sizeof(*s->dd));
    if (!s->dd)
        return AVERROR(ENOMEM);
    s->dd->device    = device;
    s->dd->undecided = dd_device_opening(device);
    s->dd->parsed_pool =
        av_refstruct_pool_alloc_ext(sizeof(ThreadProgress), AV_REFSTRUCT_POOL_FLAG_FREE_ON_INIT_ERROR,
                                    NULL, parsed_init, parsed_reset, parsed_free_entry, NULL);
    if (!s->dd->parsed_pool)
        return AVERROR(ENOMEM);

    return 0;
}

void ff_vp9_daedalus_uninit(AVCodecContext *avctx)
{
    VP9Context *s = avctx->priv_data;

    if (!s->dd)
        return;
    ff_vp9_daedalus_end_frame(avctx, 1);
    av_freep(&s->dd->recorders);
    av_freep(&s->dd->superblocks);
    av_freep(&s->dd->intra);
    av_refstruct_pool_uninit(&s->dd->parsed_pool);
    dd_session_unref(&s->dd->session);
    av_freep(&s->dd);
}

void ff_vp9_daedalus_update_thread_context(VP9Context *dst, const VP9Context *src)
{
    if (dst->dd && src->dd && dst->dd->session != src->dd->session) {
        dd_session_unref(&dst->dd->session);
        if (src->dd->session)
            dst->dd->session = dd_session_ref(src->dd->session);
    }
}

static void picture_free(void *priv)
{
    DdPicture *picture = priv;

    dd_picture_unref(&picture);
}

static void picture_buffer_free(void *opaque, uint8_t *data)
{
    picture_free(opaque);
}

/**
 * The picture behind a frame, or NULL if the frame lies in other memory.
 */
static DdPicture *frame_picture(const AVFrame *f)
{
    const FrameDecodeData *fdd = ff_daedalus_decode_data(f);

    return fdd && fdd->hwaccel_priv_free == picture_free ? fdd->hwaccel_priv : NULL;
}

/**
 * Before output: copy the picture into a frame of the caller's get_buffer2().
 * The picture itself can't lie in the caller's memory, where no GPU finds it.
 */
static int copy_to_caller(void *logctx, AVFrame *f)
{
    AVCodecContext *avctx = logctx;
    AVFrame *copy = av_frame_alloc();
    int ret;

    if (!copy)
        return AVERROR(ENOMEM);
    copy->format = f->format;
    copy->width  = f->width;
    copy->height = f->height;
    ret = av_frame_copy_props(copy, f);
    if (ret >= 0)
        ret = avctx->get_buffer2(avctx, copy, 0);
    if (ret >= 0) {
        copy->width  = f->width;
        copy->height = f->height;
        ret = av_frame_copy(copy, f);
    }
    if (ret < 0) {
        av_log(avctx, AV_LOG_ERROR, "get_buffer() failed\n");
    } else {
        av_frame_unref(f);
        av_frame_move_ref(f, copy);
    }
    av_frame_free(&copy);

    return ret;
}

/**
 * Before output: make the frame one that other devices read.
 */
static int export_to_caller(void *logctx, AVFrame *f)
{
    return ff_daedalus_export(logctx, f, frame_picture(f));
}

int ff_vp9_daedalus_formats(AVCodecContext *avctx, enum AVPixelFormat *fmt)
{
    const VP9Context *s = avctx->priv_data;

    if (!CONFIG_LIBDRM || !s->dd || !ff_daedalus_exports(avctx, s->pix_fmt))
        return 0;
    *fmt = AV_PIX_FMT_DRM_PRIME;

    return 1;
}

/**
 * Make the picture, whose reference it takes, the data of the frame.
 */
static int attach_picture(AVCodecContext *avctx, AVFrame *f, DdPicture *picture, int ss_v)
{
    uint8_t *planes[3], *end = NULL;
    ptrdiff_t strides[3];
    FrameDecodeData *fdd;
    int ret;

    dd_picture_planes(picture, planes, strides);
    for (int p = 0; p < 3; p++) {
        f->data[p]     = planes[p];
        f->linesize[p] = strides[p];
        end = FFMAX(end, planes[p] + strides[p] * (FFALIGN(f->height, 64) >> (p ? ss_v : 0)));
    }
    f->buf[0] = av_buffer_create(planes[0], end - planes[0], picture_buffer_free, picture, 0);
    if (!f->buf[0]) {
        dd_picture_unref(&picture);
        return AVERROR(ENOMEM);
    }

    ret = ff_daedalus_attach_decode_data(avctx, f);
    if (ret < 0)
        return ret;
    fdd = ff_daedalus_decode_data(f);
    fdd->hwaccel_priv      = dd_picture_ref(picture);
    fdd->hwaccel_priv_free = picture_free;
    if (CONFIG_LIBDRM && avctx->pix_fmt == AV_PIX_FMT_DRM_PRIME)
        fdd->post_process = export_to_caller;
    else if (avctx->get_buffer2 != avcodec_default_get_buffer2)
        fdd->post_process = copy_to_caller;

    return 0;
}

static int open_session(VP9DaedalusContext *dd)
{
    DdSessionOptions options = { .size = sizeof(options), .codec = DD_CODEC_VP9 };

    return dd->session ? DD_OK : dd_session_open(&dd->session, dd->device, &options);
}

/**
 * Say that there is no GPU after all: everything is as without a device.
 */
static int turned_out_absent(VP9DaedalusContext *dd)
{
    if (dd->undecided && !dd_device_opening(dd->device)) {
        dd->undecided = 0;
        dd->absent    = !dd_device_has_gpu(dd->device);
    }
    return dd->absent;
}

int ff_vp9_daedalus_get_buffer(AVCodecContext *avctx, ProgressFrame *f)
{
    VP9Context *s = avctx->priv_data;
    VP9DaedalusContext *dd = s->dd;
    DdPictureFormat format = {
        .size      = sizeof(format),
        .width     = avctx->width,
        .height    = avctx->height,
        .bit_depth = s->s.h.bpp,
        .ss_h      = s->ss_h,
        .ss_v      = s->ss_v,
    };
    DdPicture *picture;
    int ret;

    // what ff_get_buffer() would refuse is left to it
    if (!dd || (turned_out_absent(dd) && !dd_device_exports(dd->device)) || avctx->hwaccel ||
        av_image_check_size2(FFALIGN(avctx->width, 64), avctx->height, avctx->max_pixels,
                             AV_PIX_FMT_NONE, AV_LOG_MAX_OFFSET, NULL) < 0)
        return AVERROR(ENOSYS);

    ret = open_session(dd);
    if (ret >= 0)
        ret = dd_picture_alloc(dd->session, &format, &picture);
    if (ret < 0 && avctx->pix_fmt == AV_PIX_FMT_DRM_PRIME)
        return AVERROR(ENOMEM);
    if (ret < 0) {
        av_log(avctx, dd->told_unsupported ? AV_LOG_DEBUG : AV_LOG_VERBOSE,
               "No picture of %dx%d, %d bits for the GPU (%s): decoding on the CPU\n",
               avctx->width, avctx->height, s->s.h.bpp, dd_result_text(ret));
        dd->told_unsupported = 1;
        return AVERROR(ENOSYS);
    }

    ret = ff_progress_frame_alloc(avctx, f);
    if (ret < 0) {
        dd_picture_unref(&picture);
        return ret;
    }
    f->f->width  = avctx->width;
    f->f->height = avctx->height;
    ret = ff_decode_frame_props(avctx, f->f);
    if (ret >= 0 && CONFIG_LIBDRM && avctx->pix_fmt == AV_PIX_FMT_DRM_PRIME)
        ret = ff_daedalus_set_frames_context(avctx, f->f, s->pix_fmt);
    if (ret < 0)
        dd_picture_unref(&picture);
    else
        ret = attach_picture(avctx, f->f, picture, s->ss_v);
    if (ret < 0)
        ff_progress_frame_unref(f);

    return ret;
}

static int alloc_recorders(VP9DaedalusContext *dd, unsigned nb, unsigned superblocks)
{
    av_fast_malloc(&dd->superblocks, &dd->superblocks_size, superblocks * sizeof(*dd->superblocks));
    if (!dd->superblocks)
        return AVERROR(ENOMEM);
    av_fast_malloc(&dd->intra, &dd->intra_size, superblocks * MAX_BLOCKS * sizeof(*dd->intra));
    if (!dd->intra)
        return AVERROR(ENOMEM);
    av_fast_malloc(&dd->recorders, &dd->recorders_size, nb * sizeof(*dd->recorders));
    if (!dd->recorders)
        return AVERROR(ENOMEM);
    memset(dd->recorders, 0, nb * sizeof(*dd->recorders));
    for (unsigned i = 0; i < nb; i++)
        dd->recorders[i].to = dd_vp9_recorder(dd->frame, i);

    return 0;
}

/**
 * Put what the thread has done since the last call on the timeline.
 */
static void trace(VP9DaedalusContext *dd, const char *name)
{
    if (name)
        dd_frame_trace(dd->frame, name, dd->since);
    dd->since = dd_frame_trace_time(dd->frame);
}

static int on_gpu(const VP9DaedalusContext *dd, DdStage stage)
{
    return dd->plan.side[stage] == DD_SIDE_GPU;
}

/**
 * Pixels stay undefined, to measure what comes before them.
 */
static int reconstructs_nothing(const VP9DaedalusContext *dd)
{
    return dd->plan.side[DD_STAGE_LF] == DD_SIDE_NONE;
}

void ff_vp9_daedalus_begin_frame(AVCodecContext *avctx, int size)
{
    VP9Context *s = avctx->priv_data;
    VP9DaedalusContext *dd = s->dd;
    const int intra_only    = s->s.h.keyframe || s->s.h.intraonly;
    const int frame_threads = avctx->active_thread_type == FF_THREAD_FRAME && !avctx->internal->one_thread;
    DdFrameInfo info = {
        .size        = sizeof(info),
        .recorders   = s->active_tile_cols,
        .intra_only  = intra_only,
        .filtered    = !!s->s.h.filter.level,
        .coded_bytes = size,
        .unread      = avctx->pix_fmt == AV_PIX_FMT_DRM_PRIME,
    };

    if (!dd)
        return;
    av_assert1(!dd->frame);
    info.dst = frame_picture(s->s.frames[CUR_FRAME].tf.f);
    if (!info.dst)
        return;
    dd->scaled = 0;
    for (int i = 0; i < 3 && !intra_only; i++) {
        dd->scaled |= !!s->mvscale[i][0];
        info.ref[i] = frame_picture(s->s.refs[s->s.h.refidx[i]].f);
        info.cpu_only |= !info.ref[i];
    }

    if (dd_frame_begin(dd->session, &info, &dd->frame) < 0) {
        for (int i = 0; i < 3; i++)
            dd_picture_read(info.ref[i]);
        return;
    }
    dd->plan    = dd_frame_plan(dd->frame);
    dd->outcome = DD_OUTCOME_DONE;
    trace(dd, NULL);
    if (!on_gpu(dd, DD_STAGE_MC) && !on_gpu(dd, DD_STAGE_ITX) && !on_gpu(dd, DD_STAGE_LF) &&
        !reconstructs_nothing(dd))
        return;
    if (alloc_recorders(dd, s->active_tile_cols, s->sb_cols * s->sb_rows) < 0) {
        dd_frame_rerun(dd->frame); // an error has been told
        dd->outcome = DD_OUTCOME_RERUN;
        return;
    }

    dd->step     = STEP_PARSE;
    s->gpu_frame = 1;
    s->recon     = 0;
    dd->take_inter = dd->at_once = 0;
    dd->take_intra = !s->s.h.lossless && dd_vp9_takes_intra(dd->frame);
    // Frame threads parse one frame after the other where probabilities adapt:
    // what can wait is done when the next one may begin. Where they don't, the
    // next frame follows row by row.
    dd->record_apart = frame_threads && s->s.h.refreshctx && !s->s.h.parallelmode;
    if (frame_threads && !dd->record_apart)
        s->s.frames[CUR_FRAME].parsed = av_refstruct_pool_get(dd->parsed_pool);
    if (dd->plan.side[DD_STAGE_MC] == DD_SIDE_NONE)
        return;
    if (!dd->record_apart) {
        dd->at_once    = intra_only && !reconstructs_nothing(dd);
        dd->take_inter = on_gpu(dd, DD_STAGE_MC) && on_gpu(dd, DD_STAGE_ITX);
        s->recon       = VP9_RECON_EDGES | (dd->at_once ? VP9_RECON_INTRA | VP9_RECON_AT_ONCE : 0);
    }
}

static Position position(const VP9TileData *td)
{
    // a division by bytesperpixel, which is 1 or 2
    return (Position){ td->b - td->b_base, (td->block - td->block_base) >> (td->s->bytesperpixel - 1) };
}

static void go_to(VP9TileData *td, Position to)
{
    const VP9Context *s = td->s;
    const int bpp = s->bytesperpixel, ss = s->ss_h + s->ss_v;

    td->b     = td->b_base + to.blocks;
    td->block = td->block_base + to.pixels * bpp;
    td->eob   = td->eob_base + to.pixels / 16;
    for (int p = 0; p < 2; p++) {
        td->uvblock[p] = td->uvblock_base[p] + (to.pixels >> ss) * bpp;
        td->uveob[p]   = td->uveob_base[p] + (to.pixels >> ss) / 16;
    }
}

static void clear_blocks(VP9TileData *td, unsigned pixels)
{
    const VP9Context *s = td->s;
    const int coef = s->bytesperpixel * sizeof(int16_t), ss = s->ss_h + s->ss_v;
    const unsigned from = td->cleared, size = pixels - from;

    if (pixels <= from)
        return;
    memset((uint8_t *)td->block_base + (size_t)from * coef, 0, (size_t)size * coef);
    memset(td->eob_base + from / 16, 0, size / 16);
    for (int p = 0; p < 2; p++) {
        memset((uint8_t *)td->uvblock_base[p] + (size_t)(from >> ss) * coef, 0, (size_t)(size >> ss) * coef);
        memset(td->uveob_base[p] + (from >> ss) / 16, 0, (size >> ss) / 16);
    }
    td->cleared = pixels;
}

void ff_vp9_daedalus_clear_blocks(VP9Context *s)
{
    // those of the GPU's frames are cleared superblock by superblock; with one
    // pass, all blocks use the first one's place
    for (int i = 0; i < s->active_tile_cols; i++)
        clear_blocks(&s->td[i], s->pass && !s->gpu_frame ? s->td[i].pixels : 64 * 64);
}

static void decode_intra(VP9TileData *td, const IntraBlock *block, int row, int col,
                         struct VP9Filter *lflvl, ptrdiff_t yoff, ptrdiff_t uvoff)
{
    const VP9Context *s = td->s;
    const AVFrame *f = s->s.frames[CUR_FRAME].tf.f;

    go_to(td, block->at);
    ff_vp9_decode_block(td, row + block->row, col + block->col, lflvl,
                        yoff + block->row * 8 * f->linesize[0] + block->col * 8 * s->bytesperpixel,
                        uvoff + (block->row * 8 * f->linesize[1] >> s->ss_v) +
                        (block->col * 8 * s->bytesperpixel >> s->ss_h),
                        td->b->bl, td->b->bp);
}

int ff_vp9_daedalus_superblock(VP9TileData *td, int row, int col, struct VP9Filter *lflvl,
                               ptrdiff_t yoff, ptrdiff_t uvoff)
{
    const VP9Context *s = td->s;
    Recorder *rec = &s->dd->recorders[td - s->td];
    const int index = (row >> 3) * s->sb_cols + (col >> 3);
    Superblock *sb = &s->dd->superblocks[index];

    if (s->pass == 1) {
        // what isn't needed any more gives way, so that the parser stays in the cache
        if (s->dd->take_inter && rec->last && !rec->last->intra)
            go_to(td, rec->last->at);
        rec->last    = sb;
        sb->at       = position(td);
        sb->intra    = 0;
        rec->touched = FFMAX(rec->touched, sb->at.pixels + 64 * 64);
        clear_blocks(td, rec->touched);
        return 0;
    }
    if (s->recon & (VP9_RECON_INTER | VP9_RECON_EDGES)) {
        go_to(td, sb->at);
        return 0;
    }
    for (unsigned i = 0; i < sb->intra; i++)
        decode_intra(td, &s->dd->intra[index * MAX_BLOCKS + i], row, col, lflvl, yoff, uvoff);
    return 1;
}

/**
 * Hand the coefficients of an inter block to the GPU.
 */
static void fill_residuals(const VP9TileData *td, DdVp9Residuals *residuals)
{
    const VP9Context *s = td->s;
    const VP9Block *b = td->b;

    residuals->x        = td->col * 8;
    residuals->y        = td->row * 8;
    residuals->w4       = FFMIN(2 * (s->cols - td->col), ff_vp9_bwh_tab[1][b->bs][0] << 1);
    residuals->h4       = FFMIN(2 * (s->rows - td->row), ff_vp9_bwh_tab[1][b->bs][1] << 1);
    residuals->kind[0]  = s->s.h.lossless ? 4 : b->tx;
    residuals->kind[1]  = s->s.h.lossless ? 4 : b->uvtx;
    residuals->eobs[0]  = td->eob;
    residuals->coefs[0] = b->coded & 1 ? td->block : NULL;
    residuals->coefs[1] = residuals->coefs[2] = NULL;
    for (int p = 0; b->coded & 6 && p < 2; p++) { // most blocks have luma alone
        residuals->eobs[1 + p]  = td->uveob[p];
        residuals->coefs[1 + p] = b->coded & 2 << p ? td->uvblock[p] : NULL;
    }
}

static void record_residuals(VP9TileData *td, Recorder *rec)
{
    DdVp9Residuals residuals;

    fill_residuals(td, &residuals);
    rec->error = dd_vp9_take_residuals(rec->to, &residuals);
    rec->residuals++;
}

static void take_intra(VP9TileData *td, Recorder *rec)
{
    const VP9Block *b = td->b;
    DdVp9IntraBlock block = { 0 };

    fill_residuals(td, &block.residuals);
    for (int p = 0; b->skip && p < 3; p++)
        block.residuals.coefs[p] = NULL;
    block.has_left    = td->col > td->tile_col_start;
    block.quarters    = b->bs > BS_8x8;
    block.chroma_mode = b->uvmode;
    memcpy(block.mode, b->mode, sizeof(block.mode));
    rec->error = dd_vp9_intra_block(rec->to, &block);
    rec->taken_intra++;
}

static void record_prediction(VP9TileData *td, int plane, int x, int y, int w, int h,
                              int src_x, int src_y, int step_x, int step_y, int i)
{
    const VP9Context *s = td->s;
    const VP9Block *b = td->b;
    Recorder *rec = &s->dd->recorders[td - s->td];
    DdVp9Prediction prediction = {
        .plane  = plane,
        .ref    = b->ref[i],
        .filter = b->filter,
        .second = i,
        .x      = x,
        .y      = y,
        .w      = w,
        .h      = h,
        .src_x  = src_x,
        .src_y  = src_y,
        .step_x = step_x,
        .step_y = step_y,
    };

    if (rec->error >= 0)
        rec->error = dd_vp9_predict(rec->to, &prediction);
}

static void record_luma_unscaled(VP9TileData *td, int y, int x, const VP9mv *mv,
                                 int bw, int bh, int i)
{
    record_prediction(td, 0, x, y, bw, bh, x * 16 + mv->x * 2, y * 16 + mv->y * 2, 16, 16, i);
}

static void record_chroma_unscaled(VP9TileData *td, int y, int x, const VP9mv *mv,
                                   int bw, int bh, int i)
{
    const VP9Context *s = td->s;
    const int src_x = x * 16 + mv->x * (1 << !s->ss_h);
    const int src_y = y * 16 + mv->y * (1 << !s->ss_v);

    record_prediction(td, DD_PLANES_CHROMA, x, y, bw, bh, src_x, src_y, 16, 16, i);
}

// vp9_mc_template.c knows which predictions a block is made of. The arguments
// that only name pixels are evaluated, so that its variables count as used.
#define unused_args(mc, dst, dst_ls, w, h) \
    (void)s->dsp.mc; (void)(dst); (void)(dst_ls); (void)(w); (void)(h); (void)bytesperpixel
#define mc_luma_dir(td, mc, dst, dst_ls, src, src_ls, tref, row, col, mv, \
                    px, py, pw, ph, bw, bh, w, h, i) \
    do { \
        unused_args(mc, dst, dst_ls, w, h); \
        record_luma_unscaled(td, row, col, mv, bw, bh, i); \
    } while (0)
#define mc_chroma_dir(td, mc, dstu, dstv, dst_ls, srcu, srcu_ls, srcv, srcv_ls, tref, \
                      row, col, mv, px, py, pw, ph, bw, bh, w, h, i) \
    do { \
        unused_args(mc, dstu, dst_ls, w, h); \
        record_chroma_unscaled(td, row, col, mv, bw, bh, i); \
    } while (0)
#define SCALED 0
#define FN(x) record_##x##_unscaled
#define BYTES_PER_PIXEL 1
#include "vp9_mc_template.c"
#undef mc_luma_dir
#undef mc_chroma_dir
#undef FN
#undef SCALED

static int same_size(const VP9Context *s, const AVFrame *ref)
{
    const AVFrame *f = s->s.frames[CUR_FRAME].tf.f;

    return f->width == ref->width && f->height == ref->height;
}

#define scale_mv(n, dim) (((int64_t)(n) * scale[dim]) >> 14)

static void record_luma_scaled(VP9TileData *td, const AVFrame *ref, int y, int x,
                               const VP9mv *in_mv, int px, int py, int pw, int ph,
                               int bw, int bh, int i)
{
    const VP9Context *s = td->s;
    const uint16_t *scale = s->mvscale[td->b->ref[i]];
    const uint8_t *step   = s->mvstep[td->b->ref[i]];
    VP9mv mv;

    if (same_size(s, ref)) {
        record_luma_unscaled(td, y, x, in_mv, bw, bh, i);
        return;
    }
    // as in mc_luma_scaled()
    mv.x = av_clip(in_mv->x, -(x + pw - px + 4) * 8, (s->cols * 8 - x + px + 3) * 8);
    mv.y = av_clip(in_mv->y, -(y + ph - py + 4) * 8, (s->rows * 8 - y + py + 3) * 8);
    record_prediction(td, 0, x, y, bw, bh,
                      scale_mv(mv.x * 2, 0) + scale_mv(x * 16, 0),
                      scale_mv(mv.y * 2, 1) + scale_mv(y * 16, 1), step[0], step[1], i);
}

static void record_chroma_scaled(VP9TileData *td, const AVFrame *ref, int y, int x,
                                 const VP9mv *in_mv, int px, int py, int pw, int ph,
                                 int bw, int bh, int i)
{
    const VP9Context *s = td->s;
    const uint16_t *scale = s->mvscale[td->b->ref[i]];
    const uint8_t *step   = s->mvstep[td->b->ref[i]];
    int src_x, src_y;
    VP9mv mv;

    if (same_size(s, ref)) {
        record_chroma_unscaled(td, y, x, in_mv, bw, bh, i);
        return;
    }
    // as in mc_chroma_scaled()
    if (s->ss_h) {
        mv.x  = av_clip(in_mv->x, -(x + pw - px + 4) * 16, (s->cols * 4 - x + px + 3) * 16);
        src_x = scale_mv(mv.x, 0) + (scale_mv(x * 16, 0) & ~15) + (scale_mv(x * 32, 0) & 15);
    } else {
        mv.x  = av_clip(in_mv->x, -(x + pw - px + 4) * 8, (s->cols * 8 - x + px + 3) * 8);
        src_x = scale_mv(mv.x * 2, 0) + scale_mv(x * 16, 0);
    }
    if (s->ss_v) {
        mv.y  = av_clip(in_mv->y, -(y + ph - py + 4) * 16, (s->rows * 4 - y + py + 3) * 16);
        src_y = scale_mv(mv.y, 1) + (scale_mv(y * 16, 1) & ~15) + (scale_mv(y * 32, 1) & 15);
    } else {
        mv.y  = av_clip(in_mv->y, -(y + ph - py + 4) * 8, (s->rows * 8 - y + py + 3) * 8);
        src_y = scale_mv(mv.y * 2, 1) + scale_mv(y * 16, 1);
    }
    record_prediction(td, DD_PLANES_CHROMA, x, y, bw, bh, src_x, src_y, step[0], step[1], i);
}

#define mc_luma_dir(td, mc, dst, dst_ls, src, src_ls, tref, row, col, mv, \
                    px, py, pw, ph, bw, bh, w, h, i) \
    do { \
        unused_args(mc, dst, dst_ls, w, h); \
        record_luma_scaled(td, (tref)->f, row, col, mv, px, py, pw, ph, bw, bh, i); \
    } while (0)
#define mc_chroma_dir(td, mc, dstu, dstv, dst_ls, srcu, srcu_ls, srcv, srcv_ls, tref, \
                      row, col, mv, px, py, pw, ph, bw, bh, w, h, i) \
    do { \
        unused_args(mc, dstu, dst_ls, w, h); \
        record_chroma_scaled(td, (tref)->f, row, col, mv, px, py, pw, ph, bw, bh, i); \
    } while (0)
#define SCALED 1
#define FN(x) record_##x##_scaled
#include "vp9_mc_template.c"

/**
 * What vp9_mc_template.c does with blocks of 8x8 and more, which have one vector
 * for each reference.
 */
static int record_whole_block(const VP9TileData *td, const Recorder *rec)
{
    const VP9Block *b = td->b;
    DdVp9Block block;

    block.col      = td->col;
    block.row      = td->row;
    block.size     = 12 - b->bs; // VP9's numbers begin with the smallest size
    block.filter   = b->filter;
    block.compound = b->comp;
    block.ref[0]   = b->ref[0];
    AV_COPY32(block.mv[0], &b->mv[0][0]);
    if (b->comp) {
        block.ref[1] = b->ref[1];
        AV_COPY32(block.mv[1], &b->mv[0][1]);
    }
    return dd_vp9_predict_block(rec->to, &block);
}

// not inlined, so that what nearly all blocks go through stays small
static av_noinline void record_by_template(VP9TileData *td, Recorder *rec, int scaled)
{
    rec->error = dd_vp9_begin_block(rec->to);
    if (scaled)
        record_inter_pred_scaled(td);
    else
        record_inter_pred_unscaled(td);
}

static void record_inter_pred(VP9TileData *td, Recorder *rec)
{
    const VP9Context *s = td->s;
    const VP9Block *b = td->b;
    const int scaled = s->dd->scaled &&
                       (s->mvscale[b->ref[0]][0] || (b->comp && s->mvscale[b->ref[1]][0]));

    if (!scaled && b->bs <= BS_8x8)
        rec->error = record_whole_block(td, rec);
    else
        record_by_template(td, rec, scaled);
}

static void record_intra(const VP9TileData *td, Recorder *rec)
{
    const VP9Context *s = td->s;
    const VP9DaedalusContext *dd = s->dd;
    const int index = (td->row >> 3) * s->sb_cols + (td->col >> 3);

    rec->intra_blocks++;
    dd->intra[index * MAX_BLOCKS + dd->superblocks[index].intra++] =
        (IntraBlock){ td->row7, td->col7, position(td) };
}

static void record_inter(VP9TileData *td, Recorder *rec)
{
    const VP9Context *s = td->s;
    const VP9Block *b = td->b;
    const VP9DaedalusContext *dd = s->dd;

    rec->inter_blocks++;
    if (dd->scaled &&
        (s->mvscale[b->ref[0]][0] == REF_INVALID_SCALE ||
         (b->comp && s->mvscale[b->ref[1]][0] == REF_INVALID_SCALE))) {
        rec->error = DD_ERR_UNSUPPORTED; // the CPU's pass complains
        return;
    }
    if (on_gpu(dd, DD_STAGE_MC))
        record_inter_pred(td, rec);

    if (!b->skip && b->coded && rec->error >= 0 && on_gpu(dd, DD_STAGE_ITX))
        record_residuals(td, rec);
}

int ff_vp9_daedalus_record_block(VP9TileData *td)
{
    const VP9DaedalusContext *dd = td->s->dd;
    Recorder *rec = &dd->recorders[td - td->s->td];

    if (dd->at_once)
        return 0;
    if (rec->error < 0)
        return 1;
    if (!td->b->intra) {
        record_inter(td, rec);
    } else if (dd->take_intra) {
        take_intra(td, rec);
    } else {
        record_intra(td, rec);
        return 1;
    }
    // the smallest ones keep their place until the superblock's end, as larger
    // ones behind them need it for their alignment
    return !dd->take_inter || td->b->bs >= BS_8x8;
}

/**
 * Bring all coefficients back to zero.
 */
static void clear_coefs(VP9Context *s)
{
    const int coef = s->bytesperpixel * sizeof(int16_t), ss = s->ss_h + s->ss_v;

    for (int i = 0; i < s->active_tile_cols; i++) {
        VP9TileData *td = &s->td[i];
        const size_t touched = (size_t)s->dd->recorders[i].touched * coef;

        if (!touched)
            continue;
        memset(td->block_base, 0, touched);
        for (int p = 0; p < 2; p++)
            memset(td->uvblock_base[p], 0, touched >> ss);
    }
}

/**
 * Do all of the frame on the CPU, because of an error of libdaedalus: what was
 * parsed has been used up, so it is decoded from its packet, in one pass.
 */
static int rerun(AVCodecContext *avctx, int error)
{
    VP9Context *s = avctx->priv_data;
    VP9DaedalusContext *dd = s->dd;

    av_log(avctx, AV_LOG_DEBUG, "The frame runs again on the CPU: %s\n", dd_result_text(error));
    if (dd_frame_rerun(dd->frame) < 0)
        return AVERROR_EXTERNAL;
    clear_coefs(s);
    dd->outcome  = DD_OUTCOME_RERUN;
    s->gpu_frame = 0;
    s->reparse   = 1;
    s->recon     = VP9_RECON_ALL;
    s->pass      = 0;
    for (int i = 0; i < s->active_tile_cols; i++)
        s->td[i].nb_block_structure = 0;

    return 1;
}

static int run_gpu(VP9Context *s, unsigned phases, int cpu_wrote)
{
    VP9DaedalusContext *dd = s->dd;
    int ret = DD_OK;

    if (phases & DD_PHASE_FILTER)
        ret = dd_vp9_loop_filter(dd->frame, (const DdVp9FilterSuperblock *)s->lflvl, s->sb_cols, s->sb_rows,
                                 s->filter_lut.lim_lut, s->filter_lut.mblim_lut);
    if (ret >= 0)
        ret = dd_frame_submit(dd->frame, phases, cpu_wrote);
    if (ret >= 0)
        ret = dd_frame_wait(dd->frame);

    return ret;
}

/**
 * Sum up what pass 1 has found.
 *
 * @return a negative value if not everything could be recorded
 */
static int sum_recorders(VP9Context *s)
{
    VP9DaedalusContext *dd = s->dd;
    int error = 0;

    dd->intra_blocks = dd->inter_blocks = dd->residuals = dd->taken_intra = 0;
    for (int i = 0; i < s->active_tile_cols; i++) {
        const Recorder *rec = &dd->recorders[i];
        dd->intra_blocks += rec->intra_blocks;
        dd->inter_blocks += rec->inter_blocks;
        dd->residuals    += rec->residuals;
        dd->taken_intra  += rec->taken_intra;
        error             = FFMIN(error, rec->error);
    }
    return error;
}

int ff_vp9_daedalus_broken(AVCodecContext *avctx)
{
    VP9Context *s = avctx->priv_data;

    if (!s->gpu_frame || !s->s.frames[CUR_FRAME].parsed || s->dd->plan.side[DD_STAGE_MC] == DD_SIDE_NONE)
        return 0;
    s->dd->recorders[0].error = DD_ERR_INVALID;

    return 1;
}

int ff_vp9_daedalus_recorded(VP9Context *s)
{
    return sum_recorders(s) >= 0;
}

/**
 * Lay out the passes and phases that reconstruct the frame.
 */
static void plan_passes(VP9Context *s)
{
    VP9DaedalusContext *dd = s->dd;
    const int gpu_itx = on_gpu(dd, DD_STAGE_ITX) && dd->residuals;
    const int gpu_mc  = on_gpu(dd, DD_STAGE_MC) && dd->inter_blocks;

    dd->gpu_recon   = gpu_mc || gpu_itx || dd->taken_intra;
    dd->gpu_filter  = on_gpu(dd, DD_STAGE_LF) && s->s.h.filter.level;
    dd->cpu_predict = dd->cpu_finish = 0;

    if (dd->inter_blocks) {
        if (!on_gpu(dd, DD_STAGE_MC))
            *(gpu_itx ? &dd->cpu_predict : &dd->cpu_finish) |= VP9_RECON_PREDICTION;
        if (!on_gpu(dd, DD_STAGE_ITX))
            dd->cpu_finish |= VP9_RECON_RESIDUAL;
    }
    if (dd->intra_blocks)
        dd->cpu_finish |= VP9_RECON_INTRA;
    if (!dd->gpu_filter && (s->s.h.filter.level || dd->cpu_finish))
        dd->cpu_finish |= VP9_RECON_FILTER;
}

int ff_vp9_daedalus_next_pass(AVCodecContext *avctx)
{
    VP9Context *s = avctx->priv_data;
    VP9DaedalusContext *dd = s->dd;
    unsigned phases, await;
    int ret;

    s->pass = 2;
    switch (dd->step) {
    case STEP_PARSE:
        trace(dd, "parse");
        if (dd->plan.side[DD_STAGE_MC] == DD_SIDE_NONE)
            return 0;
        dd->step = STEP_RECORD;
        s->recon = VP9_RECON_EDGES;
        if (dd->record_apart)
            return 1;
        // fall through
    case STEP_RECORD:
        if (dd->record_apart)
            trace(dd, "record");
        if (reconstructs_nothing(dd))
            return 0;
        if ((ret = sum_recorders(s)) < 0)
            return rerun(avctx, ret);
        plan_passes(s);
        dd->step = STEP_PREDICT;
        s->recon = dd->cpu_predict;
        if (dd->cpu_predict)
            return 1;
        // fall through
    case STEP_PREDICT:
        if (dd->cpu_predict)
            trace(dd, "predict on the CPU");
        // those that the GPU is still busy with are complete when it comes to this frame
        await = dd_frame_await_references(dd->frame, 7);
        for (int i = 0; i < 3; i++)
            if (await & 1 << i)
                ff_progress_frame_await(&s->s.refs[s->s.h.refidx[i]], INT_MAX);
        trace(dd, NULL);
        phases = (dd->gpu_recon ? DD_PHASE_RECON : 0) |
                 (dd->gpu_filter && !dd->cpu_finish ? DD_PHASE_FILTER : 0);
        if (phases && (ret = run_gpu(s, phases, dd->cpu_predict || dd->at_once)) < 0)
            return rerun(avctx, ret);
        dd->step = STEP_FINISH;
        s->recon = dd->cpu_finish;
        trace(dd, NULL);
        if (dd->cpu_finish)
            return 1;
        // fall through
    case STEP_FINISH:
        if (dd->cpu_finish)
            trace(dd, "reconstruct on the CPU");
        if (dd->gpu_filter && dd->cpu_finish &&
            (ret = run_gpu(s, DD_PHASE_FILTER, 1)) < 0)
            return rerun(avctx, ret);
        trace(dd, NULL);
    }
    return 0;
}

void ff_vp9_daedalus_end_frame(AVCodecContext *avctx, int dropped)
{
    VP9Context *s = avctx->priv_data;
    VP9DaedalusContext *dd = s->dd;

    if (!dd || !dd->frame)
        return;

    if (s->s.frames[CUR_FRAME].parsed)
        ff_thread_progress_report(s->s.frames[CUR_FRAME].parsed, INT_MAX);
    if (dropped && (s->gpu_frame || s->reparse))
        clear_coefs(s);
    if (!s->gpu_frame)
        trace(dd, s->reparse ? "run again on the CPU" : "decode on the CPU");
    s->gpu_frame = s->reparse = 0;
    s->recon     = VP9_RECON_ALL;
    dd_frame_end(&dd->frame, dropped ? DD_OUTCOME_DROPPED : dd->outcome);
}
