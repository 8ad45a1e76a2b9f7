// SPDX-License-Identifier: BSD-2-Clause
#include "vulkan/api.h"

#include <dlfcn.h>

namespace dd {

std::shared_ptr<VulkanLoader> VulkanLoader::open() {
    void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return nullptr;
    std::shared_ptr<VulkanLoader> loader(new VulkanLoader(library));
    loader->get_instance_proc = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
    if (!loader->get_instance_proc)
        return nullptr;
#define DD_VK_LOAD(name)                                                                                               \
    loader->name = reinterpret_cast<PFN_vk##name>(loader->get_instance_proc(nullptr, "vk" #name));                     \
    if (!loader->name)                                                                                                 \
        return nullptr;
    DD_VK_GLOBAL(DD_VK_LOAD)
#undef DD_VK_LOAD
    return loader;
}

VulkanLoader::~VulkanLoader() {
    dlclose(library_);
}

bool InstanceApi::load(const VulkanLoader &loader, VkInstance instance) {
    bool all = true;
#define DD_VK_LOAD(name)                                                                                               \
    name = reinterpret_cast<PFN_vk##name>(loader.get_instance_proc(instance, "vk" #name));                             \
    all = all && name;
    DD_VK_INSTANCE(DD_VK_LOAD)
#undef DD_VK_LOAD
    return all;
}

bool DeviceApi::load(const InstanceApi &instance, VkDevice device) {
    bool all = true;
#define DD_VK_LOAD(name)                                                                                               \
    name = reinterpret_cast<PFN_vk##name>(instance.GetDeviceProcAddr(device, "vk" #name));                             \
    all = all && name;
    DD_VK_DEVICE(DD_VK_LOAD)
#undef DD_VK_LOAD
#define DD_VK_LOAD(name) name = reinterpret_cast<PFN_vk##name>(instance.GetDeviceProcAddr(device, "vk" #name));
    DD_VK_OPTIONAL(DD_VK_LOAD)
#undef DD_VK_LOAD
    return all;
}

const char *vk_result_text(VkResult result) {
    switch (result) {
    case VK_SUCCESS:
        return "success";
    case VK_NOT_READY:
        return "not ready";
    case VK_TIMEOUT:
        return "time-out";
    case VK_ERROR_OUT_OF_HOST_MEMORY:
        return "out of host memory";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        return "out of device memory";
    case VK_ERROR_INITIALIZATION_FAILED:
        return "initialization failed";
    case VK_ERROR_DEVICE_LOST:
        return "device lost";
    case VK_ERROR_MEMORY_MAP_FAILED:
        return "memory map failed";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
        return "no usable driver";
    case VK_ERROR_TOO_MANY_OBJECTS:
        return "too many objects";
    case VK_ERROR_INVALID_EXTERNAL_HANDLE:
        return "invalid external handle";
    default:
        return "unexpected error";
    }
}

} // namespace dd
