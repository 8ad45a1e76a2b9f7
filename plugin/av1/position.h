// SPDX-License-Identifier: BSD-2-Clause
//
// Positions as records of AV1 have them: two halves of a word.
#pragma once
#include <algorithm>
#include <cstdint>

namespace dd {

constexpr std::uint32_t av1_pack(int x, int y) {
    return (static_cast<std::uint32_t>(x) & 0xffffu) | static_cast<std::uint32_t>(y) << 16;
}
constexpr std::uint32_t av1_pack(unsigned x, unsigned y) {
    return x | y << 16;
}

// Past the edge all pixels are the same: positions further away are as good as these, and fit.
template <typename Position>
int av1_near(Position at, std::uint32_t size) {
    constexpr int far = 64;
    return static_cast<int>(std::clamp<Position>(at, -far, static_cast<Position>(size) + far));
}

} // namespace dd
