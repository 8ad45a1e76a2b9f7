// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include "batch/picture_layout.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dd {

// The levels of intra blocks, by cells of 4x4 pixels of luma and of chroma, as far as blocks to come may read them.
//
// What a block reads are cells above it, to the left of it and between those two. In any order that blocks may be
// decoded in, the next cell down and to the right of such a cell is decoded after the block that reads it, or belongs
// to that block. So the last cell on each diagonal is all that has to be known. Cells of blocks that aren't put here
// have level 0: an entry says which cell it is of.
class IntraDiagonals {
  public:
    static constexpr unsigned kMostLevel = UINT16_MAX;

    // Forgets all blocks.
    void reset(const PictureLayout &dst) {
        for (unsigned p = 0; p < plane_.size(); p++) {
            plane_[p].rows = dst.plane[p].padded_height / 4;
            plane_[p].diagonals = plane_[p].rows + dst.plane[p].padded_width / 4;
        }
        used_ = false;
    }
    // To be called before blocks come. Frames and tiles without any take no memory. True: no block has come since the
    // last reset.
    bool prepare() {
        if (used_) [[likely]]
            return false;
        clear();
        return true;
    }

    // The highest level of so many cells to the right of (x, y), or of those further down, on the edges of the block
    // to come.
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
    // Those cells of a block of w x h that are the last ones on their diagonals: of the last row and column.
    void put(unsigned plane, unsigned x, unsigned y, unsigned w, unsigned h, unsigned level) {
        each_last(plane, x, y, w, h, [level](std::uint32_t &entry, std::uint32_t cell) { entry = cell | level; });
    }
    // The same, where there is no later cell yet.
    void put_where_last(unsigned plane, unsigned x, unsigned y, unsigned w, unsigned h, unsigned level) {
        each_last(plane, x, y, w, h, [level](std::uint32_t &entry, std::uint32_t cell) {
            if ((entry ^ cell) >> kCellShift == 0)
                entry = cell | level;
        });
    }

  private:
    static constexpr unsigned kCellShift = 16;
    static_assert(kMostLevel < 1u << kCellShift && kMaxPictureSide / 4 < 1u << (32 - kCellShift));
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
    template <typename Use>
    void each_last(unsigned plane, unsigned x, unsigned y, unsigned w, unsigned h, Use use) {
        std::uint32_t *entry = plane_[plane].at(x, y + h - 1);
        for (unsigned i = 0; i < w; i++)
            use(*entry++, (x + i) << kCellShift);
        for (unsigned i = 1; i < h; i++)
            use(*entry++, (x + w - 1) << kCellShift);
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
