// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/av1_dav1d.h"

#include "config.h"

#include <string.h>

#include "kernels/dav1d_functions.h"
#include "src/cpu.h"
#include "src/internal.h"
#include "src/lf_mask.h"
#include "src/scan.h"
#include "src/tables.h"

// Instantiated here for both kinds of pixel: dav1d's function types depend on BITDEPTH.
typedef struct Functions {
    Dav1dLoopFilterDSPContext lf;
    Dav1dCdefDSPContext cdef;
    Dav1dLoopRestorationDSPContext lr;
    Dav1dInvTxfmDSPContext itx;
} Functions;

static const Functions *functions(int simd, int bit_depth) {
    static Functions all[2][3];
    static int ready;
    if (!ready) {
        dav1d_init_cpu();
        for (int s = 0; s < 2; s++) {
            dav1d_set_cpu_flags_mask(s ? ~0u : 0u);
            dav1d_loop_filter_dsp_init_8bpc(&all[s][0].lf);
            dav1d_cdef_dsp_init_8bpc(&all[s][0].cdef);
            dav1d_loop_restoration_dsp_init_8bpc(&all[s][0].lr, 8);
            dav1d_itx_dsp_init_8bpc(&all[s][0].itx, 8);
            for (int d = 1; d < 3; d++) {
                dav1d_loop_filter_dsp_init_16bpc(&all[s][d].lf);
                dav1d_cdef_dsp_init_16bpc(&all[s][d].cdef);
                dav1d_loop_restoration_dsp_init_16bpc(&all[s][d].lr, 8 + 2 * d);
                dav1d_itx_dsp_init_16bpc(&all[s][d].itx, 8 + 2 * d);
            }
        }
        ready = 1;
    }
    return &all[simd][(bit_depth - 8) / 2];
}

void test_deblock_line(int simd, int bit_depth, int chroma, int rows, uint8_t *at, ptrdiff_t stride,
                       const uint32_t mask[4], const uint8_t (*levels)[4], ptrdiff_t level_stride, int sharpness,
                       int length) {
    const Functions *f = functions(simd, bit_depth);
    Av1FilterLUT lut __attribute__((aligned(16)));
    dav1d_calc_eih(&lut, sharpness);
    if (bit_depth == 8)
        ((lf8_fn)(any_fn)f->lf.loop_filter_sb[chroma][rows])(at, stride, mask, levels, level_stride, &lut, length);
    else
        ((lf16_fn)(any_fn)f->lf.loop_filter_sb[chroma][rows])((uint16_t *)at, stride, mask, levels, level_stride, &lut,
                                                              length, (1 << bit_depth) - 1);
}

int test_cdef_direction(int simd, int bit_depth, const uint8_t *at, ptrdiff_t stride, unsigned *variance) {
    const Functions *f = functions(simd, bit_depth);
    if (bit_depth == 8)
        return ((dir8_fn)(any_fn)f->cdef.dir)(at, stride, variance);
    return ((dir16_fn)(any_fn)f->cdef.dir)((const uint16_t *)at, stride, variance, (1 << bit_depth) - 1);
}

static uint8_t *pixel_at(const TestPlane *p, int bytes, int x, int y) {
    return p->data + y * p->stride + x * bytes;
}

void test_cdef_block(int simd, int bit_depth, int shape, const TestPlane *in, const TestPlane *out, int x, int y,
                     int pri, int sec, int dir, int damping) {
    const Functions *f = functions(simd, bit_depth);
    const int bytes = bit_depth > 8 ? 2 : 1, w = shape ? 4 : 8, h = shape == 2 ? 4 : 8;
    const enum CdefEdgeFlags edges = (x ? CDEF_HAVE_LEFT : 0) | (x + w < in->width ? CDEF_HAVE_RIGHT : 0) |
                                     (y ? CDEF_HAVE_TOP : 0) | (y + h < in->height ? CDEF_HAVE_BOTTOM : 0);
    uint16_t left[8][2] __attribute__((aligned(16)));
    // The block's right neighbour must be unfiltered in the picture: put the whole surroundings there and take them
    // back.
    uint8_t kept[12][32];
    for (int r = 0; r < h; r++) {
        if (x)
            memcpy((uint8_t *)left + r * 2 * bytes, pixel_at(in, bytes, x - 2, y + r), (size_t)(2 * bytes));
        memcpy(kept[r], pixel_at(out, bytes, x + w, y + r), (size_t)(2 * bytes));
        memcpy(pixel_at(out, bytes, x + w, y + r), pixel_at(in, bytes, x + w, y + r), (size_t)(2 * bytes));
    }
    uint8_t *at = pixel_at(out, bytes, x, y);
    const uint8_t *top = pixel_at(in, bytes, x, y ? y - 2 : 0), *bottom = pixel_at(in, bytes, x, y + h);
    if (bit_depth == 8)
        ((cdef8_fn)(any_fn)f->cdef.fb[shape])(at, out->stride, (const uint8_t(*)[2])left, top, bottom, pri, sec, dir,
                                              damping, edges);
    else
        ((cdef16_fn)(any_fn)f->cdef.fb[shape])((uint16_t *)at, out->stride, (const uint16_t(*)[2])left,
                                               (const uint16_t *)top, (const uint16_t *)bottom, pri, sec, dir, damping,
                                               edges, (1 << bit_depth) - 1);
    for (int r = 0; r < h; r++)
        memcpy(pixel_at(out, bytes, x + w, y + r), kept[r], (size_t)(2 * bytes));
}

static int clamp_row(const TestPlane *p, int y) {
    return y < 0 ? 0 : y >= p->height ? p->height - 1 : y;
}

void test_restore_stripe(int simd, int bit_depth, const TestUnit *unit, const TestPlane *deblocked,
                         const TestPlane *filtered, const TestPlane *out, int x, int width, int first, int last) {
    const Functions *f = functions(simd, bit_depth);
    const int bytes = bit_depth > 8 ? 2 : 1, rows = last - first + 1;
    const enum LrEdgeFlags edges = (x ? LR_HAVE_LEFT : 0) | (x + width < out->width ? LR_HAVE_RIGHT : 0) |
                                   (first ? LR_HAVE_TOP : 0) | (last + 1 < out->height ? LR_HAVE_BOTTOM : 0);
    // dav1d filters in place: give it a picture of its own, and the rows around the stripe as it keeps them (two
    // above at lines 0 and 1, two below at 6 and 7).
    static uint8_t rows_mem[(64 + 2) * 1024 * 2] __attribute__((aligned(64)));
    static uint8_t lines_mem[(8 + 2) * 1024 * 2] __attribute__((aligned(64)));
    const ptrdiff_t stride = 1024 * 2;
    uint8_t *work = rows_mem + stride + 64, *lines = lines_mem + stride + 64;
    uint16_t left[64][4] __attribute__((aligned(16)));
    const int from = x >= 4 ? x - 4 : 0, span = width + (x - from) + 8;
    for (int r = 0; r < rows; r++) {
        memcpy(work + r * stride - (x - from) * bytes, pixel_at(filtered, bytes, from, first + r),
               (size_t)(span * bytes));
        if (x)
            memcpy((uint8_t *)left + r * 4 * bytes, pixel_at(filtered, bytes, x - 4, first + r), (size_t)(4 * bytes));
    }
    for (int r = 0; r < 2; r++) {
        memcpy(lines + r * stride - (x - from) * bytes,
               pixel_at(deblocked, bytes, from, clamp_row(deblocked, first - 2 + r)), (size_t)(span * bytes));
        memcpy(lines + (6 + r) * stride - (x - from) * bytes,
               pixel_at(deblocked, bytes, from, clamp_row(deblocked, last + 1 + r)), (size_t)(span * bytes));
    }
    LooprestorationParams params __attribute__((aligned(16)));
    memset(&params, 0, sizeof(params));
    looprestorationfilter_fn fn;
    if (unit->wiener) {
        for (int d = 0; d < 2; d++) {
            const int8_t *taps = d ? unit->vertical : unit->horizontal;
            for (int i = 0; i < 3; i++)
                params.filter[d][i] = params.filter[d][6 - i] = taps[i];
            params.filter[d][3] = (int16_t)(-2 * (taps[0] + taps[1] + taps[2]) + (d || bit_depth > 8 ? 128 : 0));
        }
        fn = f->lr.wiener[!(params.filter[0][0] | params.filter[1][0])];
    } else {
        params.sgr.s0 = dav1d_sgr_params[unit->set][0];
        params.sgr.s1 = dav1d_sgr_params[unit->set][1];
        params.sgr.w0 = unit->weight[0];
        params.sgr.w1 = (int16_t)(128 - unit->weight[0] - unit->weight[1]);
        fn = f->lr.sgr[!!params.sgr.s0 + !!params.sgr.s1 * 2 - 1];
    }
    if (bit_depth == 8)
        ((lr8_fn)(any_fn)fn)(work, stride, (const uint8_t(*)[4])left, lines, width, rows, &params, edges);
    else
        ((lr16_fn)(any_fn)fn)((uint16_t *)work, stride, (const uint16_t(*)[4])left, (const uint16_t *)lines, width,
                              rows, &params, edges, (1 << bit_depth) - 1);
    for (int r = 0; r < rows; r++)
        memcpy(pixel_at(out, bytes, x, first + r), work + r * stride, (size_t)(width * bytes));
}

void test_add_residual(int simd, int bit_depth, int size, int type, uint8_t *at, ptrdiff_t stride, void *coefs,
                       int eob) {
    const any_fn fn = (any_fn)functions(simd, bit_depth)->itx.itxfm_add[size][type];
    if (bit_depth == 8)
        ((itx8_fn)fn)(at, stride, coefs, eob);
    else
        ((itx16_fn)fn)((uint16_t *)at, stride, coefs, eob, (1 << bit_depth) - 1);
}

const uint16_t *test_scan(int size) {
    return dav1d_scans[size];
}

int test_tx_class(int type) {
    return dav1d_tx_type_class[type];
}
