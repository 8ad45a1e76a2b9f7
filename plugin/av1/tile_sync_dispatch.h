// SPDX-License-Identifier: BSD-2-Clause
//
// Copies of tiles between the working copy of a picture and the one that the CPU sees. No Vulkan here.
#pragma once
#include "av1/tile_sync.h"
#include "batch/dispatch.h"

#include <cstddef>

namespace dd {

unsigned tile_sync_kernel();
// Behind all else of the phase's upload.
void plan_tile_sync(const PictureLayout &layout, const TileList &tiles, PhaseWork &work);
void write_tile_sync(const TileList &tiles, const PhaseWork &work, std::byte *upload);

} // namespace dd
