// SPDX-License-Identifier: BSD-2-Clause
#include "scene.h"

#include <cmath>
#include <numbers>

namespace clips {
namespace {

float wrap(float value, float period) {
    return value - period * std::floor(value / period);
}

} // namespace

Scene::Scene(std::uint32_t seed, unsigned width, unsigned height)
    : texture_(seed), seed_(seed), width_(static_cast<float>(width)), height_(static_cast<float>(height)) {
    const unsigned count = 3 + mix(seed, 1, 0) % 4;
    for (unsigned i = 0; i < count; i++) {
        const auto pick = [&](unsigned what, float low, float high) {
            return std::lerp(low, high, chance(seed, 100 + i, what));
        };
        things_.push_back({.radius = height_ * pick(0, 0.05f, 0.2f),
                           .start_x = width_ * pick(1, 0, 1),
                           .start_y = height_ * pick(2, 0, 1),
                           .speed_x = width_ * pick(3, -0.02f, 0.02f),
                           .speed_y = height_ * pick(4, -0.01f, 0.01f),
                           .sway = height_ * pick(5, 0, 0.05f),
                           .texture_x = pick(6, 0, 512),
                           .texture_y = pick(7, 0, 512),
                           .square = mix(seed, 200 + i, 0) % 2 == 0});
    }
}

void Scene::seek(unsigned frame) {
    const auto t = static_cast<float>(frame);
    const float turn = (chance(seed_, 2, 0) - 0.5f) * 0.01f * t;
    const float zoom = std::exp((chance(seed_, 3, 0) - 0.5f) * 0.012f * t);
    cos_ = std::cos(turn) * zoom;
    sin_ = std::sin(turn) * zoom;
    shift_x_ = (chance(seed_, 4, 0) - 0.5f) * 6.0f * t;
    shift_y_ = (chance(seed_, 5, 0) - 0.5f) * 3.0f * t;
    light_ = 1.0f + 0.15f * std::sin(t * std::numbers::pi_v<float> / 40.0f);
    for (Thing &thing : things_) {
        thing.x = wrap(thing.start_x + thing.speed_x * t, width_);
        thing.y = wrap(thing.start_y + thing.speed_y * t + thing.sway * std::sin(t * 0.15f), height_);
    }
}

const Scene::Thing *Scene::thing_at(float x, float y) const {
    for (const Thing &thing : things_) {
        const float dx = std::fabs(x - thing.x), dy = std::fabs(y - thing.y);
        const bool inside =
            thing.square ? std::fmax(dx, dy) < thing.radius * 0.8f : dx * dx + dy * dy < thing.radius * thing.radius;
        if (inside)
            return &thing;
    }
    return nullptr;
}

Colour Scene::at(float x, float y) const {
    Colour colour;
    if (const Thing *thing = thing_at(x, y)) {
        colour = texture_.at(x - thing->x + thing->texture_x, y - thing->y + thing->texture_y);
        colour = {1.0f - colour.y, colour.v, colour.u};
    } else {
        const float cx = x - width_ * 0.5f, cy = y - height_ * 0.5f;
        colour = texture_.at(cx * cos_ - cy * sin_ + shift_x_, cx * sin_ + cy * cos_ + shift_y_);
    }
    colour.y *= light_;
    return colour;
}

} // namespace clips
