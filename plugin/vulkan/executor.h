// SPDX-License-Identifier: BSD-2-Clause
//
// Runs the GPU's work of a frame's phases: one submit, one wait. What a submit needs (command buffer, fence, descriptor
// sets, upload buffer) is a Slot, kept for the next one; a steady stream makes nothing new.
#pragma once
#include "common/av1_recon.h"
#include "trace.h"
#include "vulkan/device.h"
#include "vulkan/picture.h"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace dd {

constexpr std::size_t kMaxPictureSlots = 9;

// What one submit works on.
struct SubmitInput {
    std::shared_ptr<VulkanPicture> dst;
    std::array<std::shared_ptr<VulkanPicture>, kMaxPictureSlots> ref; // by slot; only those that kernels read
    std::array<const PhaseWork *, 2> phase{};                         // recon, filter; nullptr: not in this submit
    VkBuffer tables = VK_NULL_HANDLE;
    bool cpu_wrote = false;        // the CPU changed pixels of dst since the GPU last saw it
    bool final = false;            // nobody but the GPU changes dst after this
    bool reads_unfinished = false; // earlier submits may still write the references
};

class Slot {
  public:
    explicit Slot(VulkanDevice &device) : device_(device) {}
    ~Slot();
    Slot(const Slot &) = delete;
    Slot &operator=(const Slot &) = delete;

    // Room for so many bytes of coefficients, which take the place of those in an upload (PhaseWork::coefs_lent). On devices with
    // cached memory only.
    VkResult reserve_coefs(VkDeviceSize bytes);
    // More room, with a copy of what is `used`. All stays as it is where there is none.
    VkResult grow_coefs(std::span<const std::byte> used, VkDeviceSize bytes);
    std::span<std::byte> coefs() const { return {coefs_.data(), coefs_.size()}; }
    // Of the uploads of the phases.
    static VkDeviceSize upload_bytes(const std::array<const PhaseWork *, 2> &phases);
    // Room for them.
    VkResult reserve(const std::array<const PhaseWork *, 2> &phases);
    // Where the upload of a phase goes: written once, front to back.
    std::byte *upload(unsigned phase) const { return upload_.data() + upload_at_[phase]; }

    VkResult submit(const SubmitInput &input);
    // Bounded. VK_TIMEOUT: the GPU hangs.
    VkResult wait();
    // True between submit() and the end of the work.
    bool in_flight() const { return in_flight_; }
    // Looks once more, for a moment, whether the GPU has let go of work that was given up.
    bool done() const;

    // What the GPU did for the last submit, where the device measures: uploads, each dispatch by its kernel's name,
    // downloads.
    std::vector<GpuTimeline::Span> spans() const;

  private:
    friend class SlotPool;
    VkResult init();
    VkDeviceSize room() const { return coefs_.size() + upload_.size(); }
    VkResult record(const SubmitInput &input);
    VkResult reset_queries(const SubmitInput &input);
    VkResult record_phase(const SubmitInput &input, unsigned phase);
    void record_groups(const Dispatch &dispatch);
    VkResult record_uploads(const SubmitInput &input);
    VkResult record_downloads(const SubmitInput &input);
    VkResult record_exchange(const SubmitInput &input, unsigned phase, VkBuffer from, VkBuffer to);
    bool pipelines_exist(const SubmitInput &input);
    VkResult descriptor_set(const SubmitInput &input, unsigned phase, const Dispatch &dispatch, VkDescriptorSet &set);
    VkResult next_descriptor_set(VkDescriptorSet &set);
    VkResult new_descriptor_set(VkDescriptorSet &set);
    void write_descriptor_set(VkDescriptorSet set, const std::array<VkDescriptorBufferInfo, kBindings> &buffers);
    void barrier(VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to, VkAccessFlags used);
    void timestamp(std::string_view before, VkPipelineStageFlagBits stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
    VkResult wait_for_fence();
    bool ends_within(std::chrono::nanoseconds time) const;
    void finish(bool worked);

    struct SetKey {
        std::array<VkBuffer, 1 + DD_AV1_BOUND_REFS> pictures; // dst, references
        VkBuffer coefs;                                       // what holds them
        bool av1;                                             // six references, no coefficients, no tables
        std::uint32_t records_at, coefs_at, end;
        bool operator==(const SetKey &) const = default;
    };

    VulkanDevice &device_;
    VkCommandBuffer commands_ = VK_NULL_HANDLE; // of the device's pool
    VkFence fence_ = VK_NULL_HANDLE;
    std::vector<VkDescriptorPool> descriptor_pools_;
    std::vector<VkDescriptorSet> sets_;
    std::vector<SetKey> keys_; // of the sets that the submit uses
    VkQueryPool queries_ = VK_NULL_HANDLE;
    std::uint32_t query_capacity_ = 0;
    std::vector<std::string_view> stamps_; // of the queries: what ends there
    VkResult reserve_residuals(const PhaseWork &work);
    VkResult make_room(VkDeviceSize size, MemoryUse use, Buffer &buffer);
    Buffer upload_, coefs_, residuals_;
    std::array<std::uint32_t, 2> upload_at_{};
    SubmitInput busy_; // keeps pictures alive while the GPU uses them
    bool in_flight_ = false;
    VkResult busy_result_ = VK_SUCCESS; // of what follows the GPU's end
};

// Slots for all sessions of a device. Some frames need many times as much room as most do: those get the slots that have it, of which there
// are as many as such frames are in flight at a time. What nobody needed for long is given back.
class SlotPool {
  public:
    explicit SlotPool(VulkanDevice &device) : device_(device) {}
    // One whose room suits so many bytes of coefficients, where such a one is free.
    VkResult acquire(std::unique_ptr<Slot> &slot, VkDeviceSize coefs);
    // Gives it the smallest one of its own and the free slots' buffers for uploads that has the room, where there is one.
    void find_upload(Slot &slot, VkDeviceSize bytes);
    // As acquire(), but nullptr where no free one has that room.
    std::unique_ptr<Slot> acquire_free(VkDeviceSize coefs);
    // A slot whose work isn't known to be done is put aside.
    void release(std::unique_ptr<Slot> slot);
    // False: the GPU still holds on to something, which was left as it is; the device can't be destroyed.
    bool close();

  private:
    struct Idle {
        std::unique_ptr<Slot> slot;
        std::uint64_t since; // acquisitions of any slot until then
    };
    // With mutex_ held.
    std::unique_ptr<Slot> take(std::vector<Idle>::iterator idle);
    std::vector<Idle>::iterator smallest(VkDeviceSize coefs);      // of those that have the room
    std::vector<Idle>::iterator largest_below(VkDeviceSize coefs); // of those that haven't
    std::vector<Idle> take_unneeded();

    VulkanDevice &device_;
    std::mutex mutex_;
    std::uint64_t acquired_ = 0;
    std::vector<Idle> free_; // by `since`
    std::vector<std::unique_ptr<Slot>> abandoned_;
};

} // namespace dd
