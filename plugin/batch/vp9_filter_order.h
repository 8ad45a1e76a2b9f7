// SPDX-License-Identifier: BSD-2-Clause
//
// The order in which a frame's edges may be filtered at the same time. VP9 filters superblock by superblock, in each all edges
// between columns before those between rows (specification, clause 8.8). What has to be kept of this order is what
// edges do to each other: one that shares pixels with an earlier one comes after it. Edges along a line that overlap
// make a chain, which one lane of the GPU walks along; a chain's level is one more than that of any earlier chain
// that it shares pixels with. Chains of one level are independent, in the whole frame.
#pragma once
#include "batch/record_list.h"
#include "batch/vp9_batch.h"
#include "batch/vp9_edge_walk.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dd {

class Vp9FilterOrder {
  public:
    // Keeps its memory from frame to frame. The levels go down the picture: a row of superblocks begins after the row above
    // has had its two largest levels. More levels than there need be, but what they read is still in a small cache.
    void build(const Vp9Batch &batch);

    // The k-th edges of the level's chains of one direction are a segment, in the order of the chains.
    std::vector<DdLfLevel> levels;
    std::vector<DdLfSegment> segments;
    RecordList<DdLfEdge> edges;

  private:
    void sort();
    void lay_out(std::size_t level, unsigned direction);

    Vp9EdgeWalk walk_;
    std::uint32_t placed_ = 0;                                // edges that have their segments
    std::vector<std::array<std::uint32_t, 2>> first_segment_; // of a level by direction
};

} // namespace dd
