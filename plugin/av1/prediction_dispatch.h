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

// How many dispatches predictions may take more than they have to, and what V3D has to save for each of them.
struct Av1DispatchBudget {
    unsigned most = 0;
    std::uint64_t worth_ns = 0;
};

// How many predictions need: one for each kernel and group of references.
unsigned av1_needed_dispatches(const Av1Recon &recon);
// Appends to `work`. The first dispatch's part begins at word `next` behind the parameters, masks at word
// `DD_AV1_TABLE_WORDS`; returns the word behind all of it.
std::uint64_t plan_av1_predictions(const Av1Batch &batch, const Av1DispatchBudget &budget, std::uint64_t next,
                                   PhaseWork &work);
// Writes what was planned; `to` is word `next`. Returns where it ends.
std::byte *write_av1_predictions(const Av1Batch &batch, const PhaseWork &work, std::uint64_t next, std::byte *to);

} // namespace dd
