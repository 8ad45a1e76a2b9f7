// SPDX-License-Identifier: BSD-2-Clause
//
// A seamless colour texture with detail at every scale and some hard edges, made from a seed.
#pragma once
#include <cstdint>
#include <vector>

namespace clips {

struct Colour {
    float y, u, v; // 0 to 1
};

// A well mixed number for a seed and two coordinates: the only source of chance in a clip.
std::uint32_t mix(std::uint32_t seed, std::uint32_t a, std::uint32_t b);
// The same as a number from 0 to 1.
float chance(std::uint32_t seed, std::uint32_t a, std::uint32_t b);

class Texture {
  public:
    explicit Texture(std::uint32_t seed);
    // Bilinear; repeats every `side` units in both directions.
    Colour at(float x, float y) const;

    static constexpr unsigned side = 512;

  private:
    const Colour &texel(unsigned x, unsigned y) const { return texels_[(y % side) * side + x % side]; }
    std::vector<Colour> texels_;
};

} // namespace clips
