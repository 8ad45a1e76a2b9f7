// SPDX-License-Identifier: BSD-2-Clause
#include "texture.h"

#include <cmath>

namespace clips {

std::uint32_t mix(std::uint32_t seed, std::uint32_t a, std::uint32_t b) {
    std::uint32_t h = seed * 0x9e3779b9u ^ a * 0x85ebca6bu ^ b * 0xc2b2ae35u;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    h ^= h >> 12;
    h *= 0x297a2d39u;
    return h ^ h >> 15;
}

float chance(std::uint32_t seed, std::uint32_t a, std::uint32_t b) {
    return static_cast<float>(mix(seed, a, b) >> 8) / static_cast<float>(1u << 24);
}

namespace {

float smooth(float t) {
    return t * t * (3 - 2 * t);
}

// Value noise on a lattice of `cells` by `cells` that wraps around.
float lattice_noise(std::uint32_t seed, unsigned cells, float x, float y) {
    const float px = x * static_cast<float>(cells), py = y * static_cast<float>(cells);
    const auto cx = static_cast<unsigned>(px), cy = static_cast<unsigned>(py);
    const float fx = smooth(px - std::floor(px)), fy = smooth(py - std::floor(py));
    const auto corner = [&](unsigned dx, unsigned dy) {
        return chance(seed + cells, (cx + dx) % cells, (cy + dy) % cells);
    };
    const float top = std::lerp(corner(0, 0), corner(1, 0), fx);
    const float bottom = std::lerp(corner(0, 1), corner(1, 1), fx);
    return std::lerp(top, bottom, fy);
}

// Octaves from `cells` up to `finest`, each weaker than the one before.
float fractal_noise(std::uint32_t seed, unsigned cells, unsigned finest, float x, float y) {
    float sum = 0, weight = 0;
    for (float amplitude = 1; cells <= finest; cells *= 2, amplitude *= 0.65f) {
        sum += amplitude * lattice_noise(seed, cells, x, y);
        weight += amplitude;
    }
    return sum / weight;
}

Colour texel_colour(std::uint32_t seed, float x, float y) {
    const float soft = fractal_noise(seed, 4, 256, x, y);
    // Level sets of a second field are outlines like those of leaves or walls.
    const float outline = fractal_noise(seed + 1, 8, 32, x, y);
    const float step = outline > 0.55f ? 0.15f : outline < 0.4f ? -0.15f : 0.0f;
    const float luma = 0.5f + (soft - 0.5f) * 1.2f + step;
    return {std::fmin(std::fmax(luma, 0.02f), 0.98f), 0.5f + (fractal_noise(seed + 2, 4, 16, x, y) - 0.5f) * 0.9f,
            0.5f + (fractal_noise(seed + 3, 4, 16, x, y) - 0.5f) * 0.9f + step * 0.3f};
}

Colour blend(const Colour &a, const Colour &b, float t) {
    return {std::lerp(a.y, b.y, t), std::lerp(a.u, b.u, t), std::lerp(a.v, b.v, t)};
}

} // namespace

Texture::Texture(std::uint32_t seed) : texels_(side * side) {
    for (unsigned y = 0; y < side; y++)
        for (unsigned x = 0; x < side; x++)
            texels_[y * side + x] =
                texel_colour(seed, static_cast<float>(x) / float{side}, static_cast<float>(y) / float{side});
}

Colour Texture::at(float x, float y) const {
    const float floor_x = std::floor(x), floor_y = std::floor(y);
    const auto ix = static_cast<unsigned>(static_cast<int>(floor_x)),
               iy = static_cast<unsigned>(static_cast<int>(floor_y));
    const float fx = x - floor_x, fy = y - floor_y;
    return blend(blend(texel(ix, iy), texel(ix + 1, iy), fx), blend(texel(ix, iy + 1), texel(ix + 1, iy + 1), fx), fy);
}

} // namespace clips
