// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/av1_dav1d_mc.h"

#include "config.h"

#include "src/cpu.h"
#include "src/internal.h"
#include "src/tables.h"

struct TestMcDsp {
    Dav1dMCDSPContext mc;
    int max; // of a pixel
};

const TestMcDsp *test_mc_dsp(int simd, int bit_depth) {
    static TestMcDsp all[2][3];
    static int ready;
    if (!ready) {
        dav1d_init_cpu();
        for (int s = 0; s < 2; s++) {
            dav1d_set_cpu_flags_mask(s ? ~0u : 0u);
            for (int d = 0; d < 3; d++) {
                all[s][d].max = (256 << 2 * d) - 1;
                if (d)
                    dav1d_mc_dsp_init_16bpc(&all[s][d].mc);
                else
                    dav1d_mc_dsp_init_8bpc(&all[s][d].mc);
            }
        }
        ready = 1;
    }
    return &all[simd][(bit_depth - 8) / 2];
}

// Functions of either pixel size. Without BITDEPTH dav1d's types leave out the last argument of those for 16 bits.
typedef void (*any_fn)(void);
typedef void (*put8_fn)(uint8_t *, ptrdiff_t, const uint8_t *, ptrdiff_t, int, int, int, int);
typedef void (*put16_fn)(uint16_t *, ptrdiff_t, const uint16_t *, ptrdiff_t, int, int, int, int, int);
typedef void (*prep8_fn)(int16_t *, const uint8_t *, ptrdiff_t, int, int, int, int);
typedef void (*prep16_fn)(int16_t *, const uint16_t *, ptrdiff_t, int, int, int, int, int);
typedef void (*warp8_fn)(uint8_t *, ptrdiff_t, const uint8_t *, ptrdiff_t, const int16_t *, int, int);
typedef void (*warp16_fn)(uint16_t *, ptrdiff_t, const uint16_t *, ptrdiff_t, const int16_t *, int, int, int);
typedef void (*warp_prep8_fn)(int16_t *, ptrdiff_t, const uint8_t *, ptrdiff_t, const int16_t *, int, int);
typedef void (*warp_prep16_fn)(int16_t *, ptrdiff_t, const uint16_t *, ptrdiff_t, const int16_t *, int, int, int);
typedef void (*avg8_fn)(uint8_t *, ptrdiff_t, const int16_t *, const int16_t *, int, int);
typedef void (*avg16_fn)(uint16_t *, ptrdiff_t, const int16_t *, const int16_t *, int, int, int);
typedef void (*w_avg8_fn)(uint8_t *, ptrdiff_t, const int16_t *, const int16_t *, int, int, int);
typedef void (*w_avg16_fn)(uint16_t *, ptrdiff_t, const int16_t *, const int16_t *, int, int, int, int);
typedef void (*mask8_fn)(uint8_t *, ptrdiff_t, const int16_t *, const int16_t *, int, int, const uint8_t *);
typedef void (*mask16_fn)(uint16_t *, ptrdiff_t, const int16_t *, const int16_t *, int, int, const uint8_t *, int);
typedef void (*w_mask8_fn)(uint8_t *, ptrdiff_t, const int16_t *, const int16_t *, int, int, uint8_t *, int);
typedef void (*w_mask16_fn)(uint16_t *, ptrdiff_t, const int16_t *, const int16_t *, int, int, uint8_t *, int, int);
typedef void (*blend_dir_any_fn)(void *, ptrdiff_t, const void *, int, int);

// Calls the function with these arguments, and with the largest pixel where it is one for 16 bits.
#define CALL(name, fn, ...)                                                                                            \
    do {                                                                                                               \
        if (dsp->max == 255)                                                                                           \
            ((name##8_fn)(any_fn)(fn))(__VA_ARGS__);                                                                   \
        else                                                                                                           \
            ((name##16_fn)(any_fn)(fn))(__VA_ARGS__, dsp->max);                                                        \
    } while (0)

static int filter_of(const TestSource *s) {
    static const uint8_t filters[3] = {DAV1D_FILTER_8TAP_REGULAR, DAV1D_FILTER_8TAP_SMOOTH, DAV1D_FILTER_8TAP_SHARP};
    return s->horizontal == 3 ? FILTER_2D_BILINEAR : dav1d_filter_2d[filters[s->horizontal]][filters[s->vertical]];
}

void test_put(const TestMcDsp *dsp, uint8_t *dst, ptrdiff_t stride, const TestSource *s, int w, int h) {
    CALL(put, dsp->mc.mc[filter_of(s)], (void *)dst, stride, (const void *)s->pixels, s->stride, w, h, s->mx, s->my);
}

void test_prep(const TestMcDsp *dsp, int16_t *values, const TestSource *s, int w, int h) {
    CALL(prep, dsp->mc.mct[filter_of(s)], values, (const void *)s->pixels, s->stride, w, h, s->mx, s->my);
}

void test_warp_put(const TestMcDsp *dsp, uint8_t *dst, ptrdiff_t stride, const TestSource *s, const int16_t shear[4]) {
    CALL(warp, dsp->mc.warp8x8, (void *)dst, stride, (const void *)s->pixels, s->stride, shear, s->mx, s->my);
}

void test_warp_prep(const TestMcDsp *dsp, int16_t *values, ptrdiff_t stride, const TestSource *s,
                    const int16_t shear[4]) {
    CALL(warp_prep, dsp->mc.warp8x8t, values, stride, (const void *)s->pixels, s->stride, shear, s->mx, s->my);
}

void test_average(const TestMcDsp *dsp, uint8_t *dst, ptrdiff_t stride, const TestPair *p) {
    CALL(avg, dsp->mc.avg, (void *)dst, stride, p->first, p->second, p->w, p->h);
}

void test_weighted(const TestMcDsp *dsp, uint8_t *dst, ptrdiff_t stride, const TestPair *p, int sixteenths) {
    CALL(w_avg, dsp->mc.w_avg, (void *)dst, stride, p->first, p->second, p->w, p->h, sixteenths);
}

void test_masked(const TestMcDsp *dsp, uint8_t *dst, ptrdiff_t stride, const TestPair *p, const uint8_t *mask) {
    CALL(mask, dsp->mc.mask, (void *)dst, stride, p->first, p->second, p->w, p->h, mask);
}

void test_difference(const TestMcDsp *dsp, uint8_t *dst, ptrdiff_t stride, const TestPair *p, int layout, int sign,
                     uint8_t *mask) {
    CALL(w_mask, dsp->mc.w_mask[layout], (void *)dst, stride, p->first, p->second, p->w, p->h, mask, sign);
}

void test_overlap(const TestMcDsp *dsp, uint8_t *dst, ptrdiff_t stride, const uint8_t *over, int w, int h, int above) {
    ((blend_dir_any_fn)(any_fn)(above ? dsp->mc.blend_h : dsp->mc.blend_v))(dst, stride, over, w, h);
}
