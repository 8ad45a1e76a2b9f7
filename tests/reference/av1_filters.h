// SPDX-License-Identifier: BSD-2-Clause
//
// The AV1 in-loop filters of whole frames, plainly: a pixel at a time, as the specification puts it. Reads the same
// tables as the kernels.
#pragma once
#include "av1/batch.h"

#include <cstdint>
#include <vector>

namespace dd::reference {

// One plane in 16-bit pixels, with its padding.
struct Av1Plane {
    unsigned stride = 0;
    std::vector<std::uint16_t> pixels;
    std::uint16_t &at(int x, int y) {
        return pixels[static_cast<std::size_t>(y) * stride + static_cast<std::size_t>(x)];
    }
    std::uint16_t at(int x, int y) const {
        return pixels[static_cast<std::size_t>(y) * stride + static_cast<std::size_t>(x)];
    }
};

struct Av1Picture {
    std::array<Av1Plane, 3> plane;
};

Av1Picture load_picture(const PictureLayout &layout, const std::uint8_t *bytes);
void store_picture(const PictureLayout &layout, const Av1Picture &picture, std::uint8_t *bytes);

void deblock(const Av1Filters &filters, Av1Picture &picture);
// `picture` is deblocked; returns the filtered one.
Av1Picture cdef(const Av1Filters &filters, const Av1Picture &picture);
// `deblocked`: before CDEF. `picture`: after it.
Av1Picture restore(const Av1Filters &filters, const Av1Picture &deblocked, const Av1Picture &picture);

// All of them, in a picture's bytes.
void run_av1_filters(const Av1Batch &batch, std::uint8_t *bytes);

// Direction and variance of an 8x8 block, clause 7.15.1. `shift`: bit depth - 8.
unsigned cdef_direction(const std::uint16_t *pixels, unsigned stride, unsigned shift, unsigned &variance);

} // namespace dd::reference
