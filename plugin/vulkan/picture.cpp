// SPDX-License-Identifier: BSD-2-Clause
#include "vulkan/picture.h"

#include "util/pages.h"
#include "vulkan/device.h"

#include <utility>

namespace dd {

namespace {

VkResult add_working_copy(VulkanDevice &device, VulkanPicture &picture) {
    return device.memory_strategy() == MemoryStrategy::discrete
               ? Buffer::make(device, picture.bytes(), MemoryUse::local, picture.local)
               : VK_SUCCESS;
}

} // namespace

VkResult VulkanPicture::make(VulkanDevice &device, const PictureLayout &layout, VulkanPicture &picture) {
    picture.layout = layout;
    const VkResult result = Buffer::make(device, picture.bytes(), MemoryUse::picture, picture.host);
    return result == VK_SUCCESS ? add_working_copy(device, picture) : result;
}

VkResult VulkanPicture::adopt(VulkanDevice &device, const PictureLayout &layout, std::shared_ptr<std::byte> memory,
                              VulkanPicture &picture) {
    picture.layout = layout;
    picture.adopted = std::move(memory);
    const VkResult result =
        Buffer::adopt(device, picture.bytes(), picture.adopted.get(), whole_pages(picture.bytes()), picture.host);
    return result == VK_SUCCESS ? add_working_copy(device, picture) : result;
}

VkResult VulkanPicture::make_scratch(VulkanDevice &device, const PictureLayout &layout, VulkanPicture &picture) {
    picture.layout = layout;
    return Buffer::make(device, picture.bytes(), MemoryUse::local, picture.local);
}

} // namespace dd
