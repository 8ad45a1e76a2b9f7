// SPDX-License-Identifier: BSD-2-Clause
//
// Single pixels of a picture in host memory.
#pragma once
#include "batch/picture_layout.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dd::reference {

class Plane {
  public:
    Plane(const PictureLayout &layout, unsigned plane, std::byte *buffer)
        : shape_(layout.plane[plane]), first_(buffer + shape_.offset), bytes_(layout.bytes_per_pixel()),
          max_((1 << layout.format.bit_depth) - 1) {}
    Plane(const PictureLayout &layout, unsigned plane, const std::byte *buffer)
        : Plane(layout, plane, const_cast<std::byte *>(buffer)) {}

    int at(int x, int y) const {
        std::uint16_t value = 0;
        std::memcpy(&value, where(x, y), bytes_);
        return value;
    }
    // At the nearest position inside the picture's true size.
    int at_clamped(int x, int y) const {
        return at(std::clamp(x, 0, static_cast<int>(shape_.width) - 1),
                  std::clamp(y, 0, static_cast<int>(shape_.height) - 1));
    }
    void set(int x, int y, int value) {
        const auto pixel = static_cast<std::uint16_t>(value);
        std::memcpy(where(x, y), &pixel, bytes_);
    }
    int clip(std::int64_t value) const { return static_cast<int>(std::clamp<std::int64_t>(value, 0, max_)); }

  private:
    std::byte *where(int x, int y) const {
        return first_ + std::ptrdiff_t{y} * shape_.stride + std::ptrdiff_t{x} * bytes_;
    }
    PlaneLayout shape_;
    std::byte *first_;
    std::ptrdiff_t bytes_;
    int max_;
};

} // namespace dd::reference
