// SPDX-License-Identifier: BSD-2-Clause
//
// The levels of a frame's intra blocks (Av1IntraStep), by cells of 4x4 pixels of luma and of chroma.
#pragma once
#include "batch/picture_layout.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace dd {

// A rectangle of cells.
struct Av1Cells {
    unsigned x, y, w, h;
};

// Cells of other blocks have level 0. Threads may use it at once for different tiles, which read nothing of each other.
class Av1IntraLevels {
  public:
    // Forgets all blocks. `highest`: of the levels that were put since the last time.
    void reset(const PictureLayout &dst, unsigned highest) {
        if (fits(dst))
            forget(highest);
        else
            allocate(dst);
    }
    void forget(unsigned highest) {
        if (base_ + highest < kMostBase)
            base_ += highest;
        else
            clear();
    }
    bool empty() const { return !plane_[0].cells; }
    // The highest level of cells inside the padded plane.
    unsigned highest(bool chroma, const Av1Cells &c) const {
        const Plane &plane = plane_[chroma];
        unsigned level = base_;
        const std::uint16_t *row = plane.at(c.x, c.y);
        for (unsigned y = 0; y < c.h; y++, row += plane.columns)
            for (unsigned x = 0; x < c.w; x++)
                level = std::max<unsigned>(level, row[x]);
        return level - base_;
    }
    // Of a block, only the last row and column: what later blocks read.
    void put(bool chroma, const Av1Cells &c, unsigned level) {
        fill(chroma, {c.x, c.y + c.h - 1, c.w, 1}, level);
        fill(chroma, {c.x + c.w - 1, c.y, 1, c.h}, level);
    }
    // All cells: parts of the block come again.
    void fill(bool chroma, const Av1Cells &c, unsigned level) {
        const Plane &plane = plane_[chroma];
        std::uint16_t *row = plane.at(c.x, c.y);
        for (unsigned y = 0; y < c.h; y++, row += plane.columns)
            std::fill_n(row, c.w, static_cast<std::uint16_t>(base_ + level));
    }

    // Chains of dependent blocks are short where blocks between them are inter blocks. A frame with a longer one isn't worth a dispatch for each
    // level; levels beyond are kept as this one.
    static constexpr unsigned kMostLevel = 2047;

  private:
    static constexpr unsigned kMostBase = 65535 - kMostLevel;
    struct Free {
        void operator()(std::uint16_t *cells) const { std::free(cells); }
    };
    struct Plane {
        // From calloc: what nobody uses takes no memory.
        std::unique_ptr<std::uint16_t[], Free> cells;
        std::size_t columns = 0, rows = 0;
        std::uint16_t *at(unsigned x, unsigned y) const { return cells.get() + y * columns + x; }
    };

    bool fits(const PictureLayout &dst) const {
        for (unsigned p = 0; p < plane_.size(); p++)
            if (plane_[p].columns != dst.plane[p].padded_width / 4 || plane_[p].rows != dst.plane[p].padded_height / 4)
                return false;
        return !empty();
    }
    void allocate(const PictureLayout &dst) {
        base_ = 0;
        for (unsigned p = 0; p < plane_.size(); p++) {
            Plane &plane = plane_[p];
            plane.columns = dst.plane[p].padded_width / 4;
            plane.rows = dst.plane[p].padded_height / 4;
            plane.cells.reset(
                static_cast<std::uint16_t *>(std::calloc(plane.columns * plane.rows + 1, sizeof(std::uint16_t))));
            if (!plane.cells)
                throw std::bad_alloc();
        }
    }
    void clear() {
        base_ = 0;
        for (Plane &plane : plane_)
            std::fill_n(plane.cells.get(), plane.columns * plane.rows, std::uint16_t{0});
    }

    std::array<Plane, 2> plane_; // luma, chroma
    unsigned base_ = 0;          // levels of this frame are higher
};

} // namespace dd
