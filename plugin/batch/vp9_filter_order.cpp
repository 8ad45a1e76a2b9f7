// SPDX-License-Identifier: BSD-2-Clause
#include "batch/vp9_filter_order.h"

namespace dd {

void Vp9FilterOrder::build(const Vp9Batch &batch) {
    levels.clear();
    segments.clear();
    edges.clear();
    if (batch.lf.superblocks.empty())
        return;
    walk_.walk(batch);
    sort();
}

// The segments of a level's chains of one direction, and instead of how many chains of a kind there are, where the first one's
// first edge goes.
void Vp9FilterOrder::lay_out(std::size_t level, unsigned direction) {
    std::uint32_t *const of_rank = &walk_.chains_of[level][direction * Vp9EdgeWalk::kRanks];
    std::array<std::uint32_t, Vp9EdgeWalk::kMostEdges> longer{}; // chains with more than that many edges
    std::uint32_t place = placed_;
    for (unsigned rank = 0; rank < Vp9EdgeWalk::kRanks; rank++) {
        const std::uint32_t count = of_rank[rank];
        of_rank[rank] = place;
        place += count;
        for (unsigned k = 0; count && k < Vp9EdgeWalk::length_of(rank); k++)
            longer[k] += count;
    }
    first_segment_[level][direction] = static_cast<std::uint32_t>(segments.size());
    for (const std::uint32_t count : longer) {
        if (!count)
            break;
        segments.push_back({placed_, count | direction << DD_LF_DIRECTION_SHIFT});
        placed_ += count;
    }
}

void Vp9FilterOrder::sort() {
    first_segment_.resize(walk_.levels);
    placed_ = 0;
    for (std::size_t level = 0; level < walk_.levels; level++) {
        const auto first = static_cast<std::uint32_t>(segments.size());
        for (unsigned direction = 0; direction < 2; direction++)
            lay_out(level, direction);
        levels.push_back({first, static_cast<std::uint32_t>(segments.size())});
    }
    DdLfEdge *const to = edges.extend(walk_.edges.size());
    const DdLfEdge *from = walk_.edges.data();
    for (const Vp9Chain &chain : walk_.chains) {
        const std::uint32_t place = walk_.chains_of[chain.level()][chain.kind()]++;
        to[place] = *from++;
        if (chain.count() > 1) {
            const DdLfSegment *segment = &segments[first_segment_[chain.level()][chain.kind() >= Vp9EdgeWalk::kRanks]];
            for (unsigned k = 1; k < chain.count(); k++)
                to[segment[k].first_edge + (place - segment->first_edge)] = *from++;
        }
    }
}

} // namespace dd
