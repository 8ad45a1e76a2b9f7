// SPDX-License-Identifier: BSD-2-Clause
//
// Intra prediction of VP9 frames as dispatches: residuals of all blocks, then a workgroup for each plane that goes
// from level to level.
#pragma once
#include "batch/dispatch.h"
#include "vp9/batch.h"

#include <cstddef>

namespace dd {

// Behind the dispatches that `work` has by now, whose pixels are read.
void plan_vp9_intra(const Vp9Batch &batch, PhaseWork &work);
// `next`: the first of those dispatches.
void write_vp9_intra(const Vp9Batch &batch, const PhaseWork &work, std::size_t next, std::byte *upload);

} // namespace dd
