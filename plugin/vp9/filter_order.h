// SPDX-License-Identifier: BSD-2-Clause
//
// The order in which a frame's edges may be filtered at the same time. VP9 filters superblock by superblock, in each
// all edges between columns before those between rows (specification, clause 8.8). An edge that shares pixels with an
// earlier one has to come after it. Edges of a superblock reach over its left and upper border, but not over the
// others. So superblocks share pixels with their left neighbour and with three in the row above. Where x + 2 * y is
// the same, they share none: they are a wave. A wave has two levels, edges between columns and edges between rows.
// Within a level, edges along a line that overlap make a chain, which one lane of the GPU walks along; chains of a
// level are independent.
#pragma once
#include "util/record_list.h"
#include "vp9/batch.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dd {

class Vp9FilterOrder {
  public:
    // Keeps its memory from frame to frame.
    void build(const Vp9Batch &batch);

    // The k-th edges of a level's chains are a segment, in the order of the chains: longer ones first, single edges
    // by width.
    std::vector<DdLfLevel> levels;
    std::vector<DdLfSegment> segments;
    RecordList<DdLfEdge> edges;

  private:
    static constexpr unsigned kMostEdges = 16;             // of a chain: every four pixels of a superblock
    static constexpr unsigned kRanks = kMostEdges - 1 + 3; // chains by length, single edges by width
    static constexpr unsigned rank_of(unsigned count, unsigned width) {
        return count > 1 ? kMostEdges - count : kRanks - 1 - width;
    }
    static constexpr unsigned length_of(unsigned rank) { return rank < kMostEdges - 1 ? kMostEdges - rank : 1; }

    struct Edges;
    struct Line;
    struct Maker;
    struct Part;
    // Luma, or chroma: both of its planes have the same edges.
    struct Component {
        void (Vp9FilterOrder::*take[2])(Part &, const Component &); // by direction
        unsigned kind;                                              // of the masks
        unsigned copies;                                            // planes
        std::uint32_t to_copy;                                      // words from the first plane to the second
        std::uint32_t at, across, down;       // words: the first superblock, from it to its neighbours
        std::array<std::uint32_t, 2> cell;    // words to the next four pixels, by direction
        std::array<std::uint32_t, 64> offset; // words, by the masks' bit
        // Whose level an edge has, by direction, whether it is 16 wide, and bit.
        std::array<std::array<std::array<std::uint8_t, 64>, 2>, 2> level_of;
    };
    // A component of a superblock of the wave.
    struct Part {
        const DdLfSuperblock *sb;
        unsigned component;
        std::uint32_t at;                      // word
        bool leftmost, uppermost;              // in the picture
        std::array<std::uint64_t, 3> of_width; // single edges
    };
    struct Chain {
        std::uint8_t count, width, component;
    };

    void set_components(const Vp9Batch &batch);
    template <unsigned ss_h, unsigned ss_v>
    void set_component(Component &component, const Vp9Batch &batch, unsigned plane);
    void find_parts(const Vp9LoopFilter &lf, unsigned wave);
    void put_level(unsigned direction);
    void put_singles(const Part &part, unsigned direction);
    void put_chains(const DdLfSegment *segment);
    template <unsigned direction, unsigned ss_h, unsigned ss_v>
    void take(Part &part, const Component &component);
    template <unsigned direction, unsigned ss_h, unsigned ss_v>
    void take_line(const Part &part, const Component &component, const Edges &edges, unsigned line);

    std::array<std::uint32_t, DD_LF_LEVELS> strength_{};
    std::array<Component, 2> components_{};
    unsigned component_count_ = 0;
    // Of a level:
    std::vector<Part> parts_;
    std::array<std::uint32_t, kRanks> next_{}; // chains, then where the next one's first edge goes
    RecordList<Chain> chains_;                 // in lines with more than single edges
    RecordList<DdLfEdge> chain_edges_;
};

} // namespace dd
