// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include "batch/intra_diagonals.h"

#include <algorithm>
#include <cstdint>

namespace dd {

// The levels of a frame's intra blocks, or of those of a column of tiles, which come in the order of decoding.
class Vp9IntraLevels {
  public:
    // What a block reads, an or of these.
    static constexpr unsigned kAbove = 1, kAboveRight = 2, kLeft = 4, kCorner = 8;

    // Forgets all blocks.
    void reset(const PictureLayout &dst) { diagonals_.reset(dst); }
    // To be called before a frame's first block.
    void prepare() { diagonals_.prepare(); }
    // Puts a block of n x n cells, inside the padded plane, where nothing that lies outside of it may be read.
    // Returns its level, one more than those of the blocks that it reads. As those are further to the left, or
    // further up and by one cell to the right, a level is at most columns + 2 * rows.
    template <unsigned n>
    std::uint32_t put(unsigned plane, unsigned x, unsigned y, unsigned reads) {
        static_assert(3 * (kMaxPictureSide / 4) <= IntraDiagonals::kMostLevel);
        unsigned level = 0;
        if (reads & kAbove)
            level = std::max(level, diagonals_.highest_in_row(plane, x, y - 1, n));
        if (reads & kAboveRight)
            level = std::max(level, diagonals_.highest_in_row(plane, x + n, y - 1, 1));
        if (reads & kLeft)
            level = std::max(level, diagonals_.highest_in_column(plane, x - 1, y, n));
        if (reads & kCorner)
            level = std::max(level, diagonals_.highest_in_row(plane, x - 1, y - 1, 1));
        diagonals_.put(plane, x, y, n, n, ++level);
        return level;
    }

  private:
    IntraDiagonals diagonals_;
};

} // namespace dd
