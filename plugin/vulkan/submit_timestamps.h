// SPDX-License-Identifier: BSD-2-Clause
//
// When the parts of a submit began and ended on the GPU, where the device measures that.
#pragma once
#include "util/trace.h"
#include "vulkan/device.h"

#include <string_view>
#include <vector>

namespace dd {

// One thread at a time.
class SubmitTimestamps {
  public:
    explicit SubmitTimestamps(VulkanDevice &device) : device_(device) {}
    ~SubmitTimestamps();
    SubmitTimestamps(const SubmitTimestamps &) = delete;
    SubmitTimestamps &operator=(const SubmitTimestamps &) = delete;

    // At the beginning of commands with at most so many stamps. Does nothing where the device doesn't measure.
    VkResult restart(VkCommandBuffer commands, std::uint32_t most);
    // `before`: name of what ends here; nothing where the first part begins.
    void stamp(VkCommandBuffer commands, std::string_view before,
               VkPipelineStageFlagBits stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
    // Of a submit that is done.
    std::vector<GpuTimeline::Span> spans() const;

  private:
    VulkanDevice &device_;
    VkQueryPool queries_ = VK_NULL_HANDLE;
    std::uint32_t capacity_ = 0;
    std::vector<std::string_view> stamps_; // of the queries: what ends there
};

} // namespace dd
