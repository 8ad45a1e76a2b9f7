// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/av1_dav1d_intra.h"

#include "config.h"

#include "src/cpu.h"
#include "src/internal.h"
#include "src/intra_edge.h"

struct TestIntraDsp {
    Dav1dIntraPredDSPContext ipred;
    Dav1dMCDSPContext mc;
    int max; // of a pixel
};

const TestIntraDsp *test_intra_dsp(int simd, int bit_depth) {
    static TestIntraDsp all[2][3];
    static int ready;
    if (!ready) {
        dav1d_init_cpu();
        for (int s = 0; s < 2; s++) {
            dav1d_set_cpu_flags_mask(s ? ~0u : 0u);
            for (int d = 0; d < 3; d++) {
                all[s][d].max = (256 << 2 * d) - 1;
                if (d) {
                    dav1d_intra_pred_dsp_init_16bpc(&all[s][d].ipred);
                    dav1d_mc_dsp_init_16bpc(&all[s][d].mc);
                } else {
                    dav1d_intra_pred_dsp_init_8bpc(&all[s][d].ipred);
                    dav1d_mc_dsp_init_8bpc(&all[s][d].mc);
                }
            }
        }
        ready = 1;
    }
    return &all[simd][(bit_depth - 8) / 2];
}

// Functions of either pixel size. Without BITDEPTH dav1d's types leave out the last argument of those for 16 bits.
// What src/ipred_prepare.h has, which needs BITDEPTH.
enum { smooth_flag = 512, filter_flag = 1024 };
enum IntraPredMode dav1d_prepare_intra_edges_8bpc(int, int, int, int, int, int, enum EdgeFlags, const uint8_t *,
                                                  ptrdiff_t, const uint8_t *, enum IntraPredMode, int *, int, int, int,
                                                  uint8_t *);
enum IntraPredMode dav1d_prepare_intra_edges_16bpc(int, int, int, int, int, int, enum EdgeFlags, const uint16_t *,
                                                   ptrdiff_t, const uint16_t *, enum IntraPredMode, int *, int, int,
                                                   int, uint16_t *, int);
typedef void (*any_fn)(void);
typedef void (*intra8_fn)(uint8_t *, ptrdiff_t, const uint8_t *, int, int, int, int, int);
typedef void (*intra16_fn)(uint16_t *, ptrdiff_t, const uint16_t *, int, int, int, int, int, int);
typedef void (*cfl8_fn)(uint8_t *, ptrdiff_t, const uint8_t *, int, int, const int16_t *, int);
typedef void (*cfl16_fn)(uint16_t *, ptrdiff_t, const uint16_t *, int, int, const int16_t *, int, int);
typedef void (*ac_any_fn)(int16_t *, const void *, ptrdiff_t, int, int, int, int);
typedef void (*palette_any_fn)(void *, ptrdiff_t, const void *, const uint8_t *, int, int);
typedef void (*blend_any_fn)(void *, ptrdiff_t, const void *, int, int, const uint8_t *);

// The edges of a block: pixels to both sides of the corner.
typedef union Edges {
    uint8_t of8[512];
    uint16_t of16[512];
} Edges;
static const int corner = 256;

static enum IntraPredMode prepare(const TestIntraDsp *dsp, const TestIntra *b, enum IntraPredMode mode, int *angle,
                                  Edges *edges) {
    // In fours of pixels from the block on: what may be read ends where the tile does.
    const int w4 = b->w / 4, h4 = b->h / 4, right = b->has_above ? b->above / 4 : w4;
    const int bottom = b->has_left ? b->left / 4 : h4;
    const enum EdgeFlags flags = EDGE_I444_TOP_HAS_RIGHT | EDGE_I444_LEFT_HAS_BOTTOM;
    if (dsp->max == 255)
        return dav1d_prepare_intra_edges_8bpc(0, b->has_left, 0, b->has_above, right, bottom, flags, b->at, b->stride,
                                              NULL, mode, angle, w4, h4, b->filters_edges, edges->of8 + corner);
    return dav1d_prepare_intra_edges_16bpc(0, b->has_left, 0, b->has_above, right, bottom, flags,
                                           (const uint16_t *)b->at, b->stride, NULL, mode, angle, w4, h4,
                                           b->filters_edges, edges->of16 + corner, dsp->max);
}

void test_intra(const TestIntraDsp *dsp, const TestIntra *b, uint8_t *to, ptrdiff_t stride) {
    Edges edges __attribute__((aligned(64)));
    int angle = b->delta;
    const enum IntraPredMode mode = prepare(dsp, b, (enum IntraPredMode)b->mode, &angle, &edges);
    angle |= (b->smooth ? smooth_flag : 0) | (b->filters_edges ? filter_flag : 0);
    const any_fn fn = (any_fn)dsp->ipred.intra_pred[mode];
    if (dsp->max == 255)
        ((intra8_fn)fn)(to, stride, edges.of8 + corner, b->w, b->h, angle, b->max_w, b->max_h);
    else
        ((intra16_fn)fn)((uint16_t *)to, stride, edges.of16 + corner, b->w, b->h, angle, b->max_w, b->max_h, dsp->max);
}

void test_chroma_from_luma(const TestIntraDsp *dsp, const TestIntra *b, const TestLuma *luma, int alpha, uint8_t *to,
                           ptrdiff_t stride) {
    Edges edges __attribute__((aligned(64)));
    int16_t ac[32 * 32] __attribute__((aligned(64)));
    int angle = 0;
    ((ac_any_fn)(any_fn)dsp->ipred.cfl_ac[luma->layout])(ac, luma->pixels, luma->stride, luma->w_pad, luma->h_pad, b->w,
                                                         b->h);
    const any_fn fn = (any_fn)dsp->ipred.cfl_pred[prepare(dsp, b, DC_PRED, &angle, &edges)];
    if (dsp->max == 255)
        ((cfl8_fn)fn)(to, stride, edges.of8 + corner, b->w, b->h, ac, alpha);
    else
        ((cfl16_fn)fn)((uint16_t *)to, stride, edges.of16 + corner, b->w, b->h, ac, alpha, dsp->max);
}

void test_palette(const TestIntraDsp *dsp, const void *palette, const uint8_t *indices, int w, int h, uint8_t *to,
                  ptrdiff_t stride) {
    ((palette_any_fn)(any_fn)dsp->ipred.pal_pred)(to, stride, palette, indices, w, h);
}

void test_blend(const TestIntraDsp *dsp, const uint8_t *over, const uint8_t *mask, int w, int h, uint8_t *to,
                ptrdiff_t stride) {
    ((blend_any_fn)(any_fn)dsp->mc.blend)(to, stride, over, w, h, mask);
}
