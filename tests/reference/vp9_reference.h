// SPDX-License-Identifier: BSD-2-Clause
//
// A plain scalar decoder of VP9 batches: the specification's clauses, one pixel after another, for pictures in host
// memory. What every kernel is compared with.
#pragma once
#include "vp9/batch.h"

#include <array>
#include <cstddef>
#include <functional>

namespace dd::reference {

// Buffers are laid out as the batch's picture layouts say.
using Vp9References = std::array<const std::byte *, DD_MAX_REFS>;

void run_predictions(const Vp9Batch &batch, std::byte *dst, const Vp9References &ref); // clause 8.5.2
void run_residuals(const Vp9Batch &batch, std::byte *dst);                             // clause 8.7
void run_intra(const Vp9Batch &batch, std::byte *dst);                                 // clauses 8.5.1 and 8.7
void run_loop_filter(const Vp9Batch &batch, std::byte *dst);                           // clause 8.8

// Eight pixels of an edge that the loop filter works on, or eight lines across it.
struct Vp9FilterEdge {
    unsigned plane;
    int x, y; // of the first pixel behind it
    bool between_rows;
    int width; // 4, 8 or 16
    unsigned level;
};
// In the order of the specification.
void each_filter_edge(const Vp9Batch &batch, const std::function<void(const Vp9FilterEdge &)> &see);

} // namespace dd::reference
