// SPDX-License-Identifier: BSD-2-Clause
//
// The order in which a frame's intra blocks are predicted: by level, and by class in a level.
#pragma once
#include "av1/recorder.h"

#include <cstdint>
#include <vector>

namespace dd {

class Av1IntraSchedule {
  public:
    // Keeps its memory from frame to frame.
    void build(const Av1Recon &recon);

    std::uint32_t levels() const {
        return first_group.empty() ? 0 : static_cast<std::uint32_t>(first_group.size()) - 1;
    }
    std::uint32_t records() const { return static_cast<std::uint32_t>(order_.size()); }
    // The records of what it was built from, in order: what they say counts from the frame's first words then, and
    // `masks` words before its first mask.
    template <typename Visit>
    void each_record(const Av1Recon &recon, std::uint32_t masks, Visit visit) const {
        for (const Place &place : order_) {
            DdAv1IntraRecord record = recon.recorders[place.recorder].intra_steps[place.step].record;
            const First &first = first_[place.recorder];
            move_record(record, {first.word, first.mask + masks});
            visit(record);
        }
    }

    RecordList<DdAv1IntraGroup> groups; // in the order of levels; their records count from word 0 of the first record
    std::vector<std::uint32_t> first_group; // by level, and the end
    std::uint32_t words = 0;                // at DD_BIND_RESIDUALS

  private:
    struct Place {
        std::uint32_t recorder, step;
    };
    // Of a recorder.
    struct First {
        std::uint32_t word, mask;
    };
    void make_groups(std::size_t levels);
    static void move_record(DdAv1IntraRecord &record, const First &first);

    RecordList<std::uint32_t> next_; // place, by level and class
    RecordList<Place> order_;
    std::vector<First> first_;
};

} // namespace dd
