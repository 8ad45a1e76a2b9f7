// SPDX-License-Identifier: BSD-2-Clause
//
// What a device may be asked to do for a frame. A stream says how much there is: what exceeds a limit is the CPU's,
// before a byte of it is written.
#pragma once
#include "batch/dispatch.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace dd {

struct WorkLimits {
    std::uint64_t upload_bytes = 0;        // of a submit: a buffer that kernels read
    std::uint64_t residual_bytes = 0;      // of a buffer that kernels write
    std::array<std::uint32_t, 2> groups{}; // of a dispatch, x and y
    std::uint64_t time_ns = 0;             // of a submit, by estimate_ns()
};

// The plugin's own limit of an upload, below what kernels' 32-bit indices of words reach. The largest frames that a
// level of AV1 allows, 35 million pixels (AV1 specification, annex A.3), need a quarter of it with all coefficients
// of 10 bits.
constexpr std::uint64_t kMostUploadBytes = std::uint64_t{1} << 30;

// How long the work takes a slow device of the profile, at most: V3D 7.1 by the timing model (docs/v3dsim.md), an
// integrated GPU of the slowest kind for `wide`.
std::uint64_t estimate_ns(const PhaseWork &work, Profile profile);

// What the phases exceed, for people; empty: nothing.
std::string_view exceeded_limit(const std::array<const PhaseWork *, 2> &phases, Profile profile,
                                const WorkLimits &limits);

// Limits as a test gives them, "groups:100,upload:4096,time:1000" (ns): each at most what it was.
WorkLimits limits_from_text(std::string_view text, WorkLimits limits);

} // namespace dd
