// SPDX-License-Identifier: BSD-2-Clause
//
// One pipeline a kernel, all with the same layout: set 0 with the bindings of records.h, 128 bytes of push constants.
// What the driver compiles is kept in the user's cache (pipeline_store.h), since that may take it a second.
#pragma once
#include "common/av1_recon.h"
#include "vulkan/api.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace dd {

class VulkanDevice;

constexpr unsigned kBindings = DD_AV1_BIND_REF5 + 1; // all of them storage buffers

class Pipelines {
  public:
    explicit Pipelines(VulkanDevice &device) : device_(device) {}
    ~Pipelines();
    Pipelines(const Pipelines &) = delete;
    Pipelines &operator=(const Pipelines &) = delete;

    VkResult init();
    // Makes those that don't exist yet, with as many threads. Told to stop, it leaves the rest out.
    VkResult prepare(std::span<const unsigned> kernels, unsigned threads, const std::stop_token &stop);
    bool all_made(std::span<const unsigned> kernels) const;
    // Makes it where prepare() hasn't; VK_NULL_HANDLE: that failed. Doesn't wait for other pipelines in the making.
    VkPipeline get(unsigned kernel);
    VkPipelineLayout layout() const { return layout_; }
    VkDescriptorSetLayout set_layout() const { return set_layout_; }

  private:
    struct Slot {
        std::mutex making;
        std::atomic<VkPipeline> pipeline{VK_NULL_HANDLE};
    };
    VkResult make(unsigned kernel);
    VkResult create(unsigned kernel, VkPipeline &pipeline);
    VkResult make_all(std::span<const unsigned> kernels, unsigned threads, const std::stop_token &stop);
    // What the driver has compiled, for it to look at: memory that is needed while pipelines are made.
    class Cache;
    std::shared_ptr<Cache> cache();
    void keep(VkPipelineCache cache); // for the next process

    VulkanDevice &device_;
    VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
    VkPipelineLayout layout_ = VK_NULL_HANDLE;
    std::mutex cache_mutex_;
    std::weak_ptr<Cache> cache_;       // shared by what makes pipelines
    std::string store_;                // file of what drivers have compiled; empty: none
    std::atomic<std::size_t> kept_{0}; // bytes of it
    std::vector<Slot> slots_;          // by kernel_index()
};

} // namespace dd
