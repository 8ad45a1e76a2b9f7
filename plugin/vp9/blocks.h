// SPDX-License-Identifier: BSD-2-Clause
//
// Whole blocks of a recorder, a record for all planes each, in lists as the GPU's dispatches have them.
#pragma once
#include "vp9/squares.h"

namespace dd {

constexpr unsigned kVp9BlockClasses = 4; // 8, 16, 32, 64 pixels of luma

// What filters a vector needs in luma and in chroma, of six combinations: where luma needs none, half of the vectors
// point between the pixels of chroma.
constexpr unsigned vp9_filters(const DdMcBlock &r) {
    const unsigned x = r.mv & 15, y = r.mv >> 16 & 15;
    const unsigned luma = vp9_filters(x & 7, y & 7), chroma = vp9_filters(x, y);
    return luma == 2 ? 3 + chroma : luma + chroma;
}
// Of pairs there would be 36: those go by luma.
constexpr unsigned vp9_filters(const DdMcPairBlock &r) {
    return vp9_filters(r.mv0 & 7, r.mv0 >> 16 & 7) * 3 + vp9_filters(r.mv1 & 7, r.mv1 >> 16 & 7);
}

// By vp9_pairing(), single ones from 0 on.
using Vp9Blocks = Vp9Bins<DdMcBlock, kVp9Pairings - kVp9Singles, kVp9BlockClasses, 6>;
using Vp9PairBlocks = Vp9Bins<DdMcPairBlock, kVp9Singles, kVp9BlockClasses, 9>;

} // namespace dd
