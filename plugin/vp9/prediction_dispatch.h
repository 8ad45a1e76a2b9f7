// SPDX-License-Identifier: BSD-2-Clause
//
// The dispatches of VP9's predictions, the first part of the recon phase: one for each choice of references.
#pragma once
#include "batch/dispatch.h"
#include "vp9/batch.h"

#include <cstddef>

namespace dd {

// Appends to `work`.
void plan_vp9_predictions(const Vp9Batch &batch, Profile profile, PhaseWork &work);
// Writes what was planned. Returns how many dispatches that were.
std::size_t write_vp9_predictions(const Vp9Batch &batch, Profile profile, const PhaseWork &work, std::byte *upload);

} // namespace dd
