// SPDX-License-Identifier: BSD-2-Clause
#include "av1/tile_sync.h"
#include "util/round_up.h"

#include <algorithm>

namespace dd {
namespace {

constexpr std::uint8_t kRead = 1, kWritten = 2;
constexpr unsigned kLargestBlock = 128;
// A block of 4 pixels may have the chroma of 8, its neighbours' included.
constexpr unsigned kWithChroma = 8;
constexpr std::size_t kMostTiles = 32768; // workgroups in one dimension

} // namespace

void Av1TileSync::reset(const PictureLayout &dst, unsigned recorders) {
    luma_ = dst.plane[0];
    cols_ = luma_.padded_width / kTileWidth;
    kept_ = recorders;
    complete_ = false;
    if (maps_.size() < recorders)
        maps_.resize(recorders);
    for (unsigned i = 0; i < recorders; i++)
        maps_[i].assign(std::size_t{cols_} * (luma_.padded_height / kTileHeight), 0);
}

void Av1TileSync::mark(Map &map, unsigned x, unsigned y, unsigned end_x, unsigned end_y, std::uint8_t how) const {
    for (unsigned row = y / kTileHeight; row <= (end_y - 1) / kTileHeight; row++)
        for (unsigned col = x / kTileWidth; col <= (end_x - 1) / kTileWidth; col++)
            map[std::size_t{row} * cols_ + col] |= how;
}

bool Av1TileSync::add(unsigned recorder, unsigned x, unsigned y, unsigned w, unsigned h) {
    const auto fits = [](unsigned at, unsigned size, unsigned end) {
        return size && size <= kLargestBlock && at < end && size <= end - at && (at | size) % 4 == 0;
    };
    if (!fits(x, w, luma_.padded_width) || !fits(y, h, luma_.padded_height))
        return false;
    if (complete_ || recorder >= kept_)
        return !complete_ && kept_ == 0;
    Map &map = maps_[recorder];
    const unsigned first_x = x - x % kWithChroma, end_x = round_up(x + w, kWithChroma);
    const unsigned first_y = y - y % kWithChroma, end_y = round_up(y + h, kWithChroma);
    mark(map, first_x, first_y, end_x, end_y, kRead | kWritten);
    // A row above and a column to the left, each from the corner on and twice as long as the block: what is read for
    // its transform blocks lies within.
    if (y > 0)
        mark(map, first_x - (first_x > 0), first_y - (first_y > 0), std::min(2 * end_x - first_x, luma_.padded_width),
             y, kRead);
    if (x > 0)
        mark(map, first_x - (first_x > 0), first_y, x, std::min(2 * end_y - first_y, luma_.padded_height), kRead);
    return true;
}

bool Av1TileSync::make_lists() {
    if (!complete_ || !kept_)
        return false;
    Map &all = maps_[0];
    for (unsigned i = 1; i < kept_; i++)
        std::ranges::transform(all, maps_[i], all.begin(), std::bit_or{});
    const auto unread = static_cast<std::size_t>(std::ranges::count(all, std::uint8_t{0}));
    const std::size_t read = all.size() - unread;
    if (read > all.size() / 2 || read > kMostTiles)
        return false;
    read_.clear();
    written_.clear();
    for (std::size_t i = 0; i < all.size(); i++) {
        if (!all[i])
            continue;
        const auto tile = static_cast<std::uint32_t>(i % cols_ | i / cols_ << 16);
        read_.push_back(tile);
        if (all[i] & kWritten)
            written_.push_back(tile);
    }
    return true;
}

} // namespace dd
