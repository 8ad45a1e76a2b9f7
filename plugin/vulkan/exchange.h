// SPDX-License-Identifier: BSD-2-Clause
//
// Copies of tiles between the working copy of a picture and the one that the CPU sees. No Vulkan here.
#pragma once
#include "batch/av1_shares.h"
#include "vulkan/dispatch.h"

#include <cstddef>

namespace dd {

unsigned exchange_kernel();
// Behind all else of the phase's upload.
void plan_exchange(const PictureLayout &layout, const TileList &tiles, PhaseWork &work);
void write_exchange(const TileList &tiles, const PhaseWork &work, std::byte *upload);

} // namespace dd
