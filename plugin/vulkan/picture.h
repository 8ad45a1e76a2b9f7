// SPDX-License-Identifier: BSD-2-Clause
//
// A picture in memory that the GPU reaches.
#pragma once
#include "batch/dispatch.h"
#include "batch/picture_layout.h"
#include "vulkan/cpu_view.h"
#include "vulkan/memory.h"

#include <atomic>
#include <cstddef>
#include <memory>

namespace dd {

struct VulkanPicture {
    PictureLayout layout;
    std::shared_ptr<std::byte> adopted; // plain memory that `host` lies in
    Buffer host;                        // what the CPU sees; the only copy but on discrete devices
    Buffer local;                       // working copy of a discrete device, or scratch
    CpuView cpu_view{host};

    // Of the working copy, guarded by VulkanDevice::submit_mutex. It becomes invalid without, so that to take or
    // give back a picture never waits for submits.
    std::atomic<bool> local_valid = false; // holds the same pixels as `host`
    bool local_pending = false;            // its upload may still run

    static VkResult make(VulkanDevice &device, const PictureLayout &layout, VulkanPicture &picture);
    // In plain memory of bytes(), rounded up to whole pages.
    static VkResult adopt(VulkanDevice &device, const PictureLayout &layout, std::shared_ptr<std::byte> memory,
                          VulkanPicture &picture);
    // For kernels alone: `host` stays empty.
    static VkResult make_scratch(VulkanDevice &device, const PictureLayout &layout, VulkanPicture &picture);
    VkDeviceSize bytes() const { return picture_bytes(layout); }
    VkBuffer kernel_buffer() const { return local ? local.handle() : host.handle(); }
    bool has_copy() const { return host && local; }
};

} // namespace dd
