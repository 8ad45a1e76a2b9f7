// SPDX-License-Identifier: BSD-2-Clause
//
// What is different about frames of AV1 sessions.
#pragma once
#include "session/objects.h"

#include <array>
#include <cstdint>

namespace dd {

// The stages that the frame has, and those that have kernels.
void add_av1_stages(const DdFrameInfo &info, FrameFacts &facts);
// Fits the plan to what the frame has and to what has kernels.
void begin_av1(DdFrame &frame, const DdFrameInfo &info);
// The GPU has what was recorded, and nothing will go back to the CPU.
void return_av1_recon(DdFrame &frame);
// The recon phase goes to the CPU.
void refuse_av1(DdFrame &frame, DdAv1Refusal why);
// The CPU filters after the GPU.
bool av1_filters_left(const DdFrame &frame);
// With the rest of the phases planned: what is copied between the CPU and the GPU, where that isn't the whole picture.
void plan_av1_exchange(DdFrame &frame, unsigned phases);
// After GpuJob::begin(): writes the uploads and submits.
GpuStatus run_av1(DdFrame &frame, const std::array<const PhaseWork *, 2> &planned, bool cpu_wrote);
std::array<std::uint64_t, DD_STAGES> count_av1_blocks(const DdFrame &frame);

} // namespace dd
