// SPDX-License-Identifier: BSD-2-Clause
//
// The dispatches of AV1's intra blocks, as the last part of the recon phase: one for each level. They come in the
// same upload as the rest: constant tables, tables of workgroups, records.
#pragma once
#include "av1/batch.h"
#include "batch/dispatch.h"

#include <cstddef>
#include <cstdint>

namespace dd {

// Appends to `work`, as plan_av1_residuals() does.
std::uint64_t plan_av1_intra(const Av1Batch &batch, std::uint64_t next, PhaseWork &work);
// Writes what was planned; `words`: word 0 behind the parameters, `to`: word `next`.
void write_av1_intra(const Av1Batch &batch, const PhaseWork &work, std::byte *words, std::byte *to);

} // namespace dd
