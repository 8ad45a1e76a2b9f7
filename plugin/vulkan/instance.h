// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include "vulkan/api.h"

#include <string>

namespace dd {

struct VulkanInstance {
    std::shared_ptr<VulkanLoader> loader;
    VkInstance handle = VK_NULL_HANDLE;
    InstanceApi api;
};

// The process's Vulkan instance: made for the first device, kept until the process ends. Without an instance the loader
// unloads the drivers, and a driver that is loaded again and again runs out of static thread-local storage (NVIDIA's
// after 28 times): a player of long lists would be without a GPU then.
// nullptr: none; `why` says why.
const VulkanInstance *process_instance(std::string &why);

} // namespace dd
