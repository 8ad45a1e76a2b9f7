// SPDX-License-Identifier: BSD-2-Clause
#include "dav1d_av1.h"

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/dav1d_functions.h"
#include "src/cpu.h"
#include "src/internal.h"
#include "src/lf_mask.h"
#include "src/scan.h"
#include "src/tables.h"

struct Dav1dAv1 {
    int bit_depth;
    Dav1dLoopFilterDSPContext lf;
    Av1FilterLUT limits __attribute__((aligned(16)));
    Dav1dCdefDSPContext cdef;
    Dav1dLoopRestorationDSPContext lr;
    Dav1dInvTxfmDSPContext itx;
};

Dav1dAv1 *dav1d_av1_open(int bit_depth, int simd) {
    Dav1dAv1 *dsp = aligned_alloc(64, (sizeof(*dsp) + 63) / 64 * 64);
    if (!dsp)
        return NULL;
    memset(dsp, 0, sizeof(*dsp));
    dsp->bit_depth = bit_depth;
    dav1d_init_cpu();
    dav1d_set_cpu_flags_mask(simd ? ~0u : 0u);
    if (bit_depth == 8) {
        dav1d_loop_filter_dsp_init_8bpc(&dsp->lf);
        dav1d_cdef_dsp_init_8bpc(&dsp->cdef);
        dav1d_loop_restoration_dsp_init_8bpc(&dsp->lr, bit_depth);
        dav1d_itx_dsp_init_8bpc(&dsp->itx, bit_depth);
    } else {
        dav1d_loop_filter_dsp_init_16bpc(&dsp->lf);
        dav1d_cdef_dsp_init_16bpc(&dsp->cdef);
        dav1d_loop_restoration_dsp_init_16bpc(&dsp->lr, bit_depth);
        dav1d_itx_dsp_init_16bpc(&dsp->itx, bit_depth);
    }
    dav1d_calc_eih(&dsp->limits, 0);
    dav1d_set_cpu_flags_mask(~0u);
    return dsp;
}

void dav1d_av1_close(Dav1dAv1 **dsp) {
    free(*dsp);
    *dsp = NULL;
}

// ---- CDEF -------------------------------------------------------------------------------------------------------

typedef struct Strength {
    int pri, sec;
} Strength;

static Strength strength_of(unsigned coded, unsigned depth) {
    const unsigned sec = coded & 3;
    return (Strength){(int)((coded >> 2) << depth), (int)((sec == 3 ? 4 : sec) << depth)};
}

// Clause 7.15.2 of the AV1 specification.
static int adjusted(int pri, unsigned variance) {
    const int log2 = variance >> 6 ? 31 - __builtin_clz(variance >> 6) : 0;
    return variance ? (pri * (4 + (log2 < 12 ? log2 : 12)) + 8) >> 4 : 0;
}

static int direction_of(const Dav1dAv1 *dsp, const uint8_t *at, ptrdiff_t stride, unsigned *variance) {
    if (dsp->bit_depth == 8)
        return ((dir8_fn)(any_fn)dsp->cdef.dir)(at, stride, variance);
    return ((dir16_fn)(any_fn)dsp->cdef.dir)((const uint16_t *)at, stride, variance, (1 << dsp->bit_depth) - 1);
}

static void cdef_block(const Dav1dAv1 *dsp, const BenchPicture *picture, unsigned plane, unsigned x8, unsigned y8,
                       Strength strength, int direction, int damping, enum CdefEdgeFlags edges) {
    const unsigned ss_h = plane ? picture->ss_h : 0, ss_v = plane ? picture->ss_v : 0;
    const int bytes = dsp->bit_depth > 8 ? 2 : 1, shape = (int)(ss_h + ss_v);
    const ptrdiff_t stride = picture->stride[plane];
    const ptrdiff_t at = (ptrdiff_t)(y8 * 8 >> ss_v) * stride + (ptrdiff_t)(x8 * 8 >> ss_h) * bytes;
    uint8_t *const to = picture->pixels[plane] + at;
    const uint8_t *const from = picture->before[plane] + at;
    const int rows = 8 >> ss_v;
    // What was filtered already, on the left and above, is taken from the picture before.
    uint16_t left[8][2] __attribute__((aligned(16)));
    if (edges & CDEF_HAVE_LEFT)
        for (int r = 0; r < rows; r++)
            memcpy((uint8_t *)left + r * 2 * bytes, from + r * stride - 2 * bytes, (size_t)(2 * bytes));
    const uint8_t *top = from - 2 * stride, *bottom = to + rows * stride;
    if (bytes == 1)
        ((cdef8_fn)(any_fn)dsp->cdef.fb[shape])(to, stride, (const uint8_t(*)[2])left, top, bottom, strength.pri,
                                                strength.sec, direction, damping, edges);
    else
        ((cdef16_fn)(any_fn)dsp->cdef.fb[shape])((uint16_t *)to, stride, (const uint16_t(*)[2])left,
                                                 (const uint16_t *)top, (const uint16_t *)bottom, strength.pri,
                                                 strength.sec, direction, damping, edges, (1 << dsp->bit_depth) - 1);
}

static void cdef_planes(const Dav1dAv1 *dsp, const BenchPicture *picture, const BenchCdef *cdef, unsigned x8,
                        unsigned y8) {
    const unsigned depth = (unsigned)dsp->bit_depth - 8,
                   index = cdef->index[(y8 >> 3) * cdef->index_stride + (x8 >> 3)];
    Strength luma = strength_of(cdef->luma[index], depth), chroma = strength_of(cdef->chroma[index], depth);
    if (picture->planes < 3)
        chroma = (Strength){0, 0};
    const enum CdefEdgeFlags edges = (x8 ? CDEF_HAVE_LEFT : 0) | (x8 + 1 < picture->blocks_w ? CDEF_HAVE_RIGHT : 0) |
                                     (y8 ? CDEF_HAVE_TOP : 0) | (y8 + 1 < picture->blocks_h ? CDEF_HAVE_BOTTOM : 0);
    int direction = 0;
    unsigned variance = 0;
    if (luma.pri || chroma.pri)
        direction = direction_of(dsp,
                                 picture->pixels[0] + (ptrdiff_t)(y8 * 8) * picture->stride[0] +
                                     (ptrdiff_t)(x8 * 8) * (dsp->bit_depth > 8 ? 2 : 1),
                                 picture->stride[0], &variance);
    const int damping = (int)(cdef->damping + depth), luma_direction = luma.pri ? direction : 0;
    luma.pri = adjusted(luma.pri, variance);
    if (luma.pri || luma.sec)
        cdef_block(dsp, picture, 0, x8, y8, luma, luma_direction, damping, edges);
    if (!chroma.pri && !chroma.sec)
        return;
    // Directions of chroma whose pixels are twice as wide as high.
    static const uint8_t stretched[8] = {7, 0, 2, 4, 5, 6, 6, 6};
    const int coded = chroma.pri ? direction : 0;
    for (unsigned plane = 1; plane < 3; plane++)
        cdef_block(dsp, picture, plane, x8, y8, chroma,
                   chroma.pri && picture->ss_h != picture->ss_v ? stretched[coded] : coded, damping - 1, edges);
}

void dav1d_av1_cdef(const Dav1dAv1 *dsp, const BenchPicture *picture, const BenchCdef *cdef) {
    for (unsigned y8 = 0; y8 < picture->blocks_h; y8++)
        for (unsigned x8 = 0; x8 < picture->blocks_w; x8++)
            cdef_planes(dsp, picture, cdef, x8, y8);
}

// ---- deblocking -------------------------------------------------------------------------------------------------

void dav1d_av1_deblock(const Dav1dAv1 *dsp, uint8_t *at, ptrdiff_t stride, const BenchEdges *e) {
    const any_fn fn = (any_fn)dsp->lf.loop_filter_sb[e->chroma][e->rows];
    if (dsp->bit_depth == 8)
        ((lf8_fn)fn)(at, stride, e->mask, e->levels, e->level_stride, &dsp->limits, e->length);
    else
        ((lf16_fn)fn)((uint16_t *)at, stride, e->mask, e->levels, e->level_stride, &dsp->limits, e->length,
                      (1 << dsp->bit_depth) - 1);
}

// ---- restoration ------------------------------------------------------------------------------------------------

static looprestorationfilter_fn restoration_of(const Dav1dAv1 *dsp, const BenchRestoration *r,
                                               LooprestorationParams *params) {
    if (r->wiener) {
        for (int d = 0; d < 2; d++) {
            const int8_t *taps = d ? r->vertical : r->horizontal;
            for (int i = 0; i < 3; i++)
                params->filter[d][i] = params->filter[d][6 - i] = taps[i];
            // With 8 bits the middle one's 128 are the function's own in one direction.
            const int middle = d || dsp->bit_depth > 8 ? 128 : 0;
            params->filter[d][3] = (int16_t)(middle - 2 * (taps[0] + taps[1] + taps[2]));
        }
        return dsp->lr.wiener[!(params->filter[0][0] | params->filter[1][0])];
    }
    params->sgr.s0 = dav1d_sgr_params[r->set][0];
    params->sgr.s1 = dav1d_sgr_params[r->set][1];
    params->sgr.w0 = r->weight[0];
    params->sgr.w1 = (int16_t)(128 - r->weight[0] - r->weight[1]);
    return dsp->lr.sgr[!!params->sgr.s0 + !!params->sgr.s1 * 2 - 1];
}

void dav1d_av1_restore(const Dav1dAv1 *dsp, uint8_t *at, const uint8_t *before, ptrdiff_t stride,
                       const BenchRestoration *r) {
    const int bytes = dsp->bit_depth > 8 ? 2 : 1;
    LooprestorationParams params __attribute__((aligned(16)));
    memset(&params, 0, sizeof(params));
    const any_fn fn = (any_fn)restoration_of(dsp, r, &params);
    uint16_t left[64][4] __attribute__((aligned(16)));
    for (int row = 0; r->left && row < r->height; row++)
        memcpy((uint8_t *)left + row * 4 * bytes, before + row * stride - 4 * bytes, (size_t)(4 * bytes));
    const enum LrEdgeFlags edges = (r->left ? LR_HAVE_LEFT : 0) | (r->right ? LR_HAVE_RIGHT : 0) |
                                   (r->above ? LR_HAVE_TOP : 0) | (r->below ? LR_HAVE_BOTTOM : 0);
    if (bytes == 1)
        ((lr8_fn)fn)(at, stride, (const uint8_t(*)[4])left, r->lines, r->width, r->height, &params, edges);
    else
        ((lr16_fn)fn)((uint16_t *)at, stride, (const uint16_t(*)[4])left, (const uint16_t *)r->lines, r->width,
                      r->height, &params, edges, (1 << dsp->bit_depth) - 1);
}

// ---- residuals --------------------------------------------------------------------------------------------------

void dav1d_av1_residual(const Dav1dAv1 *dsp, int size, int type, uint8_t *at, ptrdiff_t stride, void *coefs, int eob) {
    const any_fn fn = (any_fn)dsp->itx.itxfm_add[size][type];
    if (dsp->bit_depth == 8)
        ((itx8_fn)fn)(at, stride, coefs, eob);
    else
        ((itx16_fn)fn)((uint16_t *)at, stride, coefs, eob, (1 << dsp->bit_depth) - 1);
}

const uint16_t *dav1d_av1_scan(int size) {
    return dav1d_scans[size];
}
