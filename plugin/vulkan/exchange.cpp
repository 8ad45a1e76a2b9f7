// SPDX-License-Identifier: BSD-2-Clause
#include "vulkan/exchange.h"

#include "common/records.h"

#include <bit>
#include <cstring>

namespace dd {
namespace {

DdExchangePush push_of(const PictureLayout &layout) {
    DdExchangePush push{};
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

unsigned exchange_kernel() {
    return kernel_index("exchange");
}

void plan_exchange(const PictureLayout &layout, const TileList &tiles, PhaseWork &work) {
    Dispatch &dispatch = work.exchange.emplace();
    dispatch.kernel = exchange_kernel();
    dispatch.set_push(push_of(layout));
    dispatch.groups = static_cast<std::uint32_t>(tiles.size());
    dispatch.groups_y = layout.format.planes;
    dispatch.records_at = align_upload(work.upload_bytes);
    work.upload_bytes = dispatch.records_at + tiles.size() * sizeof(tiles[0]);
}

void write_exchange(const TileList &tiles, const PhaseWork &work, std::byte *upload) {
    if (!tiles.empty())
        std::memcpy(upload + work.exchange->records_at, tiles.data(), tiles.size() * sizeof(tiles[0]));
}

} // namespace dd
