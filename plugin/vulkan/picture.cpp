// SPDX-License-Identifier: BSD-2-Clause
#include "vulkan/picture.h"

#include "vulkan/device.h"

namespace dd {

VkResult VulkanPicture::make(VulkanDevice &device, const PictureLayout &layout, VulkanPicture &picture) {
    picture.layout = layout;
    VkResult result = Buffer::make(device, picture.bytes(), MemoryUse::picture, picture.host);
    if (result == VK_SUCCESS && device.memory_strategy() == MemoryStrategy::discrete)
        result = Buffer::make(device, picture.bytes(), MemoryUse::local, picture.local);
    return result;
}

VkResult VulkanPicture::make_scratch(VulkanDevice &device, const PictureLayout &layout, VulkanPicture &picture) {
    picture.layout = layout;
    return Buffer::make(device, picture.bytes(), MemoryUse::local, picture.local);
}

} // namespace dd
