// SPDX-License-Identifier: BSD-2-Clause
//
// Whole blocks of a recorder, a record for all planes each, in lists as the GPU's dispatches have them; and the
// squares of single planes that such a record stands for.
#pragma once
#include "vp9/squares.h"

#include <array>
#include <cstdint>

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

// What a block's record stands for: its squares of luma, U and V. `first`, `second`: slots.
std::array<DdMcRecord, 3> vp9_squares_of(const DdMcBlock &block, unsigned first);
std::array<DdMcRecord, 3> vp9_squares_of(const DdMcPairBlock &block, unsigned first, unsigned second);

// Calls see(size class, square) for all of a recorder's blocks, until it says false. Returns whether it never did.
template <typename Recorder, typename See>
bool each_block_square(const Recorder &recorder, See see) {
    const auto all = [&](unsigned size_class, const std::array<DdMcRecord, 3> &squares) {
        return see(size_class, squares[0]) && see(size_class - 1, squares[1]) && see(size_class - 1, squares[2]);
    };
    for (unsigned c = 0; c < kVp9BlockClasses; c++) {
        for (unsigned ref = 0; ref < Vp9Blocks::kPairings; ref++)
            for (const DdMcBlock &block : recorder.blocks.of(ref, c))
                if (!all(c + 1, vp9_squares_of(block, ref)))
                    return false;
        for (unsigned pair = 0; pair < Vp9PairBlocks::kPairings; pair++)
            for (const DdMcPairBlock &block : recorder.pair_blocks.of(pair, c))
                if (!all(c + 1, vp9_squares_of(block, pair / DD_MAX_REFS, pair % DD_MAX_REFS)))
                    return false;
    }
    return true;
}

} // namespace dd
