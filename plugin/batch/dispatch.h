// SPDX-License-Identifier: BSD-2-Clause
//
// A dispatch as the codec's planner describes it and a Slot records it. This header names no Vulkan type:
// the planner (vp9/dispatch.cpp, av1/dispatch.cpp) meets the slot here.
#pragma once
#include "batch/p010.h"
#include "batch/picture_layout.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace dd {

// V3D's limit, and the smallest that Vulkan guarantees.
constexpr std::size_t kMaxPushBytes = 128;
// Everything that a descriptor may point to inside an upload buffer starts at a multiple of this: the largest
// offset alignment that Vulkan lets a device ask for.
constexpr std::uint32_t kUploadAlign = 256;

// Behind the pixels of each picture are so many bytes for kernels. What they hold before is not known.
constexpr std::uint32_t kPictureTail = 4096;
constexpr std::size_t picture_bytes(const PictureLayout &layout) {
    return layout.p010 ? layout.p010 + p010_bytes(layout) : std::size_t{layout.size} + kPictureTail;
}

constexpr std::uint64_t align_upload(std::uint64_t bytes) {
    return (bytes + kUploadAlign - 1) / kUploadAlign * kUploadAlign;
}

// Index of a kernel of kernels.list in embedded_kernels(). The name must exist.
unsigned kernel_index(std::string_view name);

struct Dispatch {
    unsigned kernel = 0;                                 // kernel_index()
    std::array<std::uint32_t, kMaxPushBytes / 4> push{}; // the kernel's push constant block
    std::uint32_t push_bytes = 0;
    std::uint32_t groups = 1;
    std::uint32_t groups_y = 1;
    // Workgroups wait for those that began before them, but so many one after another don't wait for each other. 0:
    // none waits. Where a device doesn't run whatever has begun to its end, so many are run at a time (quirks.h).
    // groups_y is 1 then.
    std::uint32_t groups_without_wait = 0;
    bool barrier = false;              // writes of the dispatches before must be visible to this one
    std::array<std::uint8_t, 2> ref{}; // slots of the references at DD_BIND_REF0 and DD_BIND_REF1
    // Slots of six references, at DD_AV1_BIND_REF0 to 5, instead of those and of coefficients and tables.
    std::optional<std::array<std::uint8_t, 6>> av1_ref;
    std::uint64_t records_at = 0; // byte offset of DD_BIND_RECORDS in the phase's upload, a multiple of kUploadAlign

    template <typename T>
    void set_push(const T &block) {
        static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= kMaxPushBytes && sizeof(T) % 4 == 0);
        std::memcpy(push.data(), &block, sizeof(T));
        push_bytes = sizeof(T);
    }
};

class Av1PredictionSchedule;
class Vp9IntraSchedule;

// Transforms of one shape (DD_AV1_ITX_*), of all recorders.
struct Av1ShapeCount {
    std::uint32_t shape;
    std::size_t count;
};

constexpr unsigned kRecon = 0, kFilter = 1; // index of a phase

// The GPU's work of one phase of one frame. Kept and refilled, so that a steady stream allocates nothing.
struct PhaseWork {
    std::vector<Dispatch> dispatches;      // empty: nothing to do
    std::uint64_t upload_bytes = 0;        // size of the phase's upload: records, coefficients
    std::uint64_t coefs_at = 0;            // byte offset in the upload, a multiple of kUploadAlign
    std::uint64_t steps = 0;               // that a workgroup takes one after the other, with a barrier between them
    std::uint64_t residual_bytes = 0;      // of intra blocks: what kernels need at DD_BIND_RESIDUALS ...
    std::uint64_t most_residual_bytes = 0; // ... and would need if all of such a picture were intra blocks
    std::shared_ptr<Vp9IntraSchedule> intra_schedule;       // from planning to writing: of intra prediction
    std::shared_ptr<Av1PredictionSchedule> av1_predictions; // the same of AV1's predictions
    std::vector<Av1ShapeCount> shapes;                      // the same of residuals
    // Where a picture has a working copy: instead of all of it, these tiles go to the CPU behind a recon phase that
    // isn't the frame's last one, and come from there before a filter phase (tile_sync_dispatch.h). No groups:
    // nothing does.
    std::optional<Dispatch> tile_sync;

    bool empty() const { return dispatches.empty() && !tile_sync; }
    void clear() {
        dispatches.clear();
        tile_sync.reset();
        shapes.clear();
        upload_bytes = coefs_at = steps = 0;
        residual_bytes = most_residual_bytes = 0;
    }
};

// Few dispatches where one is dear, many where width is what counts.
enum class Profile : std::uint8_t { v3d, wide };

} // namespace dd
