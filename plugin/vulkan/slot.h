// SPDX-License-Identifier: BSD-2-Clause
//
// Runs the GPU's work of a frame's phases: one submit, one wait. What a submit needs (command buffer, fence, descriptor
// sets, buffers) is a Slot, kept for the next one; a steady stream makes nothing new.
#pragma once
#include "common/av1_recon.h"
#include "vulkan/descriptor_sets.h"
#include "vulkan/device.h"
#include "vulkan/picture.h"
#include "vulkan/submit_timestamps.h"

#include <array>
#include <memory>
#include <vector>

namespace dd {

// What one submit works on.
struct SubmitInput : SubmitFlags {
    std::shared_ptr<VulkanPicture> dst;
    std::array<std::shared_ptr<VulkanPicture>, kGpuPictureSlots> ref; // by slot; only those that kernels read
    std::array<const PhaseWork *, 2> phase{};                         // recon, filter; nullptr: not in this submit
    VkBuffer tables = VK_NULL_HANDLE;
};

class Slot {
  public:
    explicit Slot(VulkanDevice &device) : device_(device), descriptor_sets_(device), timestamps_(device) {}
    ~Slot();
    Slot(const Slot &) = delete;
    Slot &operator=(const Slot &) = delete;

    // Of the uploads of the phases.
    static VkDeviceSize upload_bytes(const std::array<const PhaseWork *, 2> &phases);
    // Capacity for them.
    VkResult reserve(const std::array<const PhaseWork *, 2> &phases);
    // Where the upload of a phase goes: written once, front to back.
    std::byte *upload(unsigned phase) const { return upload_.data() + upload_at_[phase]; }

    VkResult submit(const SubmitInput &input);
    // Bounded. VK_TIMEOUT: the GPU hangs.
    VkResult wait();
    // True between submit() and the end of the work.
    bool in_flight() const { return in_flight_; }
    // Looks once more whether the GPU has let go of work that was given up.
    bool done_within(std::chrono::nanoseconds time) const;

    // What the GPU did for the last submit, where the device measures: uploads, each dispatch by its kernel's name,
    // downloads.
    std::vector<GpuTimeline::Span> spans() const { return timestamps_.spans(); }

  private:
    friend class SlotPool;
    VkResult init();
    VkResult reserve_residuals(const PhaseWork &work);
    static VkResult flush_pictures(const SubmitInput &input);
    VkDeviceSize most_capacity(VkDeviceSize needed) const;
    VkResult allocate(VkDeviceSize size, MemoryUse use, Buffer &buffer);
    bool pipelines_exist(const SubmitInput &input);
    VkResult wait_for_fence();
    bool lets_go_of_picture(); // false: it has other pages, or the GPU hangs for longer than anything may
    bool ends_within(std::chrono::nanoseconds time) const;
    void finish(bool worked);

    // Of slot_commands.cpp.
    VkResult record(const SubmitInput &input);
    VkResult record_uploads(const SubmitInput &input);
    VkResult record_phase(const SubmitInput &input, unsigned phase);
    VkResult record_downloads(const SubmitInput &input);
    VkResult record_tile_sync(const SubmitInput &input, unsigned phase, VkBuffer from, VkBuffer to);
    void record_groups(const Dispatch &dispatch);
    void barrier(VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to, VkAccessFlags used);
    VkResult bind(const SubmitInput &input, unsigned phase, const Dispatch &dispatch, BoundBuffers &buffers) const;

    VulkanDevice &device_;
    VkCommandBuffer commands_ = VK_NULL_HANDLE; // of the device's pool
    VkFence fence_ = VK_NULL_HANDLE;
    DescriptorSets descriptor_sets_;
    SubmitTimestamps timestamps_;
    Buffer upload_, residuals_;
    std::array<VkDeviceSize, 2> upload_at_{};
    SubmitInput busy_; // keeps pictures alive while the GPU uses them
    bool in_flight_ = false;
    std::chrono::milliseconds grace_{}; // VulkanDevice::grace(), as of submit()
    VkResult busy_result_ = VK_SUCCESS; // of what follows the GPU's end
};

} // namespace dd
