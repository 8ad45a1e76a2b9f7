// SPDX-License-Identifier: BSD-2-Clause
//
// The levels of a tile's intra blocks (Av1IntraStep).
#pragma once
#include "batch/intra_diagonals.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace dd {

// A rectangle of cells of 4x4 pixels.
struct Av1Cells {
    unsigned x, y, w, h;
    bool contains(const Av1Cells &c) const { return c.x >= x && c.y >= y && c.x + c.w <= x + w && c.y + c.h <= y + h; }
};

class Av1IntraLevels {
  public:
    // Chains of dependent blocks are short where blocks between them are inter blocks. A frame with a longer one
    // isn't worth a dispatch for each level; levels beyond are kept as this one.
    static constexpr unsigned kMostLevel = 2047;

    // Forgets all blocks.
    void reset(const PictureLayout &dst) { diagonals_.reset(dst); }
    // To be called before blocks come.
    void prepare() {
        if (diagonals_.prepare()) {
            whole_ = {};
            luma_count_ = 0;
        }
    }
    // What a block reads.
    const IntraDiagonals &edges() const { return diagonals_; }

    void put(bool chroma, const Av1Cells &c, unsigned level) {
        diagonals_.put(chroma, c.x, c.y, c.w, c.h, level);
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
        if (whole_[chroma].cells.contains(c))
            diagonals_.put_where_last(chroma, c.x, c.y, c.w, c.h, level);
        else
            put(chroma, c, level);
    }
    unsigned of_whole(bool chroma, const Av1Cells &part) const {
        return whole_[chroma].cells.contains(part) ? whole_[chroma].level : 0;
    }
    // The highest level of the blocks in an area of luma, at most 32x32 pixels, that are the last ones that came.
    unsigned highest_of_last_luma(const Av1Cells &area) const {
        unsigned level = 0;
        for (std::size_t i = 1; i <= std::min(luma_count_, luma_.size()); i++) {
            const Block &block = luma_[(luma_count_ - i) % luma_.size()];
            if (!area.contains(block.cells))
                break;
            level = std::max(level, block.level);
        }
        return level;
    }

  private:
    static_assert(kMostLevel <= IntraDiagonals::kMostLevel);
    struct Block {
        Av1Cells cells{};
        unsigned level = 0;
    };
    IntraDiagonals diagonals_;
    std::array<Block, 2> whole_; // the last one of luma and of chroma
    std::array<Block, 64> luma_; // as many as 32x32 pixels may have; a ring
    std::size_t luma_count_ = 0; // that ever came
};

} // namespace dd
