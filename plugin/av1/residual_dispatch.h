// SPDX-License-Identifier: BSD-2-Clause
//
// The dispatches of AV1's residuals, as a part of the recon phase: they come after the predictions, in the same
// upload: for each dispatch the table of workgroups and records. Coefficients are apart from these, as the recorder
// may have put them where the GPU reads them.
#pragma once
#include "av1/recorder.h"
#include "batch/dispatch.h"

#include <cstddef>
#include <cstdint>

namespace dd {

// Appends to `work`. The records begin at word `next` behind the parameters; returns the word behind all of it.
std::uint64_t plan_av1_residuals(const Av1Recon &recon, unsigned bit_depth, std::uint64_t next, PhaseWork &work);
// Writes what was planned; `to` is word `next`. Returns where it ends.
std::byte *write_av1_residuals(const Av1Recon &recon, const PhaseWork &work, std::byte *to);

std::uint64_t av1_coefficient_words(const Av1Recon &recon);
void write_av1_coefficients(const Av1Recon &recon, std::byte *to);

} // namespace dd
