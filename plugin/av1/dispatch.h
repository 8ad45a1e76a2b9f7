// SPDX-License-Identifier: BSD-2-Clause
//
// From the batch of an AV1 frame to dispatches and to the bytes that the kernels read; the counterpart of
// vp9_dispatch.h. No Vulkan here.
//
// Scratch pictures of the frame's layout stand in slots kAv1ScratchA, where CDEF runs, and kAv1ScratchB, where
// restoration does (common/av1_records.h), behind the references; their contents needn't be kept from frame to frame.
// Behind scratch A's pixels lies a word for each 8x8 block.
#pragma once
#include "av1/batch.h"
#include "batch/dispatch.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dd {

constexpr std::uint8_t kAv1ScratchA = 7;
constexpr std::uint8_t kAv1ScratchB = 8;

// Bytes that a scratch picture needs.
std::uint32_t av1_scratch_bytes(const PictureLayout &layout);

// `work` was cleared. The upload has one part: DD_BIND_RECORDS at 0.
void plan_av1_filter(const Av1Batch &batch, PhaseWork &work);
// Writes work.upload_bytes bytes.
void write_av1_filter(const Av1Batch &batch, const PhaseWork &work, std::byte *upload);

// A dispatch is dear on V3D: a frame whose predictions and residuals need more than these is the CPU's, so that all
// phases together take at most 16. Seven references that all kernels need could take more.
constexpr unsigned kAv1MostDispatches = 16, kAv1FilterDispatches = 6, kAv1ResidualDispatches = 2;
constexpr bool too_many_av1_dispatches(const PhaseWork &recon, Profile profile) {
    return profile == Profile::v3d && recon.dispatches.size() > kAv1MostDispatches - kAv1FilterDispatches;
}

// What a dispatch costs on V3D, modelled.
constexpr std::uint64_t kAv1DispatchNs = 33'000;

// Predictions, sorted by kernel and by the references that a dispatch binds, then residuals. The upload has
// one part: DD_BIND_RECORDS at 0. V3D gets more dispatches than it has to, where each saves worth_ns.
void plan_av1_recon(const Av1Batch &batch, Profile profile, PhaseWork &work, std::uint64_t worth_ns = kAv1DispatchNs);
void write_av1_recon(const Av1Batch &batch, const PhaseWork &work, std::byte *upload);

// Index of the kernel av1_NAME_BITS.
unsigned av1_kernel(const char *name, unsigned bits);
// Every kernel that a frame of this format may use. Sorted, without doubles.
std::vector<unsigned> av1_kernels(const PictureFormat &format, Profile profile);

} // namespace dd
