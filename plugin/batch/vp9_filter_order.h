// SPDX-License-Identifier: BSD-2-Clause
//
// The order in which a frame's edges may be filtered at the same time. VP9 filters superblock by superblock, in each all edges
// between columns before those between rows (specification, clause 8.8). What has to be kept of this order is what
// edges do to each other: one that shares pixels with an earlier one comes after it. Edges along a line that overlap
// make a chain, which one lane of the GPU walks along; a chain's level is one more than that of any earlier chain
// that it shares pixels with. Chains of one level are independent, in the whole frame.
#pragma once
#include "batch/vp9_batch.h"

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
    std::vector<DdLfEdge> edges;

  private:
    static constexpr unsigned kMostEdges = 16; // of a chain: every four pixels of a superblock
    static constexpr unsigned kWidths = 3;
    static constexpr unsigned kRanks = kMostEdges - 1 + kWidths; // longer chains first, single edges by width

    struct Chain {
        unsigned begin = 0, end = 0; // cells of four pixels that it reads, along the line
        unsigned count = 0;
        std::array<DdLfEdge, kMostEdges> edge; // count of them
    };
    struct Node { // a finished chain
        std::uint32_t first_edge;
        std::uint16_t level;
        std::uint8_t direction, count, rank;
    };
    struct Edge {       // what the walk over the masks finds
        unsigned cell;  // along the line, of the first pixel behind the edge
        unsigned width; // 0: 4 wide, 1: 8, 2: 16
        DdLfEdge record;
    };
    struct PlaneView;

    void walk_row(const Vp9Batch &batch, unsigned plane, unsigned sb_row);
    void walk_columns(const PlaneView &view, unsigned sb_col, unsigned sb_row);
    void walk_rows(const PlaneView &view, unsigned sb_col, unsigned sb_row);
    // Templates by direction: they run for every edge, and what is constant in them is what makes them quick.
    template <unsigned direction>
    void add(const PlaneView &view, Chain &chain, const Edge &edge, unsigned across);
    template <unsigned direction>
    void finish(const PlaneView &view, Chain &chain, unsigned across);
    template <unsigned direction>
    std::uint16_t raise(const PlaneView &view, const Chain &chain, unsigned across);
    void sort();

    using Ranks = std::array<std::uint32_t, kRanks>;
    std::array<std::vector<std::uint16_t>, 3> cells_; // of a plane: level + 1 of the last chain there
    std::uint16_t lowest_ = 0;                        // level of the row of superblocks
    std::vector<DdLfEdge> found_;
    std::vector<Node> nodes_;
    std::vector<std::array<Ranks, 2>> ranks_; // of a level by direction: how many, then which comes next
    std::vector<std::array<std::uint32_t, 2>> first_segment_; // of a level by direction
};

} // namespace dd
