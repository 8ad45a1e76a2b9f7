// SPDX-License-Identifier: BSD-2-Clause
//
// An open Vulkan device with its queue and its pipelines; shared by all sessions on it.
#pragma once
#include "batch/dispatch.h"
#include "batch/work_limits.h"
#include "vulkan/api.h"
#include "vulkan/faults.h"
#include "vulkan/gpu.h"
#include "vulkan/memory.h"
#include "vulkan/pipelines.h"

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

namespace dd {

class SlotPool;
struct VulkanInstance;

struct Quirks;

class VulkanDevice {
  public:
    // nullptr: none; `why` then says why, for the user (empty where "cpu" was asked for).
    static std::shared_ptr<VulkanDevice> open(const GpuOptions &options, std::string &why);
    ~VulkanDevice();
    VulkanDevice(const VulkanDevice &) = delete;
    VulkanDevice &operator=(const VulkanDevice &) = delete;

    const DeviceApi &vk() const { return vk_; }
    VkDevice handle() const { return device_; }
    const GpuInfo &info() const { return info_; }
    const std::string &compiler() const { return compiler_; } // names the device and all that its code depends on
    bool runs_side_by_side() const { return side_by_side_; }  // Quirks
    MemoryStrategy memory_strategy() const { return strategy_; }
    // Of plain memory that buffers may lie in; 0: they may not.
    VkDeviceSize adopt_alignment() const { return adopt_alignment_; }
    const VkPhysicalDeviceMemoryProperties &memory_properties() const { return memory_; }
    const VkPhysicalDeviceLimits &limits() const { return limits_; }
    std::uint32_t queue_family() const { return queue_family_; }
    std::chrono::milliseconds patience() const { return patience_; }
    // For work that is submitted now, and given up, to end after all, where the CPU has to write to the same pages.
    // Behind an injected hang nothing ends. With submit_mutex held.
    std::chrono::milliseconds grace() const { return never_ ? hang_grace_ : kCertainEnd; }
    // As grace(), before the device is destroyed. A software renderer's thread that is still at work when the process
    // exits crashes in what the driver's and the compiler's destructors have taken away.
    std::chrono::milliseconds closing_grace() const { return closing_grace_; }
    bool timestamps() const { return timestamps_; }
    Pipelines &pipelines() { return *pipelines_; }
    SlotPool &slots() { return *slots_; }
    // A buffer with constants that kernels read, made once. VK_NULL_HANDLE: no memory.
    VkBuffer tables(std::span<const std::uint32_t> words);

    bool fails(Fault fault) { return faults_ && faults_->hit(fault); }

    const WorkLimits &work_limits() const { return work_limits_; }

    // Lost or hung: never used again.
    bool given_up() const { return given_up_.load(std::memory_order_relaxed); }
    void give_up() { given_up_.store(true, std::memory_order_relaxed); }

    // Submits that are known to be done; tells a slow GPU from a hung one.
    std::atomic<std::uint64_t> progress{0};
    // Held while commands are recorded and put on the queue, and while the state of pictures' working copies is read
    // or changed.
    std::mutex submit_mutex;
    VkResult queue_submit(const VkSubmitInfo &info, VkFence fence); // with submit_mutex held
    // Of all command buffers, so that one is recorded where another one was; drivers give a pool memory in pieces of
    // megabytes.
    VkCommandPool command_pool() const { return command_pool_; } // with submit_mutex held

  private:
    // Drivers reset work that runs for too long, mostly within some seconds; a software renderer's ends by itself,
    // compiling included.
    static constexpr std::chrono::minutes kCertainEnd{1};

    VulkanDevice();
    struct Candidate;
    bool find(const GpuOptions &options, std::string &why);
    bool make_device(const Candidate &candidate, std::string &why);
    void settle(const Candidate &candidate, const GpuOptions &options);
    static WorkLimits work_limits_of(const Candidate &candidate, const Quirks &quirks);
    bool release_device(); // false: the GPU hangs
    VkResult make_command_pool();
    VkResult submit_never_ending(VkFence fence);

    const VulkanInstance *instance_ = nullptr;
    VkDevice device_ = VK_NULL_HANDLE;
    DeviceApi vk_;
    VkQueue queue_ = VK_NULL_HANDLE;
    VkCommandPool command_pool_ = VK_NULL_HANDLE;
    std::uint32_t queue_family_ = 0;
    GpuInfo info_;
    std::string compiler_;
    bool timestamps_ = false;
    bool side_by_side_ = false;
    MemoryStrategy strategy_ = MemoryStrategy::unified;
    VkDeviceSize adopt_alignment_ = 0;
    VkPhysicalDeviceMemoryProperties memory_{};
    VkPhysicalDeviceLimits limits_{};
    WorkLimits work_limits_;
    std::chrono::milliseconds patience_{2000}, hang_grace_{8000}, closing_grace_{100};
    std::unique_ptr<Faults> faults_;
    std::unique_ptr<Pipelines> pipelines_;
    std::unique_ptr<SlotPool> slots_;
    std::mutex tables_mutex_;
    std::map<const std::uint32_t *, Buffer> tables_;
    std::atomic<bool> given_up_{false};
    VkSemaphore never_ = VK_NULL_HANDLE; // what an injected hang waits for
};

} // namespace dd
