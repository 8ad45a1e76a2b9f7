// SPDX-License-Identifier: BSD-2-Clause
//
// The levels of a tile's intra blocks (Av1IntraStep), by cells of 4x4 pixels of luma and of chroma.
#pragma once
#include "batch/picture_layout.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dd {

// A rectangle of cells.
struct Av1Cells {
    unsigned x, y, w, h;
    bool contains(const Av1Cells &c) const { return c.x >= x && c.y >= y && c.x + c.w <= x + w && c.y + c.h <= y + h; }
};

// What a block reads are cells above it, to the left of it and between those two. In any order that a tile's blocks may come in, the next
// cell down and to the right of such a cell is decoded after the block that reads it, or belongs to that block. So all that has to be known
// is the last cell on each diagonal. Cells of blocks that nobody puts here have level 0: an entry says which cell it is of.
class Av1IntraLevels {
  public:
    // Chains of dependent blocks are short where blocks between them are inter blocks. A frame with a longer one isn't worth a dispatch for each
    // level; levels beyond are kept as this one.
    static constexpr unsigned kMostLevel = 2047;

    // Forgets all blocks.
    void reset(const PictureLayout &dst) {
        for (unsigned p = 0; p < plane_.size(); p++) {
            plane_[p].rows = dst.plane[p].padded_height / 4;
            plane_[p].diagonals = plane_[p].rows + dst.plane[p].padded_width / 4;
        }
        used_ = false;
    }
    // To be called before blocks come. Tiles without any take no memory.
    void prepare() {
        if (!used_) [[unlikely]]
            clear();
    }

    // The highest level of so many cells to the right of (x, y), or of those further down, on the edges of the block to come.
    unsigned highest_in_row(bool chroma, unsigned x, unsigned y, unsigned cells) const {
        const std::uint32_t *entry = plane_[chroma].at(x, y);
        unsigned level = 0;
        for (unsigned i = 0; i < cells; i++)
            level = std::max(level, level_of(entry[i], x + i));
        return level;
    }
    unsigned highest_in_column(bool chroma, unsigned x, unsigned y, unsigned cells) const {
        const std::uint32_t *entry = plane_[chroma].at(x, y + cells - 1);
        unsigned level = 0;
        for (unsigned i = 0; i < cells; i++)
            level = std::max(level, level_of(entry[i], x));
        return level;
    }
    void put(bool chroma, const Av1Cells &c, unsigned level) {
        each_last(chroma, c, [level](std::uint32_t &entry, std::uint32_t cell) { entry = cell | level; });
        if (!chroma)
            luma_[luma_count_++ % luma_.size()] = {c, level};
    }
    // Of a block parts of which come again, each once at most.
    void put_whole(bool chroma, const Av1Cells &c, unsigned level) {
        put(chroma, c, level);
        whole_[chroma] = {c, level};
    }
    // A part that came again, or a block of its own.
    void put_again(bool chroma, const Av1Cells &c, unsigned level) {
        if (!whole_[chroma].cells.contains(c))
            return put(chroma, c, level);
        each_last(chroma, c, [level](std::uint32_t &entry, std::uint32_t cell) {
            if ((entry ^ cell) >> kCellShift == 0) // else there are later cells of the block
                entry = cell | level;
        });
    }
    unsigned of_whole(bool chroma, const Av1Cells &part) const {
        return whole_[chroma].cells.contains(part) ? whole_[chroma].level : 0;
    }
    // The highest level of the blocks in an area of luma, at most 32x32 pixels, that are the last ones that came.
    unsigned highest_of_last_luma(const Av1Cells &area) const {
        unsigned level = 0;
        for (unsigned i = 1; i <= std::min<std::size_t>(luma_count_, luma_.size()); i++) {
            const Block &block = luma_[(luma_count_ - i) % luma_.size()];
            if (!area.contains(block.cells))
                break;
            level = std::max(level, block.level);
        }
        return level;
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
    struct Block {
        Av1Cells cells{};
        unsigned level = 0;
    };

    static unsigned level_of(std::uint32_t entry, unsigned x) {
        const std::uint32_t level = entry - (x << kCellShift);
        return level >> kCellShift ? 0 : level;
    }
    // Those cells of a block that are the last ones on their diagonals: of the last row and column.
    template <typename Use>
    void each_last(bool chroma, const Av1Cells &c, Use use) {
        std::uint32_t *entry = plane_[chroma].at(c.x, c.y + c.h - 1);
        for (unsigned i = 0; i < c.w; i++)
            use(*entry++, (c.x + i) << kCellShift);
        for (unsigned i = 1; i < c.h; i++)
            use(*entry++, (c.x + c.w - 1) << kCellShift);
    }
    [[gnu::noinline]] void clear() {
        for (Plane &plane : plane_)
            plane.entries.assign(plane.diagonals, 0);
        whole_ = {};
        luma_count_ = 0;
        used_ = true;
    }

    std::array<Plane, 2> plane_; // luma, chroma
    std::array<Block, 2> whole_; // the last one
    std::array<Block, 64> luma_; // as many as 32x32 pixels may have; a ring
    std::size_t luma_count_ = 0; // that ever came
    bool used_ = false;          // since the last reset
};

} // namespace dd
