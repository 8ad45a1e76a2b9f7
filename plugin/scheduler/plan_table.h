// SPDX-License-Identifier: BSD-2-Clause
//
// The plans that `auto` chooses from.
#pragma once
#include "daedalus/daedalus.h"

#include <span>

namespace dd {

// Every so many frames with inter blocks, one has the stages of `on_gpu` (bit s: stage s) on the GPU. The frames
// between have those of `between` there, which are among them. The CPU has all else.
struct Candidate {
    unsigned on_gpu;
    unsigned every = 1;
    unsigned between = 0;

    bool operator==(const Candidate &) const = default;
};

constexpr unsigned kMostCandidates = 8;

enum class DeviceKind {
    fast, // any GPU that isn't V3D
    v3d,
};

// The first one is the plan of a device that nothing is known of. They are timed in this order.
std::span<const Candidate> plan_table(DdCodec codec, DeviceKind kind);

} // namespace dd
