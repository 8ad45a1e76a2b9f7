// SPDX-License-Identifier: BSD-2-Clause
//
// Random frames of AV1's intra blocks, and of those with inter-intra prediction, among others, as a decoder would
// record them.
#pragma once
#include "kernels/av1_scene.h"
#include "reference/av1_intra.h"

#include <cstdint>
#include <vector>

namespace dd::test {

struct Av1IntraChoice {
    std::uint32_t modes =
        (1u << DD_AV1_INTRA_MODES) - 1; // by DD_AV1_INTRA_*; where none of them may be, the average. NONE: inter-intra
    unsigned inter = 30;                // percent of blocks that aren't intra blocks
    bool predicts = false;              // those have inter prediction and residuals
    unsigned residuals = 60;            // percent of transform blocks that have one
    unsigned splits = 60;               // percent of squares that are cut
};

// Fills the picture. Returns the steps in the order in which a decoder would do them.
std::vector<reference::Av1IntraPlace> fill_with_intra(Av1Scene &scene, const Av1IntraChoice &choice);

} // namespace dd::test
