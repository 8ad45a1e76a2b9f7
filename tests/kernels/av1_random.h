// SPDX-License-Identifier: BSD-2-Clause
//
// Random pictures, and filter tables that a decoder could have made: edges follow transform blocks, so that filters
// don't overlap; everything else is free.
#pragma once
#include "av1/batch.h"

#include <cstdint>
#include <random>
#include <vector>

namespace dd::test {

using Random = std::mt19937;

inline unsigned below(Random &random, unsigned end) {
    return static_cast<unsigned>(random() % end);
}

// What the tables of Av1FilterTables point to.
struct Av1RandomFrame {
    PictureLayout layout;
    std::vector<std::uint8_t> pixels; // layout.size bytes
    std::vector<std::uint32_t> superblocks, levels;
    std::array<std::vector<Av1RestorationUnit>, 3> units;
    Av1FilterTables tables;
};

enum class Pixels { noise, smooth, extreme };

// `stages`: 1 deblocking, 2 CDEF, 4 restoration.
Av1RandomFrame random_frame(Random &random, const PictureFormat &format, Pixels pixels, unsigned stages);

} // namespace dd::test
