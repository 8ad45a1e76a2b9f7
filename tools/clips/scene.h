// SPDX-License-Identifier: BSD-2-Clause
//
// A moving picture: a background that pans, turns and zooms, things that cross it, light that changes.
#pragma once
#include "texture.h"

#include <vector>

namespace clips {

class Scene {
  public:
    Scene(std::uint32_t seed, unsigned width, unsigned height);
    // Sets the time in frames since the scene began.
    void seek(unsigned frame);
    Colour at(float x, float y) const;

  private:
    struct Thing {
        float radius, start_x, start_y, speed_x, speed_y, sway, texture_x, texture_y;
        float x = 0, y = 0; // now
        bool square;
    };
    const Thing *thing_at(float x, float y) const;

    Texture texture_;
    std::vector<Thing> things_;
    std::uint32_t seed_;
    float width_, height_;
    float cos_ = 1, sin_ = 0, shift_x_ = 0, shift_y_ = 0, light_ = 1;
};

} // namespace clips
