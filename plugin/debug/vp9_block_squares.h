// SPDX-License-Identifier: BSD-2-Clause
//
// What the record of a whole block stands for: a square of each plane.
#pragma once
#include "vp9/blocks.h"

#include <array>

namespace dd {

// Of luma, U and V. `first`, `second`: slots.
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
