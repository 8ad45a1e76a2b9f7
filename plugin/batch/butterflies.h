// SPDX-License-Identifier: BSD-2-Clause
//
// A step that the inverse transforms of VP9 and AV1 share.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace dd {

// Butterflies inside blocks of `width`; every other block is upside down. kept() is told each result.
template <class Kept>
void butterflies(std::span<std::int64_t> x, std::size_t width, const Kept &kept) {
    for (std::size_t block = 0; block < x.size() / width; block++)
        for (std::size_t i = 0; i < width / 2; i++) {
            std::int64_t &a = x[block * width + i], &b = x[block * width + width - 1 - i];
            const std::int64_t sum = kept(a + b), difference = kept(block % 2 ? b - a : a - b);
            (block % 2 ? b : a) = sum;
            (block % 2 ? a : b) = difference;
        }
}

} // namespace dd
