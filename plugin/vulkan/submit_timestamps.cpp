// SPDX-License-Identifier: BSD-2-Clause
#include "vulkan/submit_timestamps.h"

namespace dd {

SubmitTimestamps::~SubmitTimestamps() {
    device_.vk().DestroyQueryPool(device_.handle(), queries_, nullptr);
}

VkResult SubmitTimestamps::restart(VkCommandBuffer commands, std::uint32_t most) {
    if (!device_.timestamps())
        return VK_SUCCESS;
    const DeviceApi &vk = device_.vk();
    if (most > capacity_) {
        vk.DestroyQueryPool(device_.handle(), queries_, nullptr);
        queries_ = VK_NULL_HANDLE;
        capacity_ = 0;
        VkQueryPoolCreateInfo info = {};
        info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
        info.queryType = VK_QUERY_TYPE_TIMESTAMP;
        info.queryCount = most;
        const VkResult result = vk.CreateQueryPool(device_.handle(), &info, nullptr, &queries_);
        if (result != VK_SUCCESS)
            return result;
        capacity_ = most;
    }
    stamps_.clear();
    vk.CmdResetQueryPool(commands, queries_, 0, capacity_);
    return VK_SUCCESS;
}

void SubmitTimestamps::stamp(VkCommandBuffer commands, std::string_view before, VkPipelineStageFlagBits stage) {
    const auto query = static_cast<std::uint32_t>(stamps_.size());
    if (query >= capacity_)
        return;
    device_.vk().CmdWriteTimestamp(commands, stage, queries_, query);
    stamps_.push_back(before);
}

std::vector<GpuTimeline::Span> SubmitTimestamps::spans() const {
    if (stamps_.size() < 2)
        return {};
    std::vector<std::uint64_t> at(stamps_.size());
    const VkResult result = device_.vk().GetQueryPoolResults(
        device_.handle(), queries_, 0, static_cast<std::uint32_t>(at.size()), at.size() * sizeof(at[0]), at.data(),
        sizeof(at[0]), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    if (result != VK_SUCCESS)
        return {};
    std::vector<GpuTimeline::Span> all;
    const double period = device_.limits().timestampPeriod;
    for (std::size_t i = 1; i < at.size(); i++)
        all.push_back({stamps_[i], static_cast<double>(at[i - 1]) * period, static_cast<double>(at[i]) * period});
    return all;
}

} // namespace dd
