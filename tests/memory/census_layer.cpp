// SPDX-License-Identifier: BSD-2-Clause
//
// The Vulkan layer of the census. For one device at a time, which is what the tests open.
#include "census.h"

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>

namespace {

// clang-format off
#define WATCHED(F) \
    F(AllocateMemory) F(CreateBuffer) F(CreateShaderModule) F(CreatePipelineCache) F(CreateComputePipelines) \
    F(CreatePipelineLayout) F(CreateDescriptorSetLayout) F(CreateDescriptorPool) F(AllocateDescriptorSets) \
    F(CreateCommandPool) F(AllocateCommandBuffers) F(CreateQueryPool) F(CreateFence) F(CreateSemaphore)
// clang-format on

enum Watched {
#define NUMBER(name) k##name,
    WATCHED(NUMBER)
#undef NUMBER
        kWatched
};
constexpr std::array<const char *, kWatched> names = {
#define NAME(name) "vk" #name,
    WATCHED(NAME)
#undef NAME
};

std::array<std::atomic<std::uint64_t>, kWatched> calls;
std::array<PFN_vkVoidFunction, kWatched> next_functions;

std::mutex mutex; // of what follows
PFN_vkGetInstanceProcAddr next_instance_proc = nullptr;
PFN_vkGetDeviceProcAddr next_device_proc = nullptr;
PFN_vkFreeMemory next_free = nullptr;
std::map<VkDeviceMemory, VkDeviceSize> memories;
census::Amount memory;

template <int Number, typename Function>
struct Counted;
template <int Number, typename... Arguments>
struct Counted<Number, VkResult(VKAPI_PTR *)(Arguments...)> {
    using Function = VkResult(VKAPI_PTR *)(Arguments...);
    static VKAPI_ATTR VkResult VKAPI_CALL call(Arguments... arguments) {
        calls[Number]++;
        return reinterpret_cast<Function>(next_functions[Number])(arguments...);
    }
};

VKAPI_ATTR VkResult VKAPI_CALL allocate_memory(VkDevice device, const VkMemoryAllocateInfo *info,
                                               const VkAllocationCallbacks *callbacks, VkDeviceMemory *made) {
    const VkResult result = Counted<kAllocateMemory, PFN_vkAllocateMemory>::call(device, info, callbacks, made);
    if (result != VK_SUCCESS)
        return result;
    const std::lock_guard lock(mutex);
    memories[*made] = info->allocationSize;
    memory.calls++;
    memory.live += info->allocationSize;
    memory.peak = std::max(memory.peak, memory.live);
    return result;
}

VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice device, VkDeviceMemory which, const VkAllocationCallbacks *callbacks) {
    {
        const std::lock_guard lock(mutex);
        if (const auto found = memories.find(which); found != memories.end()) {
            memory.live -= found->second;
            memories.erase(found);
        }
    }
    next_free(device, which, callbacks);
}

// The link of a chain that tells a layer where to go on.
template <typename Link, typename Info>
Link *link_of(const Info *info, VkStructureType type) {
    auto *link = static_cast<const Link *>(info->pNext);
    while (link && !(link->sType == type && link->function == VK_LAYER_LINK_INFO))
        link = static_cast<const Link *>(link->pNext);
    return const_cast<Link *>(link); // a layer has to move it on
}

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *callbacks,
                                               VkInstance *instance) {
    auto *link = link_of<VkLayerInstanceCreateInfo>(info, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    next_instance_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    return reinterpret_cast<PFN_vkCreateInstance>(next_instance_proc(nullptr, "vkCreateInstance"))(info, callbacks,
                                                                                                   instance);
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                             const VkAllocationCallbacks *callbacks, VkDevice *device) {
    auto *link = link_of<VkLayerDeviceCreateInfo>(info, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    const auto instance_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    next_device_proc = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    return reinterpret_cast<PFN_vkCreateDevice>(instance_proc(nullptr, "vkCreateDevice"))(physical, info, callbacks,
                                                                                          device);
}

PFN_vkVoidFunction own_device_function(const char *name) {
    if (!std::strcmp(name, "vkAllocateMemory"))
        return reinterpret_cast<PFN_vkVoidFunction>(allocate_memory);
    if (!std::strcmp(name, "vkFreeMemory"))
        return reinterpret_cast<PFN_vkVoidFunction>(free_memory);
#define TAKE(function)                                                                                                 \
    if (!std::strcmp(name, "vk" #function))                                                                            \
        return reinterpret_cast<PFN_vkVoidFunction>(Counted<k##function, PFN_vk##function>::call);
    WATCHED(TAKE)
#undef TAKE
    return nullptr;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_proc(VkDevice device, const char *name) {
    if (!std::strcmp(name, "vkGetDeviceProcAddr"))
        return reinterpret_cast<PFN_vkVoidFunction>(device_proc);
    const PFN_vkVoidFunction next = next_device_proc(device, name);
    const PFN_vkVoidFunction own = next ? own_device_function(name) : nullptr;
    const std::lock_guard lock(mutex);
    if (own && !std::strcmp(name, "vkFreeMemory"))
        next_free = reinterpret_cast<PFN_vkFreeMemory>(next);
    for (std::size_t i = 0; own && i < names.size(); i++)
        if (!std::strcmp(name, names[i]))
            next_functions[i] = next;
    return own ? own : next;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_proc(VkInstance instance, const char *name) {
    if (!std::strcmp(name, "vkGetInstanceProcAddr"))
        return reinterpret_cast<PFN_vkVoidFunction>(instance_proc);
    if (!std::strcmp(name, "vkCreateInstance"))
        return reinterpret_cast<PFN_vkVoidFunction>(create_instance);
    if (!std::strcmp(name, "vkCreateDevice"))
        return reinterpret_cast<PFN_vkVoidFunction>(create_device);
    if (!std::strcmp(name, "vkGetDeviceProcAddr"))
        return reinterpret_cast<PFN_vkVoidFunction>(device_proc);
    return instance && next_instance_proc ? next_instance_proc(instance, name) : nullptr;
}

} // namespace

namespace census {

Amount device_memory() {
    const std::lock_guard lock(mutex);
    return memory;
}

std::vector<Site> vulkan_sites() {
    std::vector<Site> sites;
    for (std::size_t i = 0; i < names.size(); i++)
        sites.push_back({names[i], calls[i], 0});
    return sites;
}

} // namespace census

extern "C" CENSUS_API VkResult vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *version) {
    version->loaderLayerInterfaceVersion = std::min(version->loaderLayerInterfaceVersion, 2u);
    version->pfnGetInstanceProcAddr = instance_proc;
    version->pfnGetDeviceProcAddr = device_proc;
    version->pfnGetPhysicalDeviceProcAddr = nullptr;
    return VK_SUCCESS;
}
