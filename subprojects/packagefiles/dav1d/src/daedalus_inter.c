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

#include <stdlib.h>
#include <string.h>

#include <daedalus/daedalus.h>

#include "common/intops.h"

#include "src/daedalus.h"
#include "src/mem.h"
#include "src/recon.h"
#include "src/tables.h"
#include "src/thread_task.h"
#include "src/wedge.h"

/* Inter prediction on a GPU. Frames are decoded in two passes. When the first
 * one has parsed a block, its predictions are recorded: everything that they
 * depend on is known then, and none of them needs a pixel of the same frame.
 * Between the passes the GPU predicts all inter blocks of the frame. The second
 * pass is the usual one, with the functions for motion compensation doing
 * nothing: what remains of an inter block is inter-intra and residual.
 *
 * Where the plan gives residuals to the GPU too, they are recorded along with
 * the predictions, and their coefficients are taken. Blocks with inter-intra keep
 * theirs for the CPU, as their prediction ends there. The first pass notes those
 * blocks and intra blocks, and they are all that the second one visits.
 *
 * Where the next frame waits for this one's probabilities, parsing is a chain that
 * more threads don't shorten. Then the first pass only notes most blocks, and they
 * are recorded when its tile is parsed, while another thread parses on. */

/* A block's plane (both of chroma). */
typedef struct {
    Dav1dTaskContext *t;
    const Dav1dFrameContext *f;
    DdAv1Recorder *recorder;
    int chroma, ss_hor, ss_ver, h_mul, v_mul; /* pixels of 4 pixels of luma */
} Plane;

/* Of a tile, where a frame has no more of them than there are threads: its rows are
 * parsed one after the other. Each recorder of each frame in flight grows to what the
 * largest frame needs of it. */
static DdAv1Recorder *recorder_of(const Dav1dTaskContext *const t) {
    const Dav1dFrameContext *const f = t->f;
    return dd_av1_recorder(f->daedalus.frame,
                           (unsigned) (f->daedalus.recorder_per_tile ? t->ts - f->ts : t - f->c->tc));
}

static Plane plane_of(Dav1dTaskContext *const t, const int chroma) {
    const Dav1dFrameContext *const f = t->f;
    Plane p = {
        .t        = t,
        .f        = f,
        .recorder = recorder_of(t),
        .chroma   = chroma,
        .ss_hor   = chroma && f->cur.p.layout != DAV1D_PIXEL_LAYOUT_I444,
        .ss_ver   = chroma && f->cur.p.layout == DAV1D_PIXEL_LAYOUT_I420,
    };
    p.h_mul = 4 >> p.ss_hor;
    p.v_mul = 4 >> p.ss_ver;
    return p;
}

static void refuse(const Dav1dFrameContext *const f, const DdAv1Refusal why) {
    atomic_store(&((Dav1dFrameContext *) f)->daedalus.refused, 1 + (int) why);
}

/* Which of the references the GPU can read. */
static unsigned readable_references(const Dav1dFrameContext *const f) {
    unsigned readable = 0;
    for (int i = 0; i < 7; i++)
        if (!f->svc[i][0].scale && !dav1d_daedalus_is_plain(&f->refp[i].p))
            readable |= 1U << i;
    return readable;
}

static int can_read(const Dav1dTaskContext *const t, const int ref) {
    const Dav1dFrameContext *const f = t->f;
    if (f->daedalus.readable & (1U << ref)) return 1;
    refuse(f, f->svc[ref][0].scale ? DD_AV1_REFUSE_SCALED : DD_AV1_REFUSE_REFERENCE);
    return 0;
}

static int taps_of(const int type, const int size) {
    return type == DAV1D_FILTER_BILINEAR ? DD_AV1_TAPS_BILINEAR :
           size > 4 ? type : DD_AV1_TAPS_REGULAR_4 + (type & 1);
}

/* w, h: of the prediction, which choose the filters */
static DdAv1Source source_of(const Plane *const p, const int bx, const int by,
                             const int w, const int h, const mv mv, const int ref,
                             const int type_h, const int type_v)
{
    return (DdAv1Source) {
        .x      = bx * p->h_mul * 16 + mv.x * (1 << !p->ss_hor),
        .y      = by * p->v_mul * 16 + mv.y * (1 << !p->ss_ver),
        .ref    = ref,
        .taps_x = taps_of(type_h, w),
        .taps_y = taps_of(type_v, h),
    };
}

static DdAv1Source source_2d(const Plane *const p, const int bx, const int by,
                             const int w, const int h, const mv mv, const int ref,
                             const enum Filter2d filter_2d)
{
    const uint8_t *const dir = dav1d_filter_dir[filter_2d];
    return source_of(p, bx, by, w, h, mv, ref, dir[1], dir[0]);
}

static void set_warp(DdAv1Warp *const w, const Dav1dWarpedMotionParams *const wmp) {
    memcpy(w->matrix, wmp->matrix, sizeof(w->matrix));
    memcpy(w->shear, wmp->u.abcd, sizeof(w->shear));
}

/* An error stays with the frame, and comes back when it is submitted. */
static void predict(const Plane *const p, DdAv1Prediction *const pred,
                    const int x, const int y, const int w, const int h)
{
    if (!can_read(p->t, pred->source[0].ref) ||
        (pred->kind != DD_AV1_SINGLE && !can_read(p->t, pred->source[1].ref)))
    {
        return;
    }
    pred->chroma = p->chroma;
    pred->x = x;
    pred->y = y;
    pred->w = w;
    pred->h = h;
    dd_av1_predict(p->recorder, pred);
}

/* A neighbour's prediction over a part of the block's edge. */
typedef struct {
    DdAv1Source source;
    int from, to; /* 4 pixels of luma from the block's corner */
} Neighbour;

static int neighbours_above(const Plane *const p, const uint8_t *const b_dim,
                            const int w4, Neighbour n[4])
{
    Dav1dTaskContext *const t = p->t;
    const refmvs_block *const row = t->rt.r[(t->by & 31) + 5 - 1];
    const int bx4 = t->bx & 31, oh4 = imin(b_dim[1], 16) >> 1;
    int count = 0;

    if (t->by <= t->ts->tiling.row_start ||
        (p->chroma && b_dim[0] * p->h_mul + b_dim[1] * p->v_mul < 16))
    {
        return 0;
    }
    for (int x = 0; x < w4 && count < imin(b_dim[2], 4); ) {
        const refmvs_block *const r = &row[t->bx + x + 1];
        const int step4 = iclip(dav1d_block_dimensions[r->bs][0], 2, 16);
        if (r->ref.ref[0] > 0) {
            const int ow4 = imin(step4, b_dim[0]);
            n[count++] = (Neighbour) {
                .source = source_of(p, t->bx + x, t->by, ow4 * p->h_mul,
                                    ((oh4 * 3 + 3) >> 2) * p->v_mul,
                                    r->mv.mv[0], r->ref.ref[0] - 1,
                                    t->a->filter[1][bx4 + x + 1],
                                    t->a->filter[0][bx4 + x + 1]),
                .from = x, .to = x + ow4,
            };
        }
        x += step4;
    }
    return count;
}

static int neighbours_left(const Plane *const p, const uint8_t *const b_dim,
                           const int h4, Neighbour n[4])
{
    Dav1dTaskContext *const t = p->t;
    refmvs_block *const *const rows = &t->rt.r[(t->by & 31) + 5];
    const int by4 = t->by & 31, ow4 = imin(b_dim[0], 16) >> 1;
    int count = 0;

    if (t->bx <= t->ts->tiling.col_start) return 0;
    for (int y = 0; y < h4 && count < imin(b_dim[3], 4); ) {
        const refmvs_block *const r = &rows[y + 1][t->bx - 1];
        const int step4 = iclip(dav1d_block_dimensions[r->bs][1], 2, 16);
        if (r->ref.ref[0] > 0) {
            const int oh4 = imin(step4, b_dim[1]);
            n[count++] = (Neighbour) {
                .source = source_of(p, t->bx, t->by + y, ow4 * p->h_mul,
                                    oh4 * p->v_mul, r->mv.mv[0], r->ref.ref[0] - 1,
                                    t->l.filter[1][by4 + y + 1],
                                    t->l.filter[0][by4 + y + 1]),
                .from = y, .to = y + oh4,
            };
        }
        y += step4;
    }
    return count;
}

static const Neighbour *find_neighbour(const Neighbour n[4], const int count, const int at) {
    for (int i = 0; i < count; i++)
        if (at >= n[i].from && at < n[i].to)
            return &n[i];
    return NULL;
}

/* Overlapped: units of 8x8 pixels of luma, each with one neighbour on a side. */
static void record_obmc(const Plane *const p, const uint8_t *const b_dim,
                        const DdAv1Source *const own, const int w4, const int h4)
{
    Dav1dTaskContext *const t = p->t;
    Neighbour above[4], left[4];
    const int n_above = neighbours_above(p, b_dim, w4, above);
    const int n_left = neighbours_left(p, b_dim, h4, left);
    const int size_v = (imin(b_dim[1], 16) >> 1) * p->v_mul;
    const int size_h = (imin(b_dim[0], 16) >> 1) * p->h_mul;

    if (!can_read(p->t, own->ref)) return;
    for (int i = 0; i < n_above; i++)
        if (!can_read(p->t, above[i].source.ref)) return;
    for (int i = 0; i < n_left; i++)
        if (!can_read(p->t, left[i].source.ref)) return;

    for (int y = 0; y < b_dim[1]; y += 2)
        for (int x = 0; x < b_dim[0]; x += 2) {
            const int px = x * p->h_mul, py = y * p->v_mul;
            const Neighbour *const a = py < size_v ? find_neighbour(above, n_above, x) : NULL;
            const Neighbour *const l = px < size_h ? find_neighbour(left, n_left, y) : NULL;
            DdAv1Overlap o = {
                .chroma = p->chroma,
                .x = (t->bx >> p->ss_hor) * 4 + px, .w = 2 * p->h_mul,
                .y = (t->by >> p->ss_ver) * 4 + py, .h = 2 * p->v_mul,
                .source = { *own },
            };
            o.source[0].x += px * 16;
            o.source[0].y += py * 16;
            if (a) {
                o.above = size_v;
                o.above_at = py;
                o.source[1] = a->source;
                o.source[1].x += (px - a->from * p->h_mul) * 16;
                o.source[1].y += py * 16;
            }
            if (l) {
                o.left = size_h;
                o.left_at = px;
                o.source[2] = l->source;
                o.source[2].x += px * 16;
                o.source[2].y += (py - l->from * p->v_mul) * 16;
            }
            dd_av1_overlap(p->recorder, &o);
        }
}

/* Chroma of blocks below 8x8, each part of which has its own motion vector. */
static void record_sub8x8(const Plane *const p, const int bw4, const int bh4,
                          const Av1Block *const b, refmvs_block *const *const r)
{
    Dav1dTaskContext *const t = p->t;
    const int x = (t->bx >> 1) * 4, y = (t->by >> p->ss_ver) * 4;
    const int w = bw4 * 2, h = bh4 * p->v_mul;
    const int narrow = bw4 == 1, low = bh4 == p->ss_ver;
    DdAv1Prediction pred = { .kind = narrow ? DD_AV1_SPLIT : DD_AV1_SINGLE };
/* Of the block that was parsed `ago` blocks before this one. */
#define PART(dx, dy, ago) \
    source_2d(p, t->bx - (dx), t->by - (dy), w, h, r[-(dy)][t->bx - (dx)].mv.mv[0], \
              r[-(dy)][t->bx - (dx)].ref.ref[0] - 1, b[-(ago)].filter2d)

    if (low) {
        pred.source[0] = narrow ? PART(1, 1, 3) : PART(0, 1, 1);
        if (narrow) pred.source[1] = PART(0, 1, 2);
        predict(p, &pred, x, y, 4 * (narrow ? 1 : bw4 / 2), 2);
    }
    const DdAv1Source own = source_2d(p, t->bx, t->by, w, h, b->mv[0], b->ref[0], b->filter2d);
    pred.source[0] = narrow ? PART(1, 0, 1) : own;
    pred.source[1] = own;
    predict(p, &pred, x, y + 2 * low, narrow ? 4 : w, low ? 2 : h);
#undef PART
}

static int is_sub8x8(const Plane *const p, const int bw4, const int bh4,
                     refmvs_block *const *const r)
{
    const int bx = p->t->bx;
    if (bw4 != p->ss_hor && bh4 != p->ss_ver) return 0;
    if (bw4 == 1 && r[0][bx - 1].ref.ref[0] <= 0) return 0;
    if (bh4 == p->ss_ver && r[-1][bx].ref.ref[0] <= 0) return 0;
    return bw4 != 1 || bh4 != p->ss_ver || r[-1][bx - 1].ref.ref[0] > 0;
}

static void record_single(const Plane *const p, const enum BlockSize bs, const Av1Block *const b) {
    Dav1dTaskContext *const t = p->t;
    const Dav1dFrameContext *const f = p->f;
    const uint8_t *const b_dim = dav1d_block_dimensions[bs];
    const int bw4 = b_dim[0], bh4 = b_dim[1];
    const int w4 = imin(bw4, f->bw - t->bx), h4 = imin(bh4, f->bh - t->by);
    const int cbw4 = (bw4 + p->ss_hor) >> p->ss_hor, cbh4 = (bh4 + p->ss_ver) >> p->ss_ver;

    if (p->chroma) {
        refmvs_block *const *const r = &t->rt.r[(t->by & 31) + 5];
        if (is_sub8x8(p, bw4, bh4, r)) {
            record_sub8x8(p, bw4, bh4, b, r);
            return;
        }
    }
    const int w = cbw4 * 4, h = cbh4 * 4;
    const int x = (t->bx >> p->ss_hor) * 4, y = (t->by >> p->ss_ver) * 4;
    DdAv1Prediction pred = { .kind = DD_AV1_SINGLE };
    DdAv1Warp warp;
    if (imin(cbw4, cbh4) > 1 &&
        ((b->inter_mode == GLOBALMV && f->gmv_warp_allowed[b->ref[0]]) ||
         (b->motion_mode == MM_WARP && t->warpmv.type > DAV1D_WM_TYPE_TRANSLATION)))
    {
        set_warp(&warp, b->motion_mode == MM_WARP ? &t->warpmv : &f->frame_hdr->gmv[b->ref[0]]);
        pred.source[0] = (DdAv1Source) { .warp = &warp, .ref = b->ref[0] };
        predict(p, &pred, x, y, w, h);
        return;
    }
    pred.source[0] = source_2d(p, t->bx & ~p->ss_hor, t->by & ~p->ss_ver, w, h,
                               b->mv[0], b->ref[0], b->filter2d);
    if (b->motion_mode == MM_OBMC)
        record_obmc(p, b_dim, &pred.source[0], w4, h4);
    else
        predict(p, &pred, x, y, w, h);
}

/* Both sources of a compound block; the second one where they change places. */
static void compound_sources(const Plane *const p, const enum BlockSize bs,
                             const Av1Block *const b, const int swap,
                             DdAv1Source source[2], DdAv1Warp warp[2])
{
    Dav1dTaskContext *const t = p->t;
    const Dav1dFrameContext *const f = p->f;
    const uint8_t *const b_dim = dav1d_block_dimensions[bs];
    const int w = b_dim[0] * p->h_mul, h = b_dim[1] * p->v_mul;

    for (int i = 0; i < 2; i++) {
        DdAv1Source *const s = &source[i ^ swap];
        if (b->inter_mode == GLOBALMV_GLOBALMV && imin(w, h) > 4 &&
            f->gmv_warp_allowed[b->ref[i]])
        {
            set_warp(&warp[i], &f->frame_hdr->gmv[b->ref[i]]);
            *s = (DdAv1Source) { .warp = &warp[i], .ref = b->ref[i] };
        } else {
            *s = source_2d(p, t->bx, t->by, w, h, b->mv[i], b->ref[i], b->filter2d);
        }
    }
}

static void record_compound(const Plane *const p, const enum BlockSize bs, const Av1Block *const b) {
    Dav1dTaskContext *const t = p->t;
    const Dav1dFrameContext *const f = p->f;
    const uint8_t *const b_dim = dav1d_block_dimensions[bs];
    const int layout = f->cur.p.layout == DAV1D_PIXEL_LAYOUT_I400 ? 0 :
                       DAV1D_PIXEL_LAYOUT_I444 - f->cur.p.layout;
    const int wedge = b->comp_type == COMP_INTER_WEDGE;
    DdAv1Prediction pred = { .kind = DD_AV1_WEIGHTED, .weight = 32 };
    DdAv1Warp warp[2];

    compound_sources(p, bs, b, wedge && b->mask_sign, pred.source, warp);
    if (b->comp_type == COMP_INTER_WEIGHTED_AVG) {
        pred.weight = 4 * f->jnt_weights[b->ref[0]][b->ref[1]];
    } else if (wedge) {
        pred.kind = DD_AV1_BY_MASK;
        pred.mask = p->chroma ? WEDGE_MASK(layout, bs, b->mask_sign, b->wedge_idx) :
                                WEDGE_MASK(0, bs, 0, b->wedge_idx);
    }
    predict(p, &pred, (t->bx >> p->ss_hor) * 4, (t->by >> p->ss_ver) * 4,
            b_dim[0] * p->h_mul, b_dim[1] * p->v_mul);
}

static void record_difference(Dav1dTaskContext *const t, const enum BlockSize bs,
                              const Av1Block *const b, const int has_chroma)
{
    const uint8_t *const b_dim = dav1d_block_dimensions[bs];
    const Plane luma = plane_of(t, 0);
    DdAv1Difference d = {
        .chroma = has_chroma, .sign = b->mask_sign,
        .x = t->bx * 4, .y = t->by * 4, .w = b_dim[0] * 4, .h = b_dim[1] * 4,
    };
    DdAv1Warp warp[2], chroma_warp[2];

    compound_sources(&luma, bs, b, b->mask_sign, d.source, warp);
    if (has_chroma) {
        const Plane chroma = plane_of(t, 1);
        compound_sources(&chroma, bs, b, b->mask_sign, d.chroma_source, chroma_warp);
    }
    if (can_read(t, b->ref[0]) && can_read(t, b->ref[1]))
        dd_av1_difference(luma.recorder, &d);
}

/* A block all of whose planes are translated alike: one call for all of them. */
static int record_plain(Dav1dTaskContext *const t, DdAv1Recorder *const recorder,
                        const enum BlockSize bs, const Av1Block *const b)
{
    const Dav1dFrameContext *const f = t->f;
    const uint8_t *const b_dim = dav1d_block_dimensions[bs];
    const int compound = b->comp_type != COMP_INTER_NONE;

    if (imin(b_dim[0], b_dim[1]) < 2 ||
        (compound ? (b->comp_type != COMP_INTER_AVG && b->comp_type != COMP_INTER_WEIGHTED_AVG) ||
                    (b->inter_mode == GLOBALMV_GLOBALMV &&
                     (f->gmv_warp_allowed[b->ref[0]] || f->gmv_warp_allowed[b->ref[1]]))
                  : b->motion_mode != MM_TRANSLATION ||
                    (b->inter_mode == GLOBALMV && f->gmv_warp_allowed[b->ref[0]])))
    {
        return 0;
    }
    const uint8_t *const dir = dav1d_filter_dir[b->filter2d];
    DdAv1InterBlock block = {
        .x = t->bx * 4, .w_log2 = 2 + b_dim[2],
        .y = t->by * 4, .h_log2 = 2 + b_dim[3],
        .compound = compound,
        .ref = { b->ref[0] },
        .taps_x = taps_of(dir[1], 8),
        .taps_y = taps_of(dir[0], 8),
        .mv = { { b->mv[0].x, b->mv[0].y } },
    };
    if (!can_read(t, b->ref[0])) return 1;
    if (compound) {
        if (!can_read(t, b->ref[1])) return 1;
        block.weight = b->comp_type == COMP_INTER_AVG ? 32 : 4 * f->jnt_weights[b->ref[0]][b->ref[1]];
        block.ref[1] = b->ref[1];
        block.mv[1][0] = b->mv[1].x;
        block.mv[1][1] = b->mv[1].y;
    }
    dd_av1_predict_block(recorder, &block);
    return 1;
}

static void record_block(Dav1dTaskContext *const t, DdAv1Recorder *const recorder,
                         const enum BlockSize bs, const Av1Block *const b)
{
    if (record_plain(t, recorder, bs, b)) return;
    const Dav1dFrameContext *const f = t->f;
    const uint8_t *const b_dim = dav1d_block_dimensions[bs];
    const int ss_ver = f->cur.p.layout == DAV1D_PIXEL_LAYOUT_I420;
    const int ss_hor = f->cur.p.layout != DAV1D_PIXEL_LAYOUT_I444;
    const int has_chroma = f->cur.p.layout != DAV1D_PIXEL_LAYOUT_I400 &&
                           (b_dim[0] > ss_hor || t->bx & 1) &&
                           (b_dim[1] > ss_ver || t->by & 1);

    if (b->comp_type == COMP_INTER_SEG) {
        record_difference(t, bs, b, has_chroma);
        return;
    }
    for (int chroma = 0; chroma <= has_chroma; chroma++) {
        const Plane p = plane_of(t, chroma);
        if (b->comp_type == COMP_INTER_NONE)
            record_single(&p, bs, b);
        else
            record_compound(&p, bs, b);
    }
}

/* A walk over the transform blocks of an inter block, in the order of the
 * bitstream. Positions are in 4 pixels of the plane. */
typedef struct Walk {
    const Dav1dFrameContext *f;
    DdAv1Recorder *recorder;
    int16_t *cbi;
    uint8_t *cf, *home; /* home: where the second pass would look for what is at cf */
    int left; /* some coefficients are still at cf */
    void (*visit)(struct Walk *w, enum RectTxfmSize tx, int plane, int x, int y);
} Walk;

static void visit_tx(Walk *const w, const enum RectTxfmSize tx, const int plane,
                     const int x, const int y)
{
    const TxfmInfo *const t_dim = &dav1d_txfm_dimensions[tx];
    /* as read_coef_tree and what reads chroma have it */
    const int n = plane ? t_dim->w * t_dim->h : imin(t_dim->w, 8) * imin(t_dim->h, 8);
    if (*w->cbi >= 0) w->visit(w, tx, plane, x, y);
    const int size = kept_coefs(*w->cbi++ >> 5, n) << (1 + !!w->f->seq_hdr->hbd);
    w->cf   += size;
    w->home += size;
}

static void walk_tree(Walk *const w, const enum RectTxfmSize tx, const int depth,
                      const uint16_t *const tx_split, const int x_off, const int y_off,
                      const int x, const int y)
{
    const Dav1dFrameContext *const f = w->f;
    const TxfmInfo *const t_dim = &dav1d_txfm_dimensions[tx];

    if (depth >= 2 || !tx_split[depth] ||
        !(tx_split[depth] & (1 << (y_off * 4 + x_off))))
    {
        visit_tx(w, tx, 0, x, y);
        return;
    }
    const enum RectTxfmSize sub = t_dim->sub;
    const TxfmInfo *const sub_t_dim = &dav1d_txfm_dimensions[sub];
    const int x_end = t_dim->w >= t_dim->h ? imin(x + t_dim->w, f->bw) : x + 1;
    const int y_end = t_dim->h >= t_dim->w ? imin(y + t_dim->h, f->bh) : y + 1;
    for (int sy = y, i = 0; sy < y_end; sy += sub_t_dim->h, i++)
        for (int sx = x, j = 0; sx < x_end; sx += sub_t_dim->w, j++)
            walk_tree(w, sub, depth + 1, tx_split, x_off * 2 + j, y_off * 2 + i, sx, sy);
}

static void walk(Walk *const w, const Dav1dTaskContext *const t, const enum BlockSize bs,
                 const Av1Block *const b)
{
    const Dav1dFrameContext *const f = t->f;
    const int ss_ver = f->cur.p.layout == DAV1D_PIXEL_LAYOUT_I420;
    const int ss_hor = f->cur.p.layout != DAV1D_PIXEL_LAYOUT_I444;
    const uint8_t *const b_dim = dav1d_block_dimensions[bs];
    const int has_chroma = f->cur.p.layout != DAV1D_PIXEL_LAYOUT_I400 &&
                           (b_dim[0] > ss_hor || t->bx & 1) &&
                           (b_dim[1] > ss_ver || t->by & 1);
    const int w4 = imin(b_dim[0], f->bw - t->bx), h4 = imin(b_dim[1], f->bh - t->by);
    const int cw4 = (w4 + ss_hor) >> ss_hor, ch4 = (h4 + ss_ver) >> ss_ver;
    const TxfmInfo *const ytx = &dav1d_txfm_dimensions[b->max_ytx];
    const TxfmInfo *const uvtx = &dav1d_txfm_dimensions[b->uvtx];
    const uint16_t tx_split[2] = { b->tx_split0, b->tx_split1 };

    w->f = f;
    for (int y0 = 0; y0 < h4; y0 += 16)
        for (int x0 = 0; x0 < w4; x0 += 16) {
            for (int y = y0, i = !!y0; y < imin(h4, y0 + 16); y += ytx->h, i++)
                for (int x = x0, j = !!x0; x < imin(w4, x0 + 16); x += ytx->w, j++)
                    walk_tree(w, b->max_ytx, 0, tx_split, j, i, t->bx + x, t->by + y);
            for (int pl = 1; has_chroma && pl < 3; pl++)
                for (int y = y0 >> ss_ver; y < imin(ch4, (y0 + 16) >> ss_ver); y += uvtx->h)
                    for (int x = x0 >> ss_hor; x < imin(cw4, (x0 + 16) >> ss_hor); x += uvtx->w)
                        visit_tx(w, b->uvtx, pl, (t->bx >> ss_hor) + x, (t->by >> ss_ver) + y);
        }
}

static void record_tx(Walk *const w, const enum RectTxfmSize tx, const int plane,
                      const int x, const int y)
{
    const DdAv1Residual r = {
        .plane = plane, .size = tx, .type = *w->cbi & 0x1f, .eob = *w->cbi >> 5,
        .x = x * 4, .y = y * 4, .coefs = w->cf, .home = w->home,
    };
    if (dd_av1_take_residual(w->recorder, &r) != DD_OK)
        w->left = 1;
}

static void count_tx(Walk *const w, const enum RectTxfmSize tx, const int plane,
                     const int x, const int y)
{
    dd_av1_residuals_kept(w->recorder, 1);
}

static int is_inter_intra(const Av1Block *const b) {
    return b->comp_type == COMP_INTER_NONE && b->interintra_type;
}

/* The CPU has a share in a block unless its prediction is whole on the GPU. */
static int has_cpu_share(const Av1Block *const b) {
    return b->intra || is_inter_intra(b);
}

/* Modes of a block's neighbours, which decide on the filters of edges. */
enum {
    DAEDALUS_SMOOTH_ABOVE = 1, DAEDALUS_SMOOTH_LEFT = 2,
    DAEDALUS_SMOOTH_ABOVE_UV = 4, DAEDALUS_SMOOTH_LEFT_UV = 8,
};

/* A block of which the CPU has a share, or that is recorded later. */
struct DaedalusBlock {
    const Av1Block *b;
    int16_t *cbi;
    void *cf; /* where its coefficients begin */
    uint16_t bx, by;
    uint8_t bs, edges;
    uint8_t smooth; /* DAEDALUS_SMOOTH_* */
};
static int is_smooth(const uint8_t mode) {
    return mode == SMOOTH_PRED || mode == SMOOTH_H_PRED || mode == SMOOTH_V_PRED;
}

static int smooth_neighbours(const Dav1dTaskContext *const t) {
    const enum Dav1dPixelLayout layout = t->f->cur.p.layout;
    const int bx4 = t->bx & 31, by4 = t->by & 31;
    const int cbx4 = bx4 >> (layout != DAV1D_PIXEL_LAYOUT_I444);
    const int cby4 = by4 >> (layout == DAV1D_PIXEL_LAYOUT_I420);
    return (t->a->intra[bx4] && is_smooth(t->a->mode[bx4]) ? DAEDALUS_SMOOTH_ABOVE    : 0) |
           (t->l.intra[by4]  && is_smooth(t->l.mode[by4])  ? DAEDALUS_SMOOTH_LEFT     : 0) |
           (is_smooth(t->a->uvmode[cbx4])                  ? DAEDALUS_SMOOTH_ABOVE_UV : 0) |
           (is_smooth(t->l.uvmode[cby4])                   ? DAEDALUS_SMOOTH_LEFT_UV  : 0);
}

/* A neighbour that isn't smooth might be anything else. */
static void set_neighbours(Dav1dTaskContext *const t, const int smooth) {
    const enum Dav1dPixelLayout layout = t->f->cur.p.layout;
    const int bx4 = t->bx & 31, by4 = t->by & 31;
    const int cbx4 = bx4 >> (layout != DAV1D_PIXEL_LAYOUT_I444);
    const int cby4 = by4 >> (layout == DAV1D_PIXEL_LAYOUT_I420);
    t->a->intra[bx4] = t->l.intra[by4] = 1;
    t->a->mode[bx4] = smooth & DAEDALUS_SMOOTH_ABOVE ? SMOOTH_PRED : DC_PRED;
    t->l.mode[by4]  = smooth & DAEDALUS_SMOOTH_LEFT  ? SMOOTH_PRED : DC_PRED;
    t->a->uvmode[cbx4] = smooth & DAEDALUS_SMOOTH_ABOVE_UV ? SMOOTH_PRED : DC_PRED;
    t->l.uvmode[cby4]  = smooth & DAEDALUS_SMOOTH_LEFT_UV  ? SMOOTH_PRED : DC_PRED;
}

/* NULL: out of memory, and the frame is refused. */
static struct DaedalusBlock *note(const Dav1dTaskContext *const t, DaedalusNotes *const notes,
                                  const enum BlockSize bs, const Av1Block *const b)
{
    if (notes->n == notes->room) {
        const unsigned room = notes->room * 2 + 256;
        struct DaedalusBlock *const block =
            dav1d_realloc(ALLOC_BLOCK, notes->block, sizeof(*block) * room);
        if (!block) {
            refuse(t->f, DD_AV1_REFUSE_REFERENCE);
            return NULL;
        }
        notes->block = block;
        notes->room = room;
    }
    struct DaedalusBlock *const block = &notes->block[notes->n++];
    block->b   = b;
    block->cbi = t->ts->frame_thread[1].cbi;
    block->cf  = t->ts->frame_thread[1].cf;
    block->bx  = t->bx;
    block->by  = t->by;
    block->bs  = bs;
    return block;
}

static void note_cpu_share(Dav1dTaskContext *const t, const enum BlockSize bs,
                           const Av1Block *const b)
{
    const Dav1dFrameContext *const f = t->f;
    const uint8_t *const b_dim = dav1d_block_dimensions[bs];
    struct DaedalusBlock *const block = note(t, &f->daedalus.tile[t->ts - f->ts].shares, bs, b);
    if (!block) return;
    block->edges  = t->intra_edge_flags;
    block->smooth = smooth_neighbours(t);
    dd_av1_cpu_share(recorder_of(t), t->bx * 4, t->by * 4, b_dim[0] * 4, b_dim[1] * 4);
}

/* The blocks of a tile were noted row after row. */
int dav1d_daedalus_decode_shares(Dav1dTaskContext *const t) {
    const Dav1dFrameContext *const f = t->f;
    Dav1dTileState *const ts = t->ts;
    DaedalusTile *const tile = &f->daedalus.tile[ts - f->ts];
    BlockContext *const a = f->a + ts->tiling.row * f->sb128w +
                            (f->c->n_tc > 1 ? f->sb128w * f->frame_hdr->tiling.rows : 0);
    const int first = t->by;

    if (atomic_load_explicit(f->c->flush, memory_order_acquire)) return 1;
    for (; tile->next < tile->shares.n; tile->next++) {
        const struct DaedalusBlock *const block = &tile->shares.block[tile->next];
        if (block->by >= first + f->sb_step) break;
        const Av1Block *const b = block->b;
        t->bx = block->bx;
        t->by = block->by;
        t->a  = a + (t->bx >> 5);
        ts->frame_thread[0].cbi = block->cbi;
        ts->frame_thread[0].cf  = block->cf;
        if (b->intra) {
            set_neighbours(t, block->smooth);
            f->bd_fn.recon_b_intra(t, block->bs, block->edges, b);
        } else if (f->bd_fn.recon_b_inter(t, block->bs, b)) {
            return 1;
        }
    }
    t->by = first;
    return 0;
}

/* cbi, cf, home: where its coefficients begin. Some may be left at cf. */
static int record(Dav1dTaskContext *const t, const enum BlockSize bs, const Av1Block *const b,
                  int16_t *const cbi, void *const cf, void *const home)
{
    const Dav1dFrameContext *const f = t->f;
    DdAv1Recorder *const recorder = recorder_of(t);
    Walk w = { .recorder = recorder, .cbi = cbi, .cf = cf, .home = home };
    record_block(t, recorder, bs, b);
    if (!b->skip && f->daedalus.residuals) {
        w.visit = is_inter_intra(b) ? count_tx : record_tx;
        walk(&w, t, bs, b);
    }
    return w.left;
}

/* The neighbours of a block are known while it is parsed; overlapped blocks and the
 * chroma of small ones need them. What remains of a warp later isn't enough, either. */
static int is_recorded_later(const Dav1dFrameContext *const f, const enum BlockSize bs,
                             const Av1Block *const b)
{
    const uint8_t *const b_dim = dav1d_block_dimensions[bs];
    return f->daedalus.records_later && imin(b_dim[0], b_dim[1]) > 1 &&
           (b->comp_type != COMP_INTER_NONE || b->motion_mode == MM_TRANSLATION);
}

/* Coefficients that are recorded at once are read to where those of the last block
 * were, which are still in the cache. */
static void read_and_record(Dav1dTaskContext *const t, const enum BlockSize bs,
                            const Av1Block *const b)
{
    const Dav1dFrameContext *const f = t->f;
    Dav1dTileState *const ts = t->ts;
    const int aside = f->daedalus.residuals && !has_cpu_share(b);
    int16_t *const cbi = ts->frame_thread[1].cbi;
    uint8_t *const home = (uint8_t *) ts->frame_thread[1].cf;
    uint8_t *const cf = aside ? f->daedalus.tile[ts - f->ts].coefs : home;

    ts->frame_thread[1].cf = (void *) cf;
    f->daedalus.read_coef_blocks(t, bs, b);
    const size_t size = (uint8_t *) ts->frame_thread[1].cf - cf;
    ts->frame_thread[1].cf = (void *) (home + size);
    if (record(t, bs, b, cbi, cf, home) && aside) {
        memcpy(home, cf, size);
        memset(cf, 0, size);
    }
}

static void read_coef_blocks(Dav1dTaskContext *const t, const enum BlockSize bs,
                             const Av1Block *const b)
{
    const Dav1dFrameContext *const f = t->f;
    const int refused = atomic_load_explicit(&f->daedalus.refused, memory_order_relaxed);
    const int later = !refused && !b->intra && is_recorded_later(f, bs, b);
    if (f->daedalus.residuals && !refused && has_cpu_share(b))
        note_cpu_share(t, bs, b);
    if (later)
        note(t, &f->daedalus.tile[t->ts - f->ts].later, bs, b);
    if (!b->intra && !refused && !later)
        read_and_record(t, bs, b);
    else
        f->daedalus.read_coef_blocks(t, bs, b);
}

void dav1d_daedalus_record_tile(Dav1dTaskContext *const t) {
    const Dav1dFrameContext *const f = t->f;
    const DaedalusNotes *const later = &f->daedalus.tile[t->ts - f->ts].later;
    const int64_t begin = dd_frame_trace_time(f->daedalus.frame);
    for (unsigned n = 0; n < later->n; n++) {
        const struct DaedalusBlock *const block = &later->block[n];
        if (atomic_load_explicit(&f->daedalus.refused, memory_order_relaxed)) break;
        t->bx = block->bx;
        t->by = block->by;
        record(t, block->bs, block->b, block->cbi, block->cf, block->cf);
    }
    dd_frame_trace(f->daedalus.frame, "record", begin);
    atomic_fetch_sub(&((Dav1dFrameContext *) f)->daedalus.unrecorded, 1);
}

/* The functions of the second pass. */
static int make_dsp(Dav1dFrameContext *const f) {
    Dav1dDSPContext *dsp = f->daedalus.dsp;
    if (!dsp) {
        dsp = f->daedalus.dsp = dav1d_malloc(ALLOC_COMMON_CTX, sizeof(*dsp));
        if (!dsp) return -1;
    }
    *dsp = *f->dsp;
    if (f->seq_hdr->hbd)
        dav1d_daedalus_no_mc_16bpc(&dsp->mc);
    else
        dav1d_daedalus_no_mc_8bpc(&dsp->mc);
    return 0;
}

/* Room to note blocks. */
static int make_notes(Dav1dFrameContext *const f) {
    const unsigned n_tiles = f->frame_hdr->tiling.cols * f->frame_hdr->tiling.rows;
    if (n_tiles > f->daedalus.n_tiles) {
        DaedalusTile *const tile =
            dav1d_realloc(ALLOC_TILE, f->daedalus.tile, sizeof(*tile) * n_tiles);
        if (!tile) return -1;
        memset(tile + f->daedalus.n_tiles, 0,
               sizeof(*tile) * (n_tiles - f->daedalus.n_tiles));
        f->daedalus.tile = tile;
        f->daedalus.n_tiles = n_tiles;
    }
    const size_t coefs_size = (128 * 128 * 3 * sizeof(int16_t)) << !!f->seq_hdr->hbd;
    for (unsigned n = 0; n < n_tiles; n++) {
        DaedalusTile *const tile = &f->daedalus.tile[n];
        tile->shares.n = tile->later.n = tile->next = 0;
        if (tile->coefs_size >= coefs_size) continue;
        dav1d_free_aligned(tile->coefs);
        tile->coefs_size = 0;
        tile->coefs = dav1d_alloc_aligned(ALLOC_COEF, coefs_size, 64);
        if (!tile->coefs) return -1;
        memset(tile->coefs, 0, coefs_size);
        tile->coefs_size = coefs_size;
    }
    return 0;
}

void dav1d_daedalus_free_recording(Dav1dFrameContext *const f) {
    for (unsigned n = 0; n < f->daedalus.n_tiles; n++) {
        dav1d_free(f->daedalus.tile[n].shares.block);
        dav1d_free(f->daedalus.tile[n].later.block);
        dav1d_free_aligned(f->daedalus.tile[n].coefs);
    }
    dav1d_free(f->daedalus.tile);
    dav1d_free(f->daedalus.dsp);
}

void dav1d_daedalus_start_recording(Dav1dFrameContext *const f) {
    atomic_store(&f->daedalus.refused, 0);
    f->daedalus.residuals = dd_frame_plan(f->daedalus.frame).side[DD_STAGE_ITX] == DD_SIDE_GPU;
    f->daedalus.readable = readable_references(f);
    f->daedalus.records_later = 0;
    if (make_dsp(f) || make_notes(f)) {
        refuse(f, DD_AV1_REFUSE_REFERENCE);
    } else {
        f->daedalus.records_later = f->c->n_tc > 1 && f->frame_hdr->refresh_context;
        f->daedalus.read_coef_blocks = f->bd_fn.read_coef_blocks;
        f->bd_fn.read_coef_blocks    = read_coef_blocks;
    }
    atomic_store(&f->daedalus.unrecorded, f->daedalus.records_later ?
                 f->frame_hdr->tiling.cols * f->frame_hdr->tiling.rows : 0);
    atomic_store(&f->daedalus.state, DAEDALUS_RECORDING);
}

void dav1d_daedalus_stop_recording(Dav1dFrameContext *const f) {
    f->daedalus.skips = f->daedalus.records_later = 0;
    atomic_store(&f->daedalus.state, DAEDALUS_NONE);
}

int dav1d_daedalus_records(const Dav1dFrameContext *const f) {
    return atomic_load(&f->daedalus.state) == DAEDALUS_RECORDING;
}

int dav1d_daedalus_recon_waits(const Dav1dFrameContext *const f) {
    const int state = atomic_load(&f->daedalus.state);
    if (state != DAEDALUS_RECORDING) return state == DAEDALUS_RUNNING;
    if (atomic_load(&f->frame_thread.entropy_progress) < f->sbh ||
        atomic_load(&f->daedalus.unrecorded))
    {
        return 1;
    }
    for (int i = 0; i < 7; i++)
        if (f->refp[i].p.data[0] && atomic_load(&f->refp[i].progress[1]) < FRAME_ERROR)
            return 1;
    return 0;
}

void dav1d_daedalus_submit_recon(Dav1dFrameContext *const f) {
    const int refused = atomic_load(&f->daedalus.refused);
    atomic_store(&f->daedalus.state, DAEDALUS_RUNNING);
    if (f->daedalus.only_parses) { /* and records */
        f->daedalus.recon_result = DD_OK;
        return;
    }
    if (refused) {
        dd_av1_refuse(f->daedalus.frame, (DdAv1Refusal) (refused - 1));
        return;
    }
    if (f->daedalus.residuals) /* the second pass skips what isn't a share */
        dd_av1_cpu_shares_complete(f->daedalus.frame);
    f->daedalus.recon_result = dd_frame_submit(f->daedalus.frame, DD_PHASE_RECON, 0);
}

static int is_predicted(Dav1dFrameContext *const f) {
    if (atomic_load(&f->daedalus.refused)) return 0;
    if (f->daedalus.recon_result != DD_OK || dd_frame_wait(f->daedalus.frame) != DD_OK) {
        f->daedalus.rerun = 1;
        return 0;
    }
    return dd_frame_plan(f->daedalus.frame).side[DD_STAGE_MC] == DD_SIDE_GPU;
}

static void wait(Dav1dFrameContext *const f) {
    if (f->daedalus.only_parses || is_predicted(f)) {
        f->dsp = f->daedalus.dsp;
        f->daedalus.skips = f->daedalus.residuals;
    } else { /* the second pass does everything */
        dd_av1_give_back_residuals(f->daedalus.frame);
    }
}

void dav1d_daedalus_undo_recon(Dav1dFrameContext *const f) {
    f->dsp = &f->c->dsp[f->seq_hdr->hbd];
    f->daedalus.skips = 0;
}

void dav1d_daedalus_recon(Dav1dFrameContext *const f) {
    const int threads = f->c->n_tc > 1;
    if (atomic_load(&f->daedalus.state) == DAEDALUS_NONE ||
        atomic_load(&f->daedalus.state) == DAEDALUS_DONE)
    {
        return;
    }
    /* The second thread waits. */
    if (threads) pthread_mutex_lock(&f->task_thread.lock);
    if (atomic_load(&f->daedalus.state) == DAEDALUS_RECORDING)
        dav1d_daedalus_submit_recon(f);
    if (atomic_load(&f->daedalus.state) == DAEDALUS_RUNNING) {
        wait(f);
        atomic_store(&f->daedalus.state, DAEDALUS_DONE);
    }
    if (threads) pthread_mutex_unlock(&f->task_thread.lock);
}
