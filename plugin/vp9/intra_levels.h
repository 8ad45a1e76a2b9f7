// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include "batch/picture_layout.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dd {

// The levels of a frame's intra blocks, or of those of a column of tiles, which come in the order of decoding.
//
// What a block reads are cells of 4x4 pixels above it, to the left of it and between those two. In any order that
// blocks may be decoded in, the next cell down and to the right of such a cell is decoded after the block that reads
// it, or belongs to that block. So the last cell on each diagonal is all that has to be known. Cells of blocks that
// aren't put here have level 0: an entry says which cell it is of.
class Vp9IntraLevels {
  public:
    // What a block reads, an or of these.
    static constexpr unsigned kAbove = 1, kAboveRight = 2, kLeft = 4, kCorner = 8;

    // Forgets all blocks.
    void reset(const PictureLayout &dst) {
        for (unsigned p = 0; p < plane_.size(); p++) {
            plane_[p].rows = dst.plane[p].padded_height / 4;
            plane_[p].diagonals = plane_[p].rows + dst.plane[p].padded_width / 4;
        }
        used_ = false;
    }
    // To be called before a frame's first block. Frames without any take no memory.
    void prepare() {
        if (!used_) [[unlikely]]
            clear();
    }
    // Puts a block of n x n cells, inside the padded plane, where nothing that lies outside of it may be read.
    // Returns its level, one more than those of the blocks that it reads. As those are further to the left, or
    // further up and by one cell to the right, a level is at most columns + 2 * rows.
    template <unsigned n>
    std::uint32_t put(unsigned plane, unsigned x, unsigned y, unsigned reads) {
        unsigned level = 0;
        if (reads & kAbove)
            level = std::max(level, highest_in_row(plane, x, y - 1, n));
        if (reads & kAboveRight)
            level = std::max(level, highest_in_row(plane, x + n, y - 1, 1));
        if (reads & kLeft)
            level = std::max(level, highest_in_column(plane, x - 1, y, n));
        if (reads & kCorner)
            level = std::max(level, highest_in_row(plane, x - 1, y - 1, 1));
        level++;
        // The last cells on their diagonals: those of the last row and column.
        std::uint32_t *entry = plane_[plane].at(x, y + n - 1);
        for (unsigned i = 0; i < n; i++)
            *entry++ = (x + i) << kCellShift | level;
        for (unsigned i = 1; i < n; i++)
            *entry++ = (x + n - 1) << kCellShift | level;
        return level;
    }

  private:
    static constexpr unsigned kCellShift = 16;
    static_assert(3 * (kMaxPictureSide / 4) < 1u << kCellShift && kMaxPictureSide / 4 < 1u << (32 - kCellShift));
    struct Plane {
        std::vector<std::uint32_t> entries; // by diagonal: the column of a cell, and its level
        std::size_t rows = 0, diagonals = 0;
        const std::uint32_t *at(unsigned x, unsigned y) const { return entries.data() + rows + x - y; }
        std::uint32_t *at(unsigned x, unsigned y) { return entries.data() + rows + x - y; }
    };

    static unsigned level_of(std::uint32_t entry, unsigned x) {
        const std::uint32_t level = entry - (x << kCellShift);
        return level >> kCellShift ? 0 : level;
    }
    // The highest level of so many cells to the right of (x, y), or of those further down.
    unsigned highest_in_row(unsigned plane, unsigned x, unsigned y, unsigned cells) const {
        const std::uint32_t *entry = plane_[plane].at(x, y);
        unsigned level = 0;
        for (unsigned i = 0; i < cells; i++)
            level = std::max(level, level_of(entry[i], x + i));
        return level;
    }
    unsigned highest_in_column(unsigned plane, unsigned x, unsigned y, unsigned cells) const {
        const std::uint32_t *entry = plane_[plane].at(x, y + cells - 1);
        unsigned level = 0;
        for (unsigned i = 0; i < cells; i++)
            level = std::max(level, level_of(entry[i], x));
        return level;
    }
    [[gnu::noinline]] void clear() {
        for (Plane &plane : plane_)
            plane.entries.assign(plane.diagonals, 0);
        used_ = true;
    }

    std::array<Plane, 2> plane_; // luma, chroma
    bool used_ = false;          // since the last reset
};

} // namespace dd
