// SPDX-License-Identifier: BSD-2-Clause
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

// The intra blocks of a frame by cells of 4x4 pixels, of luma and of chroma: the level of the block that a cell belongs to, 0 for all others.
// Of a block only the last row and column are kept, for those are what later blocks read. Memory is taken as blocks come: many frames have few.
class Vp9IntraLevels {
  public:
    // What a block reads, an or of these.
    static constexpr unsigned kAbove = 1, kAboveRight = 2, kLeft = 4, kCorner = 8;

    // Forgets all blocks.
    void reset(const PictureLayout &dst) {
        if (!fits(dst)) {
            forget_cells();
            for (unsigned p = 0; p < plane_.size(); p++) {
                plane_[p].columns = dst.plane[p].padded_width / 4;
                plane_[p].rows = dst.plane[p].padded_height / 4;
            }
        } else if (used_) {
            begin_frame();
        }
        used_ = false;
    }
    // To be called before a frame's first block.
    void prepare() {
        if (!plane_[0].cells) [[unlikely]]
            allocate();
        used_ = true;
    }
    // Puts a block of n x n cells, inside the padded plane, where nothing that lies outside of it may be read. Returns its level, one more than
    // those of the blocks that it reads. As those are further to the left, or further up and by one cell to the right, a level is at most
    // columns + 2 * rows.
    template <unsigned n>
    std::uint32_t put(unsigned plane, unsigned x, unsigned y, unsigned reads) {
        const auto columns = static_cast<std::ptrdiff_t>(plane_[plane].columns);
        std::uint16_t *at = plane_[plane].cells.get() + static_cast<std::ptrdiff_t>(y) * columns + x;
        constexpr std::ptrdiff_t side = n;
        std::uint16_t highest = base_;
        if (reads & kAbove)
            for (std::ptrdiff_t i = 0; i < side; i++)
                highest = std::max(highest, at[i - columns]);
        if (reads & kAboveRight)
            highest = std::max(highest, at[side - columns]);
        if (reads & kLeft)
            for (std::ptrdiff_t i = 0; i < side; i++)
                highest = std::max(highest, at[i * columns - 1]);
        if (reads & kCorner)
            highest = std::max(highest, at[-columns - 1]);
        highest++;
        highest_ = std::max(highest_, highest);
        for (std::ptrdiff_t i = 0; i < side; i++)
            at[(side - 1) * columns + i] = highest;
        for (std::ptrdiff_t i = 0; i + 1 < side; i++)
            at[i * columns + side - 1] = highest;
        return highest - std::uint32_t{base_};
    }

  private:
    struct Free {
        void operator()(std::uint16_t *cells) const { std::free(cells); }
    };
    struct Plane {
        std::unique_ptr<std::uint16_t[], Free> cells;
        std::size_t columns = 0, rows = 0;
    };
    bool fits(const PictureLayout &dst) const {
        bool same = true;
        for (unsigned p = 0; p < plane_.size(); p++)
            same &=
                plane_[p].columns == dst.plane[p].padded_width / 4 && plane_[p].rows == dst.plane[p].padded_height / 4;
        return same;
    }
    // Of a frame, with room to spare.
    std::size_t most_levels() const { return 2 * (plane_[0].columns + 2 * plane_[0].rows); }
    static_assert(2 * 3 * (kMaxPictureSide / 4) < UINT16_MAX);
    // What is left of earlier frames is no more than base_, until a frame's levels might not fit above it.
    void begin_frame() {
        if (highest_ + most_levels() <= UINT16_MAX) {
            base_ = highest_;
            return;
        }
        for (Plane &plane : plane_)
            std::fill_n(plane.cells.get(), plane.columns * plane.rows + 1, std::uint16_t{0});
        base_ = highest_ = 0;
    }
    void forget_cells() {
        for (Plane &plane : plane_)
            plane.cells.reset();
        base_ = highest_ = 0;
    }
    void allocate() {
        for (Plane &plane : plane_) {
            plane.cells.reset(
                static_cast<std::uint16_t *>(std::calloc(plane.columns * plane.rows + 1, sizeof(std::uint16_t))));
            if (!plane.cells)
                throw std::bad_alloc();
        }
    }

    std::array<Plane, 2> plane_; // luma, chroma
    std::uint16_t base_ = 0;     // levels of this frame are higher
    std::uint16_t highest_ = 0;  // in any cell, base_ if there is none
    bool used_ = false;          // since the last reset
};

} // namespace dd
