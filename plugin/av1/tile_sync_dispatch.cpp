// SPDX-License-Identifier: BSD-2-Clause
#include "av1/tile_sync_dispatch.h"

#include "common/records.h"

#include <bit>
#include <cstring>

namespace dd {
namespace {

DdTileSyncPush push_of(const PictureLayout &layout) {
    DdTileSyncPush push{};
    for (unsigned p = 0; p < layout.format.planes; p++) {
        const unsigned ss_h = p ? layout.format.ss_h : 0, ss_v = p ? layout.format.ss_v : 0, c = p ? 1 : 0;
        push.planes.offset[p] = layout.plane[p].offset / 4;
        push.planes.stride[c] = layout.plane[p].stride / 4;
        push.words_log2[c] = static_cast<unsigned>(std::countr_zero(kTileWidth * layout.bytes_per_pixel() / 4)) - ss_h;
        push.rows_log2[c] = static_cast<unsigned>(std::countr_zero(kTileHeight)) - ss_v;
    }
    return push;
}

} // namespace

unsigned tile_sync_kernel() {
    return kernel_index("tile_sync");
}

void plan_tile_sync(const PictureLayout &layout, const TileList &tiles, PhaseWork &work) {
    Dispatch &dispatch = work.tile_sync.emplace();
    dispatch.kernel = tile_sync_kernel();
    dispatch.set_push(push_of(layout));
    dispatch.groups = static_cast<std::uint32_t>(tiles.size());
    dispatch.groups_y = layout.format.planes;
    dispatch.records_at = align_upload(work.upload_bytes);
    work.upload_bytes = dispatch.records_at + tiles.size() * sizeof(tiles[0]);
}

void write_tile_sync(const TileList &tiles, const PhaseWork &work, std::byte *upload) {
    if (!tiles.empty())
        std::memcpy(upload + work.tile_sync->records_at, tiles.data(), tiles.size() * sizeof(tiles[0]));
}

} // namespace dd
