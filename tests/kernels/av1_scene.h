// SPDX-License-Identifier: BSD-2-Clause
//
// Random frames of AV1's inter prediction and residuals: recorded, and made by the scalar reference at once.
#pragma once
#include "av1/batch.h"
#include "kernels/av1_random.h"
#include "reference/av1_prediction.h"

#include <memory>
#include <vector>

namespace dd::test {

inline int between(Random &random, int first, int last) {
    return first + static_cast<int>(below(random, static_cast<unsigned>(last - first + 1)));
}

// `pictures`: different ones in the seven slots.
struct Av1Scene {
    Av1Scene(Random &random, const PictureFormat &format, unsigned pictures);

    const PictureFormat &format() const { return batch.dst.format; }
    Av1Recorder &recorder() { return batch.recon.recorders[below(random, 2)]; }
    reference::Av1Predictor predictor() { return {batch.dst, pixels_of, expected.data()}; }

    // A source near the rectangle, or far from it.
    DdAv1Source source(unsigned x, unsigned y, unsigned w, unsigned h);
    // Shears within the limits of clause 7.11.3.6.
    const DdAv1Warp *warp();
    const std::uint8_t *mask(unsigned w, unsigned h);

    using Pixels = std::vector<std::uint8_t>;
    Random &random;
    Av1Batch batch;
    std::vector<Pixels> memory;
    std::array<unsigned, kAv1Refs> picture_of{};
    std::array<const std::uint8_t *, kAv1Refs> pixels_of{};
    Pixels before, expected;
    std::vector<std::unique_ptr<DdAv1Warp>> warps;
    std::vector<std::unique_ptr<Pixels>> masks;
};

// What fills a square of 32x32, 64x64 or 128x128 pixels of a plane.
struct Square {
    bool chroma;
    unsigned x, y, side;
};
void fill_with_predictions(Av1Scene &scene, const Square &q, unsigned kind, bool warped);
// Of luma, and the chroma there.
void fill_with_blocks(Av1Scene &scene, const Square &q);
void fill_with_overlaps(Av1Scene &scene, const Square &q);
void fill_with_differences(Av1Scene &scene, const Square &q, bool chroma);
// Residuals of all sizes and types that are in range; of a plane.
void fill_with_residuals(Av1Scene &scene, unsigned plane, unsigned x, unsigned y, unsigned side);

} // namespace dd::test
