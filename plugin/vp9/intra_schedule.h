// SPDX-License-Identifier: BSD-2-Clause
//
// The order in which a frame's intra blocks are predicted: luma and chroma by level and size.
#pragma once
#include "vp9/batch.h"

#include <array>
#include <cstdint>
#include <vector>

namespace dd {

class Vp9IntraSchedule {
  public:
    // Keeps its memory from frame to frame.
    void build(const Vp9Batch &batch);

    std::array<std::uint32_t, 2> levels{}; // of luma, of chroma
    std::vector<std::uint32_t> table;      // as DdIntraPush has it
    RecordList<DdIntraRecord> records;
};

} // namespace dd
