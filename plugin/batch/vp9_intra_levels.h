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
        } else if (used_ && base_ < UINT32_MAX - 2 * kFrame) {
            base_ += kFrame;
        } else if (used_) {
            forget_cells();
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
        std::uint32_t *at = plane_[plane].cells.get() + static_cast<std::ptrdiff_t>(y) * columns + x;
        constexpr std::ptrdiff_t side = n;
        std::uint32_t highest = base_;
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
        for (std::ptrdiff_t i = 0; i < side; i++)
            at[(side - 1) * columns + i] = highest;
        for (std::ptrdiff_t i = 0; i + 1 < side; i++)
            at[i * columns + side - 1] = highest;
        return highest - base_;
    }

  private:
    static constexpr std::uint32_t kFrame =
        1 << 16; // more than any level: what is left of earlier frames is less than base_
    struct Free {
        void operator()(std::uint32_t *cells) const { std::free(cells); }
    };
    struct Plane {
        std::unique_ptr<std::uint32_t[], Free> cells;
        std::size_t columns = 0, rows = 0;
    };
    bool fits(const PictureLayout &dst) const {
        bool same = true;
        for (unsigned p = 0; p < plane_.size(); p++)
            same &=
                plane_[p].columns == dst.plane[p].padded_width / 4 && plane_[p].rows == dst.plane[p].padded_height / 4;
        return same;
    }
    void forget_cells() {
        for (Plane &plane : plane_)
            plane.cells.reset();
        base_ = 0;
    }
    void allocate() {
        for (Plane &plane : plane_) {
            plane.cells.reset(
                static_cast<std::uint32_t *>(std::calloc(plane.columns * plane.rows + 1, sizeof(std::uint32_t))));
            if (!plane.cells)
                throw std::bad_alloc();
        }
    }

    std::array<Plane, 2> plane_; // luma, chroma
    std::uint32_t base_ = 0;     // levels of this frame are higher
    bool used_ = false;          // since the last reset
};

} // namespace dd
