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

#include <string.h>

#include <daedalus/daedalus.h>

#include "common/intops.h"

#include "src/daedalus.h"
#include "src/recon.h"
#include "src/tables.h"
#include "src/wedge.h"

/* Intra prediction on a GPU: what recon_b_intra does with pixels, and the intra part of
 * inter-intra prediction, is recorded while the block is parsed. Nothing is left to the
 * second pass then. */

/* Luma, or both planes of chroma, of a block. All but ss_* is in 4 pixels of the plane. */
typedef struct {
    const Dav1dFrameContext *f;
    DdAv1Recorder *recorder;
    unsigned tile;
    int chroma, ss_hor, ss_ver;
    int x, y, w, h;         /* of what lies in the picture */
    int x_start, y_start, x_end, y_end; /* of the tile */
    enum RectTxfmSize tx;
    enum IntraPredMode mode;
    int delta; /* of the mode's angle */
} IntraPlane;

static IntraPlane intra_plane(const Dav1dTaskContext *const t, DdAv1Recorder *const recorder,
                              const uint8_t *const b_dim, const int chroma)
{
    const Dav1dFrameContext *const f = t->f;
    const Dav1dTileState *const ts = t->ts;
    const int ss_hor = chroma && f->cur.p.layout != DAV1D_PIXEL_LAYOUT_I444;
    const int ss_ver = chroma && f->cur.p.layout == DAV1D_PIXEL_LAYOUT_I420;
    return (IntraPlane) {
        .f        = f,
        .recorder = recorder,
        .tile     = (unsigned) (ts - f->ts),
        .chroma   = chroma,
        .ss_hor   = ss_hor,
        .ss_ver   = ss_ver,
        .x        = t->bx >> ss_hor,
        .y        = t->by >> ss_ver,
        .w        = (imin(b_dim[0], f->bw - t->bx) + ss_hor) >> ss_hor,
        .h        = (imin(b_dim[1], f->bh - t->by) + ss_ver) >> ss_ver,
        .x_start  = ts->tiling.col_start >> ss_hor,
        .y_start  = ts->tiling.row_start >> ss_ver,
        .x_end    = ts->tiling.col_end >> ss_hor,
        .y_end    = ts->tiling.row_end >> ss_ver,
    };
}

static int has_chroma(const Dav1dTaskContext *const t, const uint8_t *const b_dim) {
    const enum Dav1dPixelLayout layout = t->f->cur.p.layout;
    return layout != DAV1D_PIXEL_LAYOUT_I400 &&
           (b_dim[0] > (layout != DAV1D_PIXEL_LAYOUT_I444) || t->bx & 1) &&
           (b_dim[1] > (layout == DAV1D_PIXEL_LAYOUT_I420) || t->by & 1);
}

/* Paeth prediction without one of its edges. */
static int paeth_mode(const int has_left, const int has_above) {
    return has_left  ? has_above ? DD_AV1_INTRA_PAETH : DD_AV1_INTRA_H :
           has_above ? DD_AV1_INTRA_V : DD_AV1_INTRA_DC;
}

static void set_direction(DdAv1Intra *const i, const int angle) {
    i->angle = angle;
    i->mode  = angle <= 90 ? angle < 90 && i->has_above ? DD_AV1_INTRA_DIRECTION : DD_AV1_INTRA_V :
               angle < 180 || (angle > 180 && i->has_left) ? DD_AV1_INTRA_DIRECTION : DD_AV1_INTRA_H;
}

static void set_mode(DdAv1Intra *const i, const enum IntraPredMode mode, const int delta) {
    static const uint8_t angles[] = { 90, 180, 45, 135, 113, 157, 203, 67 };
    switch (mode) {
    case DC_PRED:
        i->mode = DD_AV1_INTRA_DC;
        break;
    case SMOOTH_PRED:
        i->mode = DD_AV1_INTRA_SMOOTH;
        break;
    case SMOOTH_V_PRED:
        i->mode = DD_AV1_INTRA_SMOOTH_V;
        break;
    case SMOOTH_H_PRED:
        i->mode = DD_AV1_INTRA_SMOOTH_H;
        break;
    case PAETH_PRED:
        i->mode = paeth_mode(i->has_left, i->has_above);
        break;
    case FILTER_PRED: /* and CFL_PRED, which never comes here */
        i->mode  = DD_AV1_INTRA_FILTER;
        i->angle = delta;
        break;
    default:
        set_direction(i, angles[mode - VERT_PRED] + 3 * delta);
    }
}

/* x, y: of w by h 4x4 pixels in the plane. flags: for luma, as those of
 * dav1d_prepare_intra_edges(). */
static void set_edges(DdAv1Intra *const i, const IntraPlane *const p, const int x, const int y,
                      const int w, const int h, const enum EdgeFlags flags)
{
    i->chroma    = p->chroma;
    i->tile      = p->tile;
    i->x         = x * 4;
    i->y         = y * 4;
    i->has_above = y > p->y_start;
    i->has_left  = x > p->x_start;
    set_mode(i, p->mode, p->delta);

    int above = imin(w, p->x_end - x), left = imin(h, p->y_end - y);
    if (i->mode == DD_AV1_INTRA_DIRECTION && i->angle < 90 &&
        flags & EDGE_I444_TOP_HAS_RIGHT && x + w < p->x_end)
    {
        above += imin(w, p->x_end - x - w);
    }
    if (i->mode == DD_AV1_INTRA_DIRECTION && i->angle > 180 &&
        flags & EDGE_I444_LEFT_HAS_BOTTOM && y + h < p->y_end)
    {
        left += imin(h, p->y_end - y - h);
    }
    i->above = above * 4;
    i->left  = left * 4;
}

/* Where coefficients are read from; home: where the second pass would look for them. */
typedef struct {
    const int16_t *cbi; /* NULL: there are none */
    uint8_t *cf, *home;
    int left; /* some are still there */
} Coefs;

/* Passes over n transform blocks of so many times 4x4 coefficients. */
static void skip_coefs(Coefs *const c, const int n, const int blocks, const int hbd) {
    if (!c->cbi) return;
    for (int i = 0; i < n; i++) {
        const int size = kept_coefs(*c->cbi++ >> 5, blocks) << (1 + hbd);
        c->cf   += size;
        c->home += size;
    }
}

/* Returns NULL where the next block has none. */
static const DdAv1Residual *residual_of(const Coefs *const c, const enum RectTxfmSize tx,
                                        DdAv1Residual *const r)
{
    if (!c->cbi || *c->cbi < 0) return NULL;
    *r = (DdAv1Residual) {
        .size = tx, .type = *c->cbi & 0x1f, .eob = *c->cbi >> 5,
        .coefs = c->cf, .home = c->home,
    };
    return r;
}

static void put(const IntraPlane *const p, const DdAv1Intra *const i, Coefs *const c) {
    if (dd_av1_intra(p->recorder, i) != DD_OK)
        c->left = 1;
}

/* What all transform blocks of a plane have in common. */
typedef struct {
    IntraPlane plane;
    DdAv1Intra block;
    int has_above_right, has_below_left; /* of the block */
    const uint8_t *indices; /* of its palette */
} Part;

/* The transform blocks of 64x64 pixels of luma, or of the chroma that belongs to them: those
 * from (x0, y0) on, in 4 pixels from the block's corner, up to (x1, y1). Of chroma the
 * residuals of V come behind those of U. */
static void put_part(const Part *const part, const int x0, const int y0, const int x1,
                     const int y1, Coefs *const c)
{
    const IntraPlane *const p = &part->plane;
    const TxfmInfo *const t_dim = &dav1d_txfm_dimensions[p->tx];
    const int w = t_dim->w, h = t_dim->h;
    const int coded = p->chroma ? w * h : imin(w, 8) * imin(h, 8);
    const int hbd = !!p->f->seq_hdr->hbd;
    const int n = ((x1 - x0 + w - 1) >> t_dim->lw) * ((y1 - y0 + h - 1) >> t_dim->lh);
    const int above_right = x1 < p->w ? 1 : y0 ? 0 : part->has_above_right;
    const int below_left = x0 ? 0 : y1 < p->h ? 1 : part->has_below_left;
    Coefs v = *c;

    if (p->chroma) skip_coefs(&v, n, coded, hbd);
    for (int y = y0; y < y1; y += h)
        for (int x = x0; x < x1; x += w) {
            const enum EdgeFlags flags =
                ((y > y0 || !above_right) && x + w >= x1 ? 0 : EDGE_I444_TOP_HAS_RIGHT) |
                (x > x0 || (!below_left && y + h >= y1) ? 0 : EDGE_I444_LEFT_HAS_BOTTOM);
            DdAv1Residual residual[2];
            DdAv1Intra i = part->block;
            set_edges(&i, p, p->x + x, p->y + y, w, h, flags);
            if (part->block.mode == DD_AV1_INTRA_PALETTE)
                i.indices = part->indices + y * 4 * i.index_stride + x * 2;
            if (part->block.mode >= DD_AV1_INTRA_CFL) /* not what set_edges() makes of it */
                i.mode = part->block.mode;
            i.residual[0] = residual_of(c, p->tx, &residual[0]);
            if (p->chroma)
                i.residual[1] = residual_of(&v, p->tx, &residual[1]);
            put(p, &i, c);
            skip_coefs(c, 1, coded, hbd);
            if (p->chroma) skip_coefs(&v, 1, coded, hbd);
        }
    if (p->chroma) {
        v.left = c->left;
        *c = v;
    }
}

static Part part_of(const IntraPlane *const p) {
    const TxfmInfo *const t_dim = &dav1d_txfm_dimensions[p->tx];
    return (Part) {
        .plane = *p,
        .block = {
            .w_log2        = 2 + t_dim->lw,
            .h_log2        = 2 + t_dim->lh,
            .filters_edges = p->f->seq_hdr->intra_edge_filter,
        },
    };
}

/* The maps of indices of a block's palettes have just been read: first luma's, then chroma's. */
static void set_palette(const Dav1dTaskContext *const t, Part *const part, const Av1Block *const b,
                        const uint8_t *const b_dim)
{
    const Dav1dFrameContext *const f = t->f;
    const int chroma = part->plane.chroma, hbd = !!f->seq_hdr->hbd;
    const int ss_hor = f->cur.p.layout != DAV1D_PIXEL_LAYOUT_I444;
    const int ss_ver = f->cur.p.layout == DAV1D_PIXEL_LAYOUT_I420;
    const int cw = (b_dim[0] + ss_hor) >> ss_hor, ch = (b_dim[1] + ss_ver) >> ss_ver;
    const size_t at = ((t->by >> 1) + (t->bx & 1)) * (size_t) (f->b4_stride >> 1) +
                      ((t->bx >> 1) + (t->by & 1));
    /* the palettes of three planes, of eight pixels each */
    const uint8_t *const palettes = (const uint8_t *) f->frame_thread.pal + (at * 3 * 8 << hbd);

    part->block.mode = DD_AV1_INTRA_PALETTE;
    part->block.palette[0] = palettes + (chroma * 8 << hbd);
    if (chroma) part->block.palette[1] = palettes + (2 * 8 << hbd);
    part->block.index_stride = (chroma ? cw : b_dim[0]) * 2;
    part->indices = t->ts->frame_thread[1].pal_idx - (b->pal_sz[1] ? cw * ch * 8 : 0);
    if (!chroma) part->indices -= b_dim[0] * b_dim[1] * 8;
}

static void set_cfl(Part *const part, const Av1Block *const b) {
    const IntraPlane *const p = &part->plane;
    const TxfmInfo *const luma = &dav1d_txfm_dimensions[b->tx];
    const int right  = ((p->w << p->ss_hor) + luma->w - 1) & ~(luma->w - 1);
    const int bottom = ((p->h << p->ss_ver) + luma->h - 1) & ~(luma->h - 1);

    part->block.mode = DD_AV1_INTRA_CFL;
    part->block.alpha[0] = b->cfl_alpha[0];
    part->block.alpha[1] = b->cfl_alpha[1];
    part->block.luma_w4 = right >> p->ss_hor;
    part->block.luma_h4 = bottom >> p->ss_ver;
}

static Part luma_part(const Dav1dTaskContext *const t, DdAv1Recorder *const recorder,
                      const Av1Block *const b, const uint8_t *const b_dim, const int smooth)
{
    IntraPlane p = intra_plane(t, recorder, b_dim, 0);
    p.tx    = b->tx;
    p.mode  = b->y_mode;
    p.delta = b->y_angle;
    Part part = part_of(&p);
    part.block.smooth = !!(smooth & (DAEDALUS_SMOOTH_ABOVE | DAEDALUS_SMOOTH_LEFT));
    part.has_above_right = t->intra_edge_flags & EDGE_I444_TOP_HAS_RIGHT;
    part.has_below_left  = t->intra_edge_flags & EDGE_I444_LEFT_HAS_BOTTOM;
    if (b->pal_sz[0]) set_palette(t, &part, b, b_dim);
    return part;
}

static Part chroma_part(const Dav1dTaskContext *const t, DdAv1Recorder *const recorder,
                        const Av1Block *const b, const uint8_t *const b_dim, const int smooth)
{
    const enum Dav1dPixelLayout layout = t->f->cur.p.layout;
    IntraPlane p = intra_plane(t, recorder, b_dim, 1);
    p.tx    = b->uvtx;
    p.mode  = b->uv_mode == CFL_PRED ? DC_PRED : b->uv_mode;
    p.delta = b->uv_angle;
    Part part = part_of(&p);
    part.block.smooth = !!(smooth & (DAEDALUS_SMOOTH_ABOVE_UV | DAEDALUS_SMOOTH_LEFT_UV));
    part.has_above_right = t->intra_edge_flags & (EDGE_I420_TOP_HAS_RIGHT >> (layout - 1));
    part.has_below_left  = t->intra_edge_flags & (EDGE_I420_LEFT_HAS_BOTTOM >> (layout - 1));
    if (b->uv_mode == CFL_PRED)
        set_cfl(&part, b);
    else if (b->pal_sz[1])
        set_palette(t, &part, b, b_dim);
    return part;
}

int dav1d_daedalus_record_intra(const Dav1dTaskContext *const t, DdAv1Recorder *const recorder,
                                const enum BlockSize bs, const Av1Block *const b,
                                const int16_t *const cbi, void *const cf, void *const home)
{
    const uint8_t *const b_dim = dav1d_block_dimensions[bs];
    const int chroma = has_chroma(t, b_dim), smooth = dav1d_daedalus_smooth_neighbours(t);
    const Part y = luma_part(t, recorder, b, b_dim, smooth);
    const Part uv = chroma ? chroma_part(t, recorder, b, b_dim, smooth) : (Part) { 0 };
    const int ss_hor = uv.plane.ss_hor, ss_ver = uv.plane.ss_ver;
    Coefs c = { .cbi = b->skip ? NULL : cbi, .cf = cf, .home = home };

    for (int y0 = 0; y0 < y.plane.h; y0 += 16)
        for (int x0 = 0; x0 < y.plane.w; x0 += 16) {
            put_part(&y, x0, y0, imin(y.plane.w, x0 + 16), imin(y.plane.h, y0 + 16), &c);
            if (chroma)
                put_part(&uv, x0 >> ss_hor, y0 >> ss_ver, imin(uv.plane.w, (x0 + 16) >> ss_hor),
                         imin(uv.plane.h, (y0 + 16) >> ss_ver), &c);
        }
    return c.left;
}

void dav1d_daedalus_record_inter_intra(const Dav1dTaskContext *const t, DdAv1Recorder *const recorder,
                                       const enum BlockSize bs, const Av1Block *const b)
{
    const uint8_t *const b_dim = dav1d_block_dimensions[bs];
    const enum Dav1dPixelLayout layout = t->f->cur.p.layout;

    for (int chroma = 0; chroma <= has_chroma(t, b_dim); chroma++) {
        IntraPlane p = intra_plane(t, recorder, b_dim, chroma);
        DdAv1Intra i = {
            .w_log2 = 2 + b_dim[2] - p.ss_hor,
            .h_log2 = 2 + b_dim[3] - p.ss_ver,
            .mask   = II_MASK(chroma ? DAV1D_PIXEL_LAYOUT_I444 - layout : 0, bs, b),
        };
        Coefs none = { 0 };
        p.mode = b->interintra_mode == II_SMOOTH_PRED ? SMOOTH_PRED :
                 (enum IntraPredMode) b->interintra_mode;
        set_edges(&i, &p, p.x, p.y, b_dim[0] >> p.ss_hor, b_dim[1] >> p.ss_ver, 0);
        put(&p, &i, &none);
    }
}
