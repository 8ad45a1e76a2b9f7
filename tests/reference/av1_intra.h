// SPDX-License-Identifier: BSD-2-Clause
//
// The intra blocks of an AV1 batch, one step after another: prediction (AV1 specification, clause 7.11.2), chroma
// from luma (7.11.5), palettes (7.11.4), blending with inter prediction (7.11.3.14), and the residuals that belong to
// them.
#pragma once
#include "av1/batch.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dd::reference {

struct Av1IntraPlace {
    std::size_t recorder, step;
};

// All steps: by level, and in a level recorder after recorder.
std::vector<Av1IntraPlace> av1_intra_by_level(const Av1Batch &batch);

void run_av1_intra(const Av1Batch &batch, std::uint8_t *dst);
// In an order of one's own.
void run_av1_intra(const Av1Batch &batch, std::span<const Av1IntraPlace> order, std::uint8_t *dst);

} // namespace dd::reference
