// SPDX-License-Identifier: BSD-2-Clause
//
// Inter prediction of AV1, one pixel after another, from what the C interface gets: AV1 specification, clause 7.11.3.
#pragma once
#include "batch/picture_layout.h"
#include "daedalus/daedalus.h"

#include <array>
#include <cstdint>
#include <vector>

namespace dd::reference {

class Av1Predictor {
  public:
    // All pictures have the same layout.
    Av1Predictor(const PictureLayout &layout, const std::array<const std::uint8_t *, 7> &references, std::uint8_t *dst)
        : layout_(layout), references_(references), dst_(dst) {}
    void predict(const DdAv1Prediction &p);
    void overlap(const DdAv1Overlap &o);
    void difference(const DdAv1Difference &d);

  private:
    struct Block {
        unsigned plane, x, y, w, h;
    };
    using Values = std::vector<int>;
    int pixel(unsigned ref, unsigned plane, std::int64_t x, std::int64_t y) const;
    void put(unsigned plane, unsigned x, unsigned y, int value);
    // `rounding`: clause 7.11.3.2's InterRound1.
    Values translate(const DdAv1Source &s, const Block &b, int rounding) const;
    Values warp(const DdAv1Source &s, const Block &b, int rounding) const;
    Values source(const DdAv1Source &s, const Block &b, int rounding) const;
    void put_single(const DdAv1Source &s, const Block &b);
    void put_masked(const DdAv1Source *s, const Block &b, const std::vector<int> &weights);
    int round0() const { return layout_.format.bit_depth == 12 ? 5 : 3; }
    int single() const { return layout_.format.bit_depth == 12 ? 9 : 11; }

    PictureLayout layout_;
    std::array<const std::uint8_t *, 7> references_;
    std::uint8_t *dst_;
};

} // namespace dd::reference
