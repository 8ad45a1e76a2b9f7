// SPDX-License-Identifier: BSD-2-Clause
//
// What kernels of a submit have bound. Sets stay for the next submit, which writes them anew.
#pragma once
#include "vulkan/device.h"

#include <array>
#include <vector>

namespace dd {

using BoundBuffers = std::array<VkDescriptorBufferInfo, kBindings>;

// One thread at a time.
class DescriptorSets {
  public:
    explicit DescriptorSets(VulkanDevice &device) : device_(device) {}
    ~DescriptorSets();
    DescriptorSets(const DescriptorSets &) = delete;
    DescriptorSets &operator=(const DescriptorSets &) = delete;

    // No set is in use any more.
    void restart() { bound_.clear(); }
    // A set with these buffers: the one that the submit has of the same, or one more.
    VkResult get(const BoundBuffers &buffers, VkDescriptorSet &set);

  private:
    void write(VkDescriptorSet set, const BoundBuffers &buffers);
    VkResult add(VkDescriptorSet &set);

    VulkanDevice &device_;
    std::vector<VkDescriptorPool> pools_;
    std::vector<VkDescriptorSet> sets_;
    std::vector<BoundBuffers> bound_; // in the sets that the submit uses
};

} // namespace dd
