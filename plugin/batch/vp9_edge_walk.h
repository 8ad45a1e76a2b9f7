// SPDX-License-Identifier: BSD-2-Clause
//
// Finds the edges of a frame's loop filter in the decoder's masks, the chains that they make, and the level of each chain
// (batch/vp9_filter_order.h). That is done for every edge of every frame, so it goes by masks of whole superblocks, and counts on this:
// - Edges of a superblock reach over its left and upper border, but not over the others. On the picture's border there are none
//   (Vp9Batch::set_loop_filter).
// - So a chain between columns inside of a superblock is the first one there, of the lowest level. One that reaches over the left
//   border comes after what the superblock on the left did in its last columns.
// - A chain between rows comes after those between columns that it crosses, and where it reaches over the upper border, after what
//   was done in the last rows above.
// - Edges that lie at the borders of 8x8 blocks share no pixels, unless they are 16 wide and 8 pixels apart.
#pragma once
#include "batch/record_list.h"
#include "batch/vp9_batch.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dd {

// In one word, as a frame has tens of thousands of them.
class Vp9Chain {
  public:
    Vp9Chain() = default;
    constexpr Vp9Chain(unsigned level, unsigned kind, unsigned count) : word_(level | kind << 16 | count << 24) {}
    constexpr unsigned level() const { return word_ & 0xffff; }
    constexpr unsigned kind() const { return word_ >> 16 & 0xff; } // as Vp9EdgeWalk counts them
    constexpr unsigned count() const { return word_ >> 24; }       // of its edges

  private:
    std::uint32_t word_;
};

class Vp9EdgeWalk {
  public:
    static constexpr unsigned kMostEdges = 16; // of a chain: every four pixels of a superblock
    static constexpr unsigned kWidths = 3;     // of edges: 4, 8 and 16 pixels
    // Kinds of chains: by direction (0: between columns, 1: between rows), and there longer ones first, single edges by width.
    static constexpr unsigned kRanks = kMostEdges - 1 + kWidths, kKinds = 2 * kRanks;
    static constexpr unsigned length_of(unsigned rank) { return rank < kMostEdges - 1 ? kMostEdges - rank : 1; }
    static constexpr unsigned kind_of(unsigned direction, unsigned count, unsigned width) {
        return direction * kRanks + (count > 1 ? kMostEdges - count : kRanks - 1 - width);
    }

    // Keeps its memory from frame to frame.
    void walk(const Vp9Batch &batch);

    RecordList<Vp9Chain> chains;
    RecordList<DdLfEdge> edges;                               // of the chains, one after the other
    std::vector<std::array<std::uint32_t, kKinds>> chains_of; // by level and kind: how many
    std::size_t levels = 0;                                   // that have any; `chains_of` may be longer

  private:
    struct Plane;
    struct Output;
    template <unsigned ss_h, unsigned ss_v>
    class Superblock;

    // Level + 1 of the last chain in a half of a block of 8x8 pixels, at a superblock's border; 0: there was none.
    struct Halves {
        std::uint16_t outer = 0, inner = 0; // the four pixels at the border, and those before
        void raise(unsigned next, bool to_the_border = true);
    };
    static constexpr unsigned kBlocks = 8; // a superblock of luma is so many blocks wide and high
    struct Rows {
        std::vector<Halves> above, below; // by column of blocks: of the row of superblocks above, and of this one
    };

    void walk_row(const Vp9Batch &batch, unsigned plane, unsigned sb_row);
    template <unsigned ss_h, unsigned ss_v>
    void walk_superblocks(Plane plane, unsigned count);
    void repeat_plane(std::size_t first_chain, std::size_t first_edge, std::uint32_t offset);

    // Level + 1 of the last chain in a block of the superblock, by the masks' row and column, or the lowest level if there was none.
    std::array<std::array<std::uint16_t, kBlocks>, kBlocks> next_level_{};
    std::array<Halves, kBlocks> left_, right_; // by row of blocks: of the superblock on the left, and of this one
    std::array<Rows, 2> rows_;                 // luma, chroma
    std::array<std::uint32_t, DD_LF_LEVELS> strength_{};
    unsigned lowest_ = 0; // level of the row of superblocks
};

} // namespace dd
