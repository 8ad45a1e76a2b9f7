// SPDX-License-Identifier: BSD-2-Clause
//
// From the batch of a VP9 frame to dispatches and to the bytes that the kernels read. No Vulkan here.
//
// Each phase has one upload: a range of a buffer that the CPU writes once, front to back, and never reads (it
// may be write-combined). plan_* lays it out and lists the dispatches; write_* fills it. A Slot (slot.h) binds
//   DD_BIND_REF0, 1  pictures of the slots dispatch.ref[0] and [1]; the picture being decoded where a slot is empty
//   DD_BIND_RECORDS  upload + dispatch.records_at  (through the end of the upload)
//   DD_BIND_COEFS    upload + work.coefs_at        (through the end of the upload)
//   DD_BIND_TABLES   vp9_tables(), once for all frames
//   DD_BIND_RESIDUALS  work.residual_bytes of memory that only kernels use
// There is no status buffer and no uniform buffer: everything that a frame's kernels need to know is in the push
// constants, and the range of residuals is checked when they are recorded (batch/vp9_range.h).
//
// Dispatches of a phase run in the order of the list; only those with `barrier` wait for the ones before. The
// Slot itself puts a barrier before a phase, and between the two phases where one submit carries both.
#pragma once
#include "batch/dispatch.h"
#include "vp9/batch.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace dd {

// Predictions, then residuals, then intra blocks. Streams of stages that the CPU has are empty in the batch. `work`
// was cleared.
void plan_vp9_recon(const Vp9Batch &batch, Profile profile, PhaseWork &work);
// Writes work.upload_bytes bytes. Concatenates the recorders' streams and turns DdItxRecord.coefs into words
// counted from work.coefs_at.
void write_vp9_recon(const Vp9Batch &batch, Profile profile, const PhaseWork &work, std::byte *upload);

// The loop filter. Nothing when batch.lf has no superblocks.
void plan_vp9_filter(const Vp9Batch &batch, Profile profile, PhaseWork &work);
void write_vp9_filter(const Vp9Batch &batch, const PhaseWork &work, std::byte *upload);

// Tap 0 to 7 of a subpel filter (clause 8.5.2.4): smooth, regular, sharp, bilinear; `subpel` in 1/16 pixel.
int vp9_subpel_tap(unsigned filter, unsigned subpel, unsigned tap);

// Contents of DD_BIND_TABLES.
std::span<const std::uint32_t> vp9_tables();

// Every kernel that a frame of this format may use: their pipelines are made before the first frame.
// Sorted, without doubles.
std::vector<unsigned> vp9_kernels(const PictureFormat &format, Profile profile);

} // namespace dd
