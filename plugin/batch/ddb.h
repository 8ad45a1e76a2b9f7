// SPDX-License-Identifier: BSD-2-Clause
//
// A saved batch (.ddb): everything that running it again needs, pixels included.
#pragma once
#include "batch/vp9_batch.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace dd {

// Phases that a saved batch ran with; the values of DD_PHASE_*.
struct SavedBatch {
    unsigned phases = 0;
    Vp9Batch batch;
    std::vector<std::byte> dst; // pixels before the batch ran, as batch.dst lays them out
    std::array<std::vector<std::byte>, DD_MAX_REFS> ref;
};

// What save_batch writes; pixels by layout, nullptr for references that aren't there or that nothing reads.
struct BatchView {
    unsigned phases = 0;
    const Vp9Batch *batch = nullptr;
    const std::byte *dst = nullptr;
    std::array<const std::byte *, DD_MAX_REFS> ref{};
};

// Empty: it worked; else what went wrong.
std::string save_batch(const std::string &path, const BatchView &view);
std::string load_batch(const std::string &path, SavedBatch &saved);
// The same from memory. Anything may be in there: nothing is believed.
std::string parse_batch(std::span<const std::byte> bytes, SavedBatch &saved);

} // namespace dd
