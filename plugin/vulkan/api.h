// SPDX-License-Identifier: BSD-2-Clause
//
// Vulkan's functions, loaded at run time: the library works where no Vulkan loader is installed.
#pragma once
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <memory>

// clang-format off
#define DD_VK_GLOBAL(F) \
    F(CreateInstance) F(EnumerateInstanceVersion) F(EnumerateInstanceLayerProperties)

#define DD_VK_INSTANCE(F) \
    F(DestroyInstance) F(EnumeratePhysicalDevices) F(GetPhysicalDeviceProperties2) F(GetPhysicalDeviceFeatures2) \
    F(GetPhysicalDeviceMemoryProperties) F(GetPhysicalDeviceQueueFamilyProperties) \
    F(EnumerateDeviceExtensionProperties) F(CreateDevice) F(GetDeviceProcAddr)

#define DD_VK_DEVICE(F) \
    F(DestroyDevice) F(GetDeviceQueue) F(DeviceWaitIdle) \
    F(CreateBuffer) F(DestroyBuffer) F(GetBufferMemoryRequirements) F(AllocateMemory) F(FreeMemory) \
    F(BindBufferMemory) F(MapMemory) F(UnmapMemory) F(FlushMappedMemoryRanges) F(InvalidateMappedMemoryRanges) \
    F(CreateShaderModule) F(DestroyShaderModule) F(CreatePipelineCache) F(DestroyPipelineCache) \
    F(GetPipelineCacheData) F(CreateComputePipelines) F(DestroyPipeline) F(CreatePipelineLayout) \
    F(DestroyPipelineLayout) F(CreateDescriptorSetLayout) F(DestroyDescriptorSetLayout) F(CreateDescriptorPool) \
    F(DestroyDescriptorPool) F(AllocateDescriptorSets) F(UpdateDescriptorSets) \
    F(CreateCommandPool) F(DestroyCommandPool) F(AllocateCommandBuffers) F(FreeCommandBuffers) F(BeginCommandBuffer) \
    F(EndCommandBuffer) F(CmdBindPipeline) F(CmdBindDescriptorSets) F(CmdPushConstants) F(CmdDispatch) \
    F(CmdPipelineBarrier) F(CmdCopyBuffer) F(CmdResetQueryPool) F(CmdWriteTimestamp) \
    F(CreateQueryPool) F(DestroyQueryPool) F(GetQueryPoolResults) \
    F(CreateFence) F(DestroyFence) F(ResetFences) F(WaitForFences) F(GetFenceStatus) \
    F(CreateSemaphore) F(DestroySemaphore) F(SignalSemaphore) F(QueueSubmit)

// Only where VK_KHR_external_memory_fd is enabled, or VK_EXT_external_memory_host.
#define DD_VK_OPTIONAL(F) F(GetMemoryFdPropertiesKHR) F(GetMemoryHostPointerPropertiesEXT)
// clang-format on

namespace dd {

// The loader (libvulkan), opened once for each device.
class VulkanLoader {
  public:
    // nullptr: there is none.
    static std::shared_ptr<VulkanLoader> open();
    ~VulkanLoader();
    VulkanLoader(const VulkanLoader &) = delete;
    VulkanLoader &operator=(const VulkanLoader &) = delete;

    PFN_vkGetInstanceProcAddr get_instance_proc = nullptr;
#define DD_VK_MEMBER(name) PFN_vk##name name = nullptr;
    DD_VK_GLOBAL(DD_VK_MEMBER)

  private:
    explicit VulkanLoader(void *library) : library_(library) {}
    void *library_;
};

struct InstanceApi {
    DD_VK_INSTANCE(DD_VK_MEMBER)
    bool load(const VulkanLoader &loader, VkInstance instance);
};

struct DeviceApi {
    DD_VK_DEVICE(DD_VK_MEMBER)
    DD_VK_OPTIONAL(DD_VK_MEMBER)
    bool load(const InstanceApi &instance, VkDevice device);
};
#undef DD_VK_MEMBER

const char *vk_result_text(VkResult result);

} // namespace dd
