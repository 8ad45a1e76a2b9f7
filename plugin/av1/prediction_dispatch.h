// SPDX-License-Identifier: BSD-2-Clause
//
// The dispatches of AV1's inter prediction, as a part of the recon phase: for each dispatch the table of workgroups
// and records. Records of one kernel that read the same references go to a dispatch of their own where that pays.
#pragma once
#include "av1/batch.h"
#include "batch/dispatch.h"

#include <cstddef>
#include <cstdint>

namespace dd {

// How many dispatches predictions are split into at most, unless they need more, and what V3D has to save for each that
// they don't need. None: they aren't split.
struct Av1DispatchBudget {
    unsigned most = 0;
    std::uint64_t worth_ns = 0;
};

// Appends to `work`. The first dispatch's part begins at word `next` behind the parameters, masks at word
// `DD_AV1_TABLE_WORDS`; returns the word behind all of it.
std::uint64_t plan_av1_predictions(const Av1Batch &batch, const Av1DispatchBudget &budget, std::uint64_t next,
                                   PhaseWork &work);
// Writes what was planned; `to` is word `next`. Returns where it ends.
std::byte *write_av1_predictions(const Av1Batch &batch, const PhaseWork &work, std::uint64_t next, std::byte *to);

} // namespace dd
