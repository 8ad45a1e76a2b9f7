// SPDX-License-Identifier: BSD-2-Clause
//
// What a replay does differently for each codec.
#pragma once
#include "batch/dispatch.h"
#include "debug/saved_batch.h"

#include <array>
#include <cstddef>

namespace replay {

constexpr unsigned kRecon = 1, kFilter = 2; // bits of SavedBatch.phases

using Phases = std::array<dd::PhaseWork, 2>;

void plan(const dd::Vp9Batch &batch, unsigned phases, dd::Profile profile, Phases &work);
void plan(const dd::Av1Batch &batch, unsigned phases, dd::Profile profile, Phases &work);

// Writes the upload of one phase.
void write(const dd::Vp9Batch &batch, unsigned phase, dd::Profile profile, const dd::PhaseWork &work,
           std::byte *upload);
void write(const dd::Av1Batch &batch, unsigned phase, dd::Profile profile, const dd::PhaseWork &work,
           std::byte *upload);

// The scalar reference, in place.
using References = std::array<const std::byte *, DD_MAX_REFERENCES>; // by slot; nullptr: none
void run_reference(const dd::Vp9Batch &batch, unsigned phases, const References &references, std::byte *pixels);
void run_reference(const dd::Av1Batch &batch, unsigned phases, const References &references, std::byte *pixels);

inline const dd::PictureLayout &reference_layout(const dd::Vp9Batch &batch, unsigned slot) {
    return batch.ref[slot];
}
inline const dd::PictureLayout &reference_layout(const dd::Av1Batch &batch, unsigned) {
    return batch.dst;
}

// Bytes of each of two pictures that the filters need beside the one that they change; 0: none.
std::uint32_t scratch_bytes(const dd::Vp9Batch &batch, unsigned phases);
std::uint32_t scratch_bytes(const dd::Av1Batch &batch, unsigned phases);

// What lies beyond the picture's true size is the codec's too.
bool padding_counts(const dd::Vp9Batch &batch, unsigned phases);
bool padding_counts(const dd::Av1Batch &batch, unsigned phases);

struct Counts {
    unsigned long long predictions = 0, residuals = 0, superblocks = 0; // records
};
Counts count(const dd::Vp9Batch &batch);
Counts count(const dd::Av1Batch &batch);

} // namespace replay
