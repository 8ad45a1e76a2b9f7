// SPDX-License-Identifier: BSD-2-Clause
//
// Inter prediction of AV1 by dav1d's own functions, from what the C interface gets: the counterpart of the scalar
// reference.
#pragma once
#include "av1/recorder.h"
#include "batch/picture_layout.h"
#include "daedalus/daedalus.h"
#include "kernels/av1_dav1d_mc.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace dd::test {

// Overlapped prediction of a whole block, up to 64x64 pixels of luma, 32x32 of subsampled chroma.
struct OverlappedBlock {
    bool chroma = false;
    unsigned x = 0, y = 0, w = 0, h = 0;
    DdAv1Source source[3]{}; // own, above, left
    // Sizes of the overlaps.
    unsigned above() const { return h / 2; }
    unsigned left() const { return w / 2; }
};
// Calls `use` with each part of the block as the C interface has it: a DdAv1Overlap.
template <typename Use>
void for_each_part(const OverlappedBlock &b, Use use) {
    const unsigned side_x = std::min(b.w, 8u), side_y = std::min(b.h, 8u);
    for (unsigned y = 0; y < b.h; y += side_y)
        for (unsigned x = 0; x < b.w; x += side_x) {
            DdAv1Overlap o{};
            o.chroma = b.chroma;
            o.x = static_cast<std::uint16_t>(b.x + x);
            o.y = static_cast<std::uint16_t>(b.y + y);
            o.w = static_cast<std::uint16_t>(side_x);
            o.h = static_cast<std::uint16_t>(side_y);
            for (unsigned i = 0; i < 3; i++) {
                o.source[i] = b.source[i];
                o.source[i].x += static_cast<std::int32_t>(x) * 16;
                o.source[i].y += static_cast<std::int32_t>(y) * 16;
            }
            // Past three quarters of an overlap there is none; parts that lie there have no neighbour.
            if (y < b.above()) {
                o.above = static_cast<std::uint8_t>(b.above());
                o.above_at = static_cast<std::uint8_t>(y);
            }
            if (x < b.left()) {
                o.left = static_cast<std::uint8_t>(b.left());
                o.left_at = static_cast<std::uint8_t>(x);
            }
            use(o);
        }
}

class Dav1dPredictor {
  public:
    // All pictures have the same layout. `dst`: aligned to a cache line.
    Dav1dPredictor(bool simd, const PictureLayout &layout, const std::array<const std::uint8_t *, kAv1Refs> &references,
                   std::uint8_t *dst)
        : dsp_(test_mc_dsp(simd, layout.format.bit_depth)), layout_(layout), references_(references), dst_(dst) {}
    void predict(const DdAv1Prediction &p);
    void overlap(const OverlappedBlock &b);
    void difference(const DdAv1Difference &d);

  private:
    struct Block {
        unsigned plane, x, y, w, h;
    };
    static constexpr unsigned kSide = 128, kEdgeStride = 192; // pixels
    std::uint8_t *at(const Block &b) const;
    std::ptrdiff_t stride(const Block &b) const { return layout_.plane[b.plane].stride; }
    // w x h pixels from (x, y) on and the filters' reach around them, clamped to the picture.
    void place(TestSource &to, unsigned ref, unsigned plane, int x, int y, unsigned w, unsigned h);
    TestSource translated(const DdAv1Source &s, const Block &b);
    // Of the 8x8 pixels at (x, y) of the plane.
    TestSource warped(const DdAv1Source &s, unsigned plane, unsigned x, unsigned y);
    void put(const DdAv1Source &s, const Block &b, std::uint8_t *to, std::ptrdiff_t stride);
    void prep(const DdAv1Source &s, const Block &b, std::int16_t *values);
    TestPair prep_pair(const DdAv1Source *s, const Block &b);
    const std::uint8_t *aligned(const std::uint8_t *mask, std::size_t size);

    const TestMcDsp *dsp_;
    PictureLayout layout_;
    std::array<const std::uint8_t *, kAv1Refs> references_;
    std::uint8_t *dst_;
    alignas(64) std::int16_t values_[2][kSide * kSide];
    alignas(64) std::uint8_t mask_[kSide * kSide];
    alignas(64) std::uint8_t over_[kSide * kSide * 2];
    alignas(64) std::uint8_t edge_[kEdgeStride * (kSide + 8) * 2];
};

} // namespace dd::test
