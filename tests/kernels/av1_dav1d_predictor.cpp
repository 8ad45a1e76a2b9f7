// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/av1_dav1d_predictor.h"

#include <algorithm>
#include <cstring>

namespace dd::test {
namespace {

constexpr int kBefore = 3, kAfter = 4; // pixels that a filter reads beside a block

int filter_of(unsigned taps) {
    switch (taps) {
    case DD_AV1_TAPS_BILINEAR:
        return 3;
    case DD_AV1_TAPS_REGULAR_4:
        return 0;
    case DD_AV1_TAPS_SMOOTH_4:
        return 1;
    default:
        return static_cast<int>(taps);
    }
}

} // namespace

std::uint8_t *Dav1dPredictor::at(const Block &b) const {
    const PlaneLayout &plane = layout_.plane[b.plane];
    return dst_ + plane.offset + std::size_t{b.y} * plane.stride + std::size_t{b.x} * layout_.bytes_per_pixel();
}

void Dav1dPredictor::place(TestSource &to, unsigned ref, unsigned plane, int x, int y, unsigned w, unsigned h) {
    const PlaneLayout &p = layout_.plane[plane];
    const auto bytes = static_cast<std::ptrdiff_t>(layout_.bytes_per_pixel()), stride = std::ptrdiff_t{p.stride};
    const int width = static_cast<int>(p.width), height = static_cast<int>(p.height);
    const int right = x + static_cast<int>(w) + kAfter, bottom = y + static_cast<int>(h) + kAfter;
    const std::uint8_t *first = references_[ref] + p.offset;
    if (x >= kBefore && y >= kBefore && right <= width && bottom <= height) {
        to.pixels = first + y * stride + x * bytes;
        to.stride = stride;
        return;
    }
    to.stride = kEdgeStride * bytes;
    for (int row = y - kBefore; row < bottom; row++)
        for (int column = x - kBefore; column < right; column++)
            std::memcpy(edge_ + (row - y + kBefore) * to.stride + (column - x + kBefore) * bytes,
                        first + std::clamp(row, 0, height - 1) * stride + std::clamp(column, 0, width - 1) * bytes,
                        static_cast<std::size_t>(bytes));
    to.pixels = edge_ + kBefore * to.stride + kBefore * bytes;
}

TestSource Dav1dPredictor::translated(const DdAv1Source &s, const Block &b) {
    TestSource to{nullptr, 0, filter_of(s.taps_x), filter_of(s.taps_y), s.x & 15, s.y & 15};
    place(to, s.ref, b.plane, s.x >> 4, s.y >> 4, b.w, b.h);
    return to;
}

// Clause 7.11.3.5, up to the filters.
TestSource Dav1dPredictor::warped(const DdAv1Source &s, unsigned plane, unsigned x, unsigned y) {
    const unsigned ss_h = plane ? layout_.format.ss_h : 0, ss_v = plane ? layout_.format.ss_v : 0;
    const std::int32_t *m = s.warp->matrix;
    const std::int16_t *shear = s.warp->shear;
    const std::int64_t src_x = std::int64_t{x + 4} << ss_h, src_y = std::int64_t{y + 4} << ss_v;
    const std::int64_t to_x = (m[2] * src_x + m[3] * src_y + m[0]) >> ss_h;
    const std::int64_t to_y = (m[4] * src_x + m[5] * src_y + m[1]) >> ss_v;
    TestSource to{nullptr,
                  0,
                  0,
                  0,
                  (static_cast<int>(to_x & 0xffff) - 4 * shear[0] - 7 * shear[1]) & ~63,
                  (static_cast<int>(to_y & 0xffff) - 4 * shear[2] - 4 * shear[3]) & ~63};
    place(to, s.ref, plane, static_cast<int>(to_x >> 16) - 4, static_cast<int>(to_y >> 16) - 4, 8, 8);
    return to;
}

void Dav1dPredictor::put(const DdAv1Source &s, const Block &b, std::uint8_t *to, std::ptrdiff_t stride) {
    if (!s.warp) {
        const TestSource source = translated(s, b);
        return test_put(dsp_, to, stride, &source, static_cast<int>(b.w), static_cast<int>(b.h));
    }
    for (unsigned y = 0; y < b.h; y += 8)
        for (unsigned x = 0; x < b.w; x += 8) {
            const TestSource source = warped(s, b.plane, b.x + x, b.y + y);
            test_warp_put(dsp_, to + static_cast<std::ptrdiff_t>(y) * stride + x * layout_.bytes_per_pixel(), stride,
                          &source, s.warp->shear);
        }
}

void Dav1dPredictor::prep(const DdAv1Source &s, const Block &b, std::int16_t *values) {
    if (!s.warp) {
        const TestSource source = translated(s, b);
        return test_prep(dsp_, values, &source, static_cast<int>(b.w), static_cast<int>(b.h));
    }
    for (unsigned y = 0; y < b.h; y += 8)
        for (unsigned x = 0; x < b.w; x += 8) {
            const TestSource source = warped(s, b.plane, b.x + x, b.y + y);
            test_warp_prep(dsp_, values + y * b.w + x, b.w, &source, s.warp->shear);
        }
}

TestPair Dav1dPredictor::prep_pair(const DdAv1Source *s, const Block &b) {
    prep(s[0], b, values_[0]);
    prep(s[1], b, values_[1]);
    return {values_[0], values_[1], static_cast<int>(b.w), static_cast<int>(b.h)};
}

// SIMD code counts on masks that are.
const std::uint8_t *Dav1dPredictor::aligned(const std::uint8_t *mask, std::size_t size) {
    if (reinterpret_cast<std::uintptr_t>(mask) % 64 == 0)
        return mask;
    std::memcpy(mask_, mask, size);
    return mask_;
}

void Dav1dPredictor::predict(const DdAv1Prediction &p) {
    for (unsigned plane = p.chroma; plane <= p.chroma * 2u; plane++) {
        const Block b{plane, p.x, p.y, p.w, p.h};
        if (p.kind == DD_AV1_SINGLE) {
            put(p.source[0], b, at(b), stride(b));
        } else if (p.kind == DD_AV1_SPLIT) {
            const Block left{plane, p.x, p.y, 2, p.h}, right{plane, p.x + 2u, p.y, 2, p.h};
            put(p.source[0], left, at(left), stride(b));
            put(p.source[1], right, at(right), stride(b));
        } else {
            const TestPair pair = prep_pair(p.source, b);
            if (p.kind == DD_AV1_BY_MASK)
                test_masked(dsp_, at(b), stride(b), &pair, aligned(p.mask, std::size_t{b.w} * b.h));
            else if (p.weight == 32)
                test_average(dsp_, at(b), stride(b), &pair);
            else
                test_weighted(dsp_, at(b), stride(b), &pair, p.weight / 4);
        }
    }
}

void Dav1dPredictor::overlap(const OverlappedBlock &o) {
    const unsigned bytes = layout_.bytes_per_pixel();
    for (unsigned plane = o.chroma; plane <= o.chroma * 2u; plane++) {
        const Block b{plane, o.x, o.y, o.w, o.h};
        put(o.source[0], b, at(b), stride(b));
        // Only three quarters of the overlap are looked at, and no more are predicted.
        const Block above{plane, o.x, o.y, o.w, o.above() > 4 ? o.above() * 3 / 4 : o.above()};
        put(o.source[1], above, over_, std::ptrdiff_t{o.w} * bytes);
        test_overlap(dsp_, at(b), stride(b), over_, static_cast<int>(o.w), static_cast<int>(o.above()), 1);
        const Block left{plane, o.x, o.y, o.left(), o.h};
        put(o.source[2], left, over_, std::ptrdiff_t{o.left()} * bytes);
        test_overlap(dsp_, at(b), stride(b), over_, static_cast<int>(o.left()), static_cast<int>(o.h), 0);
    }
}

void Dav1dPredictor::difference(const DdAv1Difference &d) {
    const unsigned ss_h = layout_.format.ss_h, ss_v = layout_.format.ss_v;
    const Block luma{0, d.x, d.y, d.w, d.h};
    const TestPair pair = prep_pair(d.source, luma);
    const int layout = layout_.format.planes == 1 ? 0 : static_cast<int>(ss_h + ss_v);
    test_difference(dsp_, at(luma), stride(luma), &pair, layout, d.sign, mask_);
    for (unsigned plane = 1; d.chroma && plane < 3; plane++) {
        const Block b{plane, unsigned{d.x} >> ss_h, unsigned{d.y} >> ss_v, luma.w >> ss_h, luma.h >> ss_v};
        const TestPair chroma = prep_pair(d.chroma_source, b);
        test_masked(dsp_, at(b), stride(b), &chroma, mask_);
    }
}

} // namespace dd::test
