// SPDX-License-Identifier: BSD-2-Clause
//
// A saved batch (.ddb): everything that running it again needs, pixels included.
#pragma once
#include "av1/batch.h"
#include "debug/batch_view.h"
#include "vp9/batch.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace dd {

// Phases that a saved batch ran with; the values of DD_PHASE_*.
struct SavedBatch {
    unsigned phases = 0;
    std::variant<Vp9Batch, Av1Batch> batch;
    std::vector<std::byte> dst; // pixels before the batch ran, as the batch's dst lays them out
    // By slot; of AV1's slots with the same picture only the first one that has it.
    std::array<std::vector<std::byte>, DD_MAX_REFERENCES> ref;

    const PictureLayout &layout() const {
        return std::visit([](const auto &b) -> const PictureLayout & { return b.dst; }, batch);
    }
};

// Empty: it worked; else what went wrong.
std::string save_batch(const std::string &path, const BatchView &view);
std::string load_batch(const std::string &path, SavedBatch &saved);
// The same from memory. Anything may be in there: nothing is believed.
std::string parse_batch(std::span<const std::byte> bytes, SavedBatch &saved);

} // namespace dd
