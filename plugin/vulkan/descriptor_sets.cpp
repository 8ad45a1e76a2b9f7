// SPDX-License-Identifier: BSD-2-Clause
#include "vulkan/descriptor_sets.h"

#include <algorithm>

namespace dd {
namespace {

constexpr std::uint32_t kSetsAPool = 16;

bool equal(const BoundBuffers &a, const BoundBuffers &b) {
    return std::ranges::equal(a, b, [](const VkDescriptorBufferInfo &x, const VkDescriptorBufferInfo &y) {
        return x.buffer == y.buffer && x.offset == y.offset && x.range == y.range;
    });
}

} // namespace

DescriptorSets::~DescriptorSets() {
    for (const VkDescriptorPool pool : pools_)
        device_.vk().DestroyDescriptorPool(device_.handle(), pool, nullptr);
}

VkResult DescriptorSets::get(const BoundBuffers &buffers, VkDescriptorSet &set) {
    const auto found = std::ranges::find_if(bound_, [&](const BoundBuffers &other) { return equal(other, buffers); });
    if (found != bound_.end()) {
        set = sets_[static_cast<std::size_t>(found - bound_.begin())];
        return VK_SUCCESS;
    }
    if (bound_.size() == sets_.size()) {
        if (const VkResult result = add(set); result != VK_SUCCESS)
            return result;
        sets_.push_back(set);
    }
    set = sets_[bound_.size()];
    bound_.push_back(buffers);
    write(set, buffers);
    return VK_SUCCESS;
}

void DescriptorSets::write(VkDescriptorSet set, const BoundBuffers &buffers) {
    std::array<VkWriteDescriptorSet, kBindings> writes{};
    for (unsigned i = 0; i < kBindings; i++) {
        writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
        writes[i].dstSet = set;
        writes[i].dstBinding = i;
        writes[i].descriptorCount = 1;
        writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        writes[i].pBufferInfo = &buffers[i];
    }
    device_.vk().UpdateDescriptorSets(device_.handle(), kBindings, writes.data(), 0, nullptr);
}

VkResult DescriptorSets::add(VkDescriptorSet &set) {
    const DeviceApi &vk = device_.vk();
    if (sets_.size() == pools_.size() * kSetsAPool) {
        const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kSetsAPool * kBindings};
        VkDescriptorPoolCreateInfo info = {};
        info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
        info.maxSets = kSetsAPool;
        info.poolSizeCount = 1;
        info.pPoolSizes = &size;
        VkDescriptorPool pool = VK_NULL_HANDLE;
        const VkResult result = vk.CreateDescriptorPool(device_.handle(), &info, nullptr, &pool);
        if (result != VK_SUCCESS)
            return result;
        pools_.push_back(pool);
    }
    const VkDescriptorSetLayout layout = device_.pipelines().set_layout();
    VkDescriptorSetAllocateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pools_.back(), 1,
                                        &layout};
    return vk.AllocateDescriptorSets(device_.handle(), &info, &set);
}

} // namespace dd
