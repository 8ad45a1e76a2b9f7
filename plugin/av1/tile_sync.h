// SPDX-License-Identifier: BSD-2-Clause
//
// What the CPU needs of an AV1 frame between the GPU's recon phase and its filters: the blocks of which it has a
// share, intra and inter-intra, and the pixels around them that intra prediction reads. Kept as tiles of the padded
// picture.
#pragma once
#include "batch/picture_layout.h"

#include <cstdint>
#include <vector>

namespace dd {

// In pixels of luma; a tile of chroma is subsampled. All planes hold whole tiles.
constexpr unsigned kTileWidth = 64, kTileHeight = 16;

using TileList = std::vector<std::uint32_t>; // column | row << 16

class Av1TileSync {
  public:
    // Nothing is known of a frame's shares. Those of so many recorders will be kept; 0: they aren't needed.
    void reset(const PictureLayout &dst, unsigned recorders);
    // A block, in pixels of luma. False: refused, as is everything once they are complete.
    bool add(unsigned recorder, unsigned x, unsigned y, unsigned w, unsigned h);
    // All have been added.
    void complete() { complete_ = true; }
    // Makes the lists. False: there is no telling what the CPU needs, or it is so much that the whole picture is as
    // good.
    bool make_lists();
    const TileList &read() const { return read_; }       // or written
    const TileList &written() const { return written_; } // some of those

  private:
    using Map = std::vector<std::uint8_t>; // kRead, kWritten
    void mark(Map &map, unsigned x, unsigned y, unsigned end_x, unsigned end_y, std::uint8_t how) const;

    PlaneLayout luma_;
    unsigned cols_ = 0;
    unsigned kept_ = 0;     // so many maps are of this frame
    std::vector<Map> maps_; // by recorder
    bool complete_ = false;
    TileList read_, written_;
};

} // namespace dd
