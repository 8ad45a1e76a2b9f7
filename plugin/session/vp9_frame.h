// SPDX-License-Identifier: BSD-2-Clause
//
// What is different about frames of VP9 sessions.
#pragma once
#include "session/objects.h"
#include "vulkan/gpu.h"

#include <array>
#include <cstdint>

namespace dd {

// For a frame of which the GPU has a part.
void begin_vp9(DdFrame &frame, const DdFrameInfo &info);
// Nothing will be recorded any more, and the GPU has what was.
void return_vp9_batch(DdFrame &frame);
unsigned used_vp9_refs(const DdFrame &frame);
// After GpuJob::begin(): writes the uploads and submits.
GpuStatus run_vp9(DdFrame &frame, const std::array<const PhaseWork *, 2> &planned, bool cpu_wrote);
// Once the batch is returned.
std::array<std::uint64_t, DD_STAGES> count_vp9_blocks(const DdFrame &frame);

} // namespace dd
