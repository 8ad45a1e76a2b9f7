/*
 * Copyright © 2025, VideoLAN and dav1d authors
 * All rights reserved.
 *
 * Redistribution and use in source and binary forms, with or without
 * modification, are permitted provided that the following conditions are met:
 *
 * 1. Redistributions of source code must retain the above copyright notice, this
 *    list of conditions and the following disclaimer.
 *
 * 2. Redistributions in binary form must reproduce the above copyright notice,
 *    this list of conditions and the following disclaimer in the documentation
 *    and/or other materials provided with the distribution.
 *
 * THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND
 * ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED
 * WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
 * DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT OWNER OR CONTRIBUTORS BE LIABLE FOR
 * ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES
 * (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES;
 * LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND
 * ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT
 * (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS
 * SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
 */

#include "config.h"

#include <stdint.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <daedalus/daedalus.h>
#include <daedalus/debug.h>

#include "common/frame.h"
#include "common/intops.h"

#include "src/daedalus.h"
#include "src/lf_mask.h"
#include "src/mem.h"
#include "src/thread_task.h"

/* The in-loop filters of a whole frame run at its last superblock row. Until
 * then the filters of the other rows do nothing; intra prediction doesn't
 * notice, as the edges that it needs are saved before filtering. */

/* A picture that the library can't make lies in plain memory, and its frame is
 * the CPU's. The lowest bit of allocator_data tells it apart. */
static int plain_picture_alloc(Dav1dPicture *const p) {
    const int hbd = p->p.bpc > 8, has_chroma = p->p.layout != DAV1D_PIXEL_LAYOUT_I400;
    const int ss_ver = p->p.layout == DAV1D_PIXEL_LAYOUT_I420;
    const int ss_hor = p->p.layout != DAV1D_PIXEL_LAYOUT_I444;
    const size_t h = (p->p.h + 127) & ~127;
    const ptrdiff_t y_stride = ((ptrdiff_t) ((p->p.w + 127) & ~127) << hbd) +
                               DAV1D_PICTURE_ALIGNMENT * 2;
    const ptrdiff_t uv_stride = has_chroma ? y_stride >> ss_hor : 0;
    const size_t y_sz = y_stride * h, uv_sz = uv_stride * (h >> ss_ver);
    uint8_t *const data = dav1d_alloc_aligned(ALLOC_PIC,
                                              y_sz + 2 * uv_sz + DAV1D_PICTURE_ALIGNMENT,
                                              DAV1D_PICTURE_ALIGNMENT);

    if (!data) return DAV1D_ERR(ENOMEM);
    p->data[0] = data;
    p->data[1] = has_chroma ? data + y_sz : NULL;
    p->data[2] = has_chroma ? data + y_sz + uv_sz : NULL;
    p->stride[0] = y_stride;
    p->stride[1] = uv_stride;
    p->allocator_data = data + 1;
    return 0;
}

int dav1d_daedalus_is_plain(const Dav1dPicture *const p) {
    return (uintptr_t) p->allocator_data & 1;
}

static int picture_alloc(Dav1dPicture *const p, void *const cookie) {
    const Dav1dContext *const c = cookie;
    const DdPictureFormat format = {
        .size       = sizeof(format),
        .width      = p->p.w,
        .height     = p->p.h,
        .bit_depth  = p->p.bpc,
        .ss_h       = p->p.layout != DAV1D_PIXEL_LAYOUT_I444,
        .ss_v       = p->p.layout <= DAV1D_PIXEL_LAYOUT_I420,
        .monochrome = p->p.layout == DAV1D_PIXEL_LAYOUT_I400,
    };
    DdPicture *pic;
    if (dd_picture_alloc(c->daedalus, &format, &pic) < 0)
        return plain_picture_alloc(p);

    uint8_t *data[3];
    ptrdiff_t stride[3];
    dd_picture_planes(pic, data, stride);
    for (int pl = 0; pl < 3; pl++)
        p->data[pl] = data[pl];
    p->stride[0] = stride[0];
    p->stride[1] = stride[1];
    p->allocator_data = pic;
    return 0;
}

/* Pictures may outlive the context. */
static void picture_release(Dav1dPicture *const p, void *const cookie) {
    if (dav1d_daedalus_is_plain(p)) {
        dav1d_free_aligned((uint8_t *) p->allocator_data - 1);
    } else {
        DdPicture *pic = p->allocator_data;
        dd_picture_unref(&pic);
    }
}

struct DdPicture *dav1d_get_daedalus_picture(const Dav1dPicture *const p) {
    return dav1d_daedalus_is_plain(p) ? NULL : p->allocator_data;
}

static int makes_pictures(const Dav1dSettings *const s) {
    return s->daedalus && s->allocator.alloc_picture_callback == dav1d_default_picture_alloc;
}

static int may_have_gpu(const Dav1dSettings *const s) {
    return makes_pictures(s) && (dd_device_opening(s->daedalus) || dd_device_has_gpu(s->daedalus));
}

void dav1d_daedalus_add_threads(const Dav1dSettings *const s, unsigned *const n_tc,
                                unsigned *const n_fc)
{
    if (*n_fc == 1 || !may_have_gpu(s)) return;
    if (!s->max_frame_delay)
        *n_fc = umin((*n_fc * 3 + 1) / 2, umax(*n_fc + 1, 5));
    *n_tc = umin(*n_tc + *n_fc, DAV1D_MAX_THREADS);
}

void dav1d_daedalus_choose_pipeline(Dav1dContext *const c, const Dav1dSettings *const s) {
    unsigned n_tc = c->n_tc, n_fc = c->n_fc;

    c->pipeline.on = c->daedalus && may_have_gpu(s) && n_tc == 1 && s->max_frame_delay != 1;
    c->pipeline.usual_fc = n_fc;
    dav1d_daedalus_add_threads(s, &n_tc, &n_fc);
    c->pipeline.contexts = c->pipeline.on ? DAEDALUS_CONTEXTS : n_fc;
    c->pipeline.threads = n_tc;
    if (n_tc > c->n_tc && dd_device_opening(s->daedalus)) {
        c->pipeline.opening = s->daedalus; // which the session holds
    } else {
        c->n_tc = n_tc;
        c->n_fc = n_fc;
    }
}

void dav1d_daedalus_limit_frames(Dav1dContext *const c) {
    if (!c->max_spatial_id || c->seq_hdr || c->n_fc == c->pipeline.usual_fc) return;
    pthread_mutex_lock(&c->task_thread.lock);
    c->n_fc = c->task_thread.cur = c->pipeline.usual_fc;
    pthread_mutex_unlock(&c->task_thread.lock);
}

int dav1d_daedalus_open(Dav1dContext *const c, const Dav1dSettings *const s) {
    const DdSessionOptions options = { .size = sizeof(options), .codec = DD_CODEC_AV1 };

    if (!may_have_gpu(s) && !(makes_pictures(s) && dd_device_exports(s->daedalus))) return 0;
    if (dd_session_open(&c->daedalus, s->daedalus, &options) < 0)
        return DAV1D_ERR(ENOMEM);
    c->allocator.cookie = c;
    c->allocator.alloc_picture_callback = picture_alloc;
    c->allocator.release_picture_callback = picture_release;
    return 0;
}

void dav1d_daedalus_close(Dav1dContext *const c) {
    dd_session_unref(&c->daedalus);
}

static int has_deblock(const Dav1dFrameContext *const f) {
    return f->c->inloop_filters & DAV1D_INLOOPFILTER_DEBLOCK &&
           (f->frame_hdr->loopfilter.level_y[0] || f->frame_hdr->loopfilter.level_y[1]);
}

static int has_cdef(const Dav1dFrameContext *const f) {
    if (!(f->c->inloop_filters & DAV1D_INLOOPFILTER_CDEF) || !f->seq_hdr->cdef)
        return 0;
    for (int i = 0; i < 1 << f->frame_hdr->cdef.n_bits; i++)
        if (f->frame_hdr->cdef.y_strength[i] || f->frame_hdr->cdef.uv_strength[i])
            return 1;
    return 0;
}

static int has_restoration(const Dav1dFrameContext *const f) {
    const enum Dav1dRestorationType *const type = f->frame_hdr->restoration.type;
    return f->c->inloop_filters & DAV1D_INLOOPFILTER_RESTORATION &&
           (type[0] || type[1] || type[2]);
}

static int on_gpu(const Dav1dFrameContext *const f, const DdStage stage) {
    return dd_frame_plan(f->daedalus.frame).side[stage] == DD_SIDE_GPU;
}

/* Units of one plane, in the order of the plane. */
static void copy_units(const Dav1dFrameContext *const f, const int pl,
                       DdAv1Filters *const t, DdAv1RestorationUnit *dst)
{
    const int ss_ver = pl && f->cur.p.layout == DAV1D_PIXEL_LAYOUT_I420;
    const int ss_hor = pl && f->cur.p.layout != DAV1D_PIXEL_LAYOUT_I444;
    const int log2 = f->frame_hdr->restoration.unit_size[!!pl];
    const int w = (f->cur.p.w + ss_hor) >> ss_hor, h = (f->cur.p.h + ss_ver) >> ss_ver;

    t->units[pl] = dst;
    t->unit_log2[pl] = log2;
    t->unit_cols[pl] = imax((w + (1 << log2 >> 1)) >> log2, 1);
    t->unit_rows[pl] = imax((h + (1 << log2 >> 1)) >> log2, 1);
    for (int y = 0; y < t->unit_rows[pl]; y++) {
        const int py = y << (log2 + ss_ver);
        for (int x = 0; x < t->unit_cols[pl]; x++, dst++) {
            const int px = x << (log2 + ss_hor);
            const Av1RestorationUnit *const src =
                &f->lf.lr_mask[(py >> 7) * f->sr_sb128w + (px >> 7)]
                    .lr[pl][((py >> 6) & 1) * 2 + ((px >> 6) & 1)];
            memset(dst, 0, sizeof(*dst));
            if (src->type == DAV1D_RESTORATION_WIENER) {
                dst->kind = 1;
                memcpy(dst->horizontal, src->filter_h, sizeof(dst->horizontal));
                memcpy(dst->vertical, src->filter_v, sizeof(dst->vertical));
            } else if (src->type >= DAV1D_RESTORATION_SGRPROJ) {
                dst->kind = 2;
                dst->set = src->type - DAV1D_RESTORATION_SGRPROJ;
                memcpy(dst->weight, src->sgr_weights, sizeof(dst->weight));
            }
        }
    }
}

static int record_filters(Dav1dFrameContext *const f) {
    const Dav1dFrameHeader *const hdr = f->frame_hdr;
    DdAv1Filters t = {
        .size           = sizeof(t),
        .superblocks    = (const DdAv1FilterBlock *) f->lf.mask,
        .levels         = (const uint8_t (*)[4]) f->lf.level,
        .level_stride   = (uint32_t) f->b4_stride,
        .deblock_luma   = has_deblock(f),
        .deblock_chroma = has_deblock(f) && (hdr->loopfilter.level_u || hdr->loopfilter.level_v),
        .sharpness      = hdr->loopfilter.sharpness,
        .cdef           = has_cdef(f),
        .cdef_damping   = hdr->cdef.damping,
    };
    DdAv1RestorationUnit *units = NULL;

    if (t.cdef) {
        memcpy(t.cdef_luma, hdr->cdef.y_strength, 1 << hdr->cdef.n_bits);
        memcpy(t.cdef_chroma, hdr->cdef.uv_strength, 1 << hdr->cdef.n_bits);
    }
    if (has_restoration(f)) {
        /* a unit has at least 32x32 pixels */
        const size_t most = (size_t) ((f->cur.p.w + 63) >> 5) * ((f->cur.p.h + 63) >> 5);
        units = dav1d_malloc(ALLOC_LR, sizeof(*units) * most * 3);
        if (!units) return DD_ERR_NO_MEMORY;
        for (int pl = 0; pl < 3; pl++)
            if (hdr->restoration.type[pl] != DAV1D_RESTORATION_NONE)
                copy_units(f, pl, &t, units + most * pl);
    }
    int res = dd_av1_filters(f->daedalus.frame, &t);
    dav1d_free(units);
    return res;
}

/* The masks that the decoder has left know nothing of tiles' borders; the
 * filter of columns mends them before anything else. */
static void mend_masks(Dav1dFrameContext *const f) {
    f->daedalus.only_mends = 1;
    for (int sby = 0; sby < f->sbh; sby++)
        f->daedalus.deblock_cols(f, sby);
    f->daedalus.only_mends = 0;
}

/* The filter of rows saves lines for what comes after it. */
static void save_lines(Dav1dFrameContext *const f, const int sby) {
    Dav1dDSPContext nothing = { 0 };
    const Dav1dDSPContext *const dsp = f->dsp;
    if (f->seq_hdr->hbd)
        dav1d_daedalus_no_deblock_16bpc(&nothing.lf);
    else
        dav1d_daedalus_no_deblock_8bpc(&nothing.lf);
    f->dsp = &nothing;
    f->daedalus.deblock_rows(f, sby);
    f->dsp = dsp;
}

/* CDEF and loop restoration on the CPU. */
static void filter_rest(Dav1dFrameContext *const f, const int sby) {
    if (f->seq_hdr->cdef)
        f->daedalus.cdef(f->daedalus.tc, sby);
    if (f->lf.restore_planes)
        f->daedalus.lr(f, sby);
}

static int prepare_tc(Dav1dFrameContext *const f) {
    if (!f->daedalus.tc) {
        f->daedalus.tc = dav1d_alloc_aligned(ALLOC_THREAD_CTX, sizeof(*f->daedalus.tc), 64);
        if (!f->daedalus.tc) return -1;
        memset(f->daedalus.tc, 0, sizeof(*f->daedalus.tc));
    }
    f->daedalus.tc->c = f->c;
    f->daedalus.tc->f = f;
    return 0;
}

static void filter_sbrow_none(Dav1dFrameContext *const f, const int sby) {}

static void filter_all_on_cpu(Dav1dFrameContext *const f) {
    for (int sby = 0; sby < f->sbh; sby++) {
        f->daedalus.deblock_cols(f, sby);
        f->daedalus.deblock_rows(f, sby);
        filter_rest(f, sby);
    }
}

/* The GPU failed, and may have changed pixels. Nothing of what the passes have
 * left is needed: the frame is decoded again from its bitstream. Other threads
 * may read motion vectors and segmentation map of the frame meanwhile, which
 * stay as they are. */
static int decode_again(Dav1dFrameContext *const f) {
    if (prepare_tc(f)) return -1;
    f->daedalus.rerun = 1;
    if (dd_frame_rerun(f->daedalus.frame) != DD_OK) return -1;
    dav1d_daedalus_undo_recon(f);
    f->bd_fn.filter_sbrow = filter_sbrow_none;
    memset(f->lf.mask, 0, sizeof(*f->lf.mask) * f->lf.mask_sz);
    if (dav1d_decode_frame_again(f, f->daedalus.tc)) return -1;
    filter_all_on_cpu(f);
    return 0;
}

static void deblock_all_on_cpu(Dav1dFrameContext *const f) {
    for (int sby = 0; sby < f->sbh; sby++)
        f->daedalus.deblock_cols(f, sby);
    for (int sby = 0; sby < f->sbh; sby++)
        f->daedalus.deblock_rows(f, sby);
}

static void filter_frame(Dav1dFrameContext *const f) {
    if (on_gpu(f, DD_STAGE_LF))
        mend_masks(f);
    else if (has_deblock(f))
        deblock_all_on_cpu(f);

    f->daedalus.filter_result = record_filters(f);
    if (f->daedalus.filter_result == DD_OK)
        f->daedalus.filter_result = dd_frame_submit(f->daedalus.frame, DD_PHASE_FILTER, 1);
    f->daedalus.filtering = 1;
    if (!dav1d_daedalus_pipelines(f->c))
        dav1d_daedalus_finish_filters(f);
}

void dav1d_daedalus_finish_filters(Dav1dFrameContext *const f) {
    const int gpu_rest = on_gpu(f, DD_STAGE_CDEF) || on_gpu(f, DD_STAGE_LR);
    const int cpu_rest = !gpu_rest && (has_cdef(f) || has_restoration(f));

    f->daedalus.filtering = 0;
    if (f->daedalus.filter_result != DD_OK || dd_frame_wait(f->daedalus.frame) != DD_OK) {
        if (decode_again(f))
            atomic_store(&f->task_thread.error, -1);
        return;
    }
    if (!cpu_rest) return;
    if (prepare_tc(f)) {
        atomic_store(&f->task_thread.error, -1);
        return;
    }
    for (int sby = 0; sby < f->sbh; sby++) {
        save_lines(f, sby);
        filter_rest(f, sby);
    }
}

/* What stands for the filters of a superblock row. With worker threads, the
 * first one that is called for the last row comes when all tiles are done. */
static void filter_sbrow(Dav1dFrameContext *const f, const int sby) {
    if (sby + 1 == f->sbh)
        filter_frame(f);
}

static void filter_sbrow_cdef_none(Dav1dTaskContext *const tc, const int sby) {}

static void take_filters_over(Dav1dFrameContext *const f) {
    const int cols_first = f->frame_hdr->loopfilter.level_y[0] ||
                           f->frame_hdr->loopfilter.level_y[1];

    f->daedalus.active = 1;
    f->daedalus.deblock_cols = f->bd_fn.filter_sbrow_deblock_cols;
    f->daedalus.deblock_rows = f->bd_fn.filter_sbrow_deblock_rows;
    f->daedalus.cdef         = f->bd_fn.filter_sbrow_cdef;
    f->daedalus.lr           = f->bd_fn.filter_sbrow_lr;
    f->bd_fn.filter_sbrow              = filter_sbrow;
    f->bd_fn.filter_sbrow_deblock_cols = filter_sbrow;
    f->bd_fn.filter_sbrow_deblock_rows = cols_first ? filter_sbrow_none : filter_sbrow;
    f->bd_fn.filter_sbrow_cdef         = filter_sbrow_cdef_none;
    f->bd_fn.filter_sbrow_lr           = filter_sbrow_none;
}

static void leave_pixels_undefined(Dav1dFrameContext *const f) {
    f->daedalus.only_parses = 1;
    f->bd_fn.filter_sbrow              = filter_sbrow_none;
    f->bd_fn.filter_sbrow_deblock_cols = filter_sbrow_none;
    f->bd_fn.filter_sbrow_deblock_rows = filter_sbrow_none;
    f->bd_fn.filter_sbrow_cdef         = filter_sbrow_cdef_none;
    f->bd_fn.filter_sbrow_lr           = filter_sbrow_none;
}

void dav1d_daedalus_clear_pages(void *const mem, const size_t size) {
#ifdef __linux__
    /* Whole pages that are given up are zeros when they come back. */
    const uintptr_t page = sysconf(_SC_PAGESIZE), begin = (uintptr_t) mem, end = begin + size;
    const uintptr_t first = (begin + page - 1) & ~(page - 1), last = end & ~(page - 1);
    if (first < last && !madvise((void *) first, last - first, MADV_DONTNEED)) {
        memset(mem, 0, first - begin);
        memset((void *) last, 0, end - last);
        return;
    }
#endif
    memset(mem, 0, size);
}

void dav1d_daedalus_begin_frame(Dav1dFrameContext *const f) {
    /* the layout of DdAv1FilterBlock */
    typedef char check_layout[sizeof(Av1Filter) == sizeof(DdAv1FilterBlock) &&
                              offsetof(Av1Filter, cdef_idx) == offsetof(DdAv1FilterBlock, cdef) &&
                              offsetof(Av1Filter, noskip_mask) == offsetof(DdAv1FilterBlock, coded)
                              ? 1 : -1] __attribute__((unused));

    f->daedalus.active = f->daedalus.rerun = f->daedalus.only_parses = 0;
    f->daedalus.filtering = 0;
    dav1d_daedalus_stop_recording(f);
    if (!f->c->daedalus) return;

    const unsigned n_tiles = f->frame_hdr->tiling.cols * f->frame_hdr->tiling.rows;
    f->daedalus.recorder_per_tile = n_tiles <= f->c->n_tc;
    DdFrameInfo info = {
        .size        = sizeof(info),
        .dst         = dav1d_get_daedalus_picture(&f->sr_cur.p),
        .recorders   = umin(n_tiles, f->c->n_tc),
        .intra_only  = IS_KEY_OR_INTRA(f->frame_hdr),
        .filtered    = (has_deblock(f)     ? DD_AV1_FILTER_DEBLOCK     : 0) |
                       (has_cdef(f)        ? DD_AV1_FILTER_CDEF        : 0) |
                       (has_restoration(f) ? DD_AV1_FILTER_RESTORATION : 0),
        .cpu_only    = f->frame_hdr->width[0] != f->frame_hdr->width[1],
        .one_pass    = !f->c->uses_2pass,
        .unread      = !(f->c->apply_grain && f->seq_hdr->film_grain_present),
    };
    for (int i = 0; i < f->n_tile_data; i++)
        info.coded_bytes += f->tile[i].data.sz;
    for (int i = 0; !info.intra_only && i < 7; i++)
        info.ref[i] = dav1d_get_daedalus_picture(&f->refp[i].p);
    if (!info.dst || dd_frame_begin(f->c->daedalus, &info, &f->daedalus.frame) < 0) {
        for (int i = 0; i < 7; i++)
            dd_picture_read(info.ref[i]);
        return;
    }
    if (dd_frame_plan(f->daedalus.frame).side[DD_STAGE_LF] == DD_SIDE_NONE)
        leave_pixels_undefined(f);
    if (on_gpu(f, DD_STAGE_LF) || on_gpu(f, DD_STAGE_CDEF) || on_gpu(f, DD_STAGE_LR))
        take_filters_over(f);
    if (on_gpu(f, DD_STAGE_MC))
        dav1d_daedalus_start_recording(f);
}

int dav1d_daedalus_decode_tile_sbrow(Dav1dTaskContext *const t) {
    DdFrame *const frame = t->f->daedalus.frame;
    const int64_t begin = dd_frame_trace_time(frame);
    const int retval = dav1d_decode_tile_sbrow(t);
    dd_frame_trace(frame, t->frame_thread.pass == 1 ? "parse" :
                          t->frame_thread.pass == 0 ? "decode on the CPU" :
                          t->f->daedalus.skips      ? "predict on the CPU" :
                                                      "reconstruct on the CPU", begin);
    return retval;
}

/* Some frames have ten times as many coefficients as most, and each frame context has one of
 * them at some time: what they needed beyond a quarter of the room isn't kept. */
static void give_back_coefs(const Dav1dFrameContext *const f) {
    uint8_t *const coefs = (uint8_t *) f->frame_thread.cf;
    const unsigned n_tiles = f->frame_hdr->tiling.cols * f->frame_hdr->tiling.rows;
    const size_t size = (size_t) f->frame_thread.cf_sz * 128 * 128 / 2;
    const unsigned two_pixels = f->frame_thread.cf_sz / (f->sb128w * f->sb128h); /* bytes */

    for (unsigned i = 0; i < n_tiles; i++) {
        const unsigned *const start = &f->frame_thread.tile_start_off[i];
        const size_t begin = (size_t) start[0] * two_pixels / 2;
        const size_t end = i + 1 < n_tiles ? (size_t) start[1] * two_pixels / 2 : size;
        uint8_t *const kept_to = coefs + begin + (end - begin) / 4;
        const uint8_t *const used_to = (const uint8_t *) f->ts[i].frame_thread[1].cf;
        if (used_to > kept_to && used_to <= coefs + size)
            dav1d_daedalus_clear_pages(kept_to, used_to - kept_to);
    }
}

void dav1d_daedalus_end_frame(Dav1dFrameContext *const f, const int retval) {
    if (f->daedalus.frame && f->c->uses_2pass && f->frame_thread.cf && !retval &&
        !f->daedalus.only_parses)
    {
        give_back_coefs(f);
    }
    dd_frame_end(&f->daedalus.frame, retval ? DD_OUTCOME_DROPPED :
                 f->daedalus.rerun ? DD_OUTCOME_RERUN : DD_OUTCOME_DONE);
}

void dav1d_daedalus_free_frame(Dav1dFrameContext *const f) {
    dd_frame_end(&f->daedalus.frame, DD_OUTCOME_DROPPED);
    dav1d_free_aligned(f->daedalus.tc);
    dav1d_daedalus_free_recording(f);
}
