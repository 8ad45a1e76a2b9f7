// SPDX-License-Identifier: BSD-2-Clause
#include "device.h"

#include <stdexcept>

namespace v3drun {
namespace {

constexpr std::uint32_t kPushBytes = 128;

// A structure of Vulkan's with its type and nothing else set.
template <typename T>
T tagged(VkStructureType type) {
    T value{};
    value.sType = type;
    return value;
}

VkDescriptorType type_of(Resource resource) {
    return resource == Resource::StorageBuffer ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
}

VkInstance create_instance() {
    auto application = tagged<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
    application.apiVersion = VK_API_VERSION_1_2;
    auto info = tagged<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
    info.pApplicationInfo = &application;
    VkInstance instance;
    check(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance");
    return instance;
}

} // namespace

void check(VkResult result, const char *what) {
    if (result != VK_SUCCESS)
        throw std::runtime_error(std::string(what) + " failed with VkResult " + std::to_string(result));
}

Device::Device(const std::string &name_part) {
    instance_ = create_instance();
    choose(name_part);
    create();
}

Device::~Device() {
    vkDestroyCommandPool(device_, pool_, nullptr);
    vkDestroyDevice(device_, nullptr);
    vkDestroyInstance(instance_, nullptr);
}

void Device::choose(const std::string &name_part) {
    std::uint32_t count = 0;
    check(vkEnumeratePhysicalDevices(instance_, &count, nullptr), "vkEnumeratePhysicalDevices");
    std::vector<VkPhysicalDevice> devices(count);
    check(vkEnumeratePhysicalDevices(instance_, &count, devices.data()), "vkEnumeratePhysicalDevices");
    for (VkPhysicalDevice candidate : devices) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(candidate, &properties);
        name_ = properties.deviceName;
        physical_ = candidate;
        if (name_.find(name_part) != std::string::npos)
            return;
    }
    throw std::runtime_error("no Vulkan device whose name contains " + name_part);
}

void Device::create() {
    auto executable = tagged<VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR);
    executable.pipelineExecutableInfo = VK_TRUE;
    auto v12 = tagged<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    v12.pNext = &executable;
    v12.storageBuffer8BitAccess = v12.uniformAndStorageBuffer8BitAccess = VK_TRUE;
    v12.scalarBlockLayout = VK_TRUE;
    auto v11 = tagged<VkPhysicalDeviceVulkan11Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
    v11.pNext = &v12;
    v11.storageBuffer16BitAccess = v11.uniformAndStorageBuffer16BitAccess = VK_TRUE;
    const float priority = 1.0f;
    auto queue = tagged<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    const char *extension = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
    auto info = tagged<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
    info.pNext = &v11;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &extension;
    check(vkCreateDevice(physical_, &info, nullptr, &device_), "vkCreateDevice");
    vkGetDeviceQueue(device_, 0, 0, &queue_);
    auto pool = tagged<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
    check(vkCreateCommandPool(device_, &pool, nullptr, &pool_), "vkCreateCommandPool");
}

std::uint32_t Device::memory_type(std::uint32_t allowed) const {
    VkPhysicalDeviceMemoryProperties properties;
    vkGetPhysicalDeviceMemoryProperties(physical_, &properties);
    constexpr VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    for (std::uint32_t i = 0; i < properties.memoryTypeCount; i++)
        if ((allowed >> i & 1) && (properties.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    throw std::runtime_error("no host-visible memory");
}

Buffer::Buffer(const Device &device, std::size_t bytes) : device_(device.handle()), size_(bytes) {
    auto info = tagged<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
    check(vkCreateBuffer(device_, &info, nullptr, &buffer_), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device_, buffer_, &needs);
    auto allocate = tagged<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = device.memory_type(needs.memoryTypeBits);
    check(vkAllocateMemory(device_, &allocate, nullptr, &memory_), "vkAllocateMemory");
    check(vkBindBufferMemory(device_, buffer_, memory_, 0), "vkBindBufferMemory");
    void *mapped;
    check(vkMapMemory(device_, memory_, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
    data_ = static_cast<std::byte *>(mapped);
}

Buffer::~Buffer() {
    vkDestroyBuffer(device_, buffer_, nullptr);
    vkFreeMemory(device_, memory_, nullptr);
}

Pipeline::Pipeline(const Device &device, const std::vector<std::uint32_t> &spirv, const Constants &constants)
    : device_(device), interface_(read_interface(spirv)) {
    create_layouts();
    create_pipeline(spirv, constants);
}

Pipeline::~Pipeline() {
    vkDestroyPipeline(device_.handle(), pipeline_, nullptr);
    vkDestroyPipelineLayout(device_.handle(), layout_, nullptr);
    vkDestroyDescriptorSetLayout(device_.handle(), set_layout_, nullptr);
}

void Pipeline::create_layouts() {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (const auto &[number, resource] : interface_.bindings)
        bindings.push_back({number, type_of(resource), 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    auto set = tagged<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
    set.bindingCount = static_cast<std::uint32_t>(bindings.size());
    set.pBindings = bindings.data();
    check(vkCreateDescriptorSetLayout(device_.handle(), &set, nullptr, &set_layout_), "vkCreateDescriptorSetLayout");
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushBytes};
    auto layout = tagged<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &set_layout_;
    layout.pushConstantRangeCount = interface_.push_constants ? 1 : 0;
    layout.pPushConstantRanges = &range;
    check(vkCreatePipelineLayout(device_.handle(), &layout, nullptr, &layout_), "vkCreatePipelineLayout");
}

void Pipeline::create_pipeline(const std::vector<std::uint32_t> &spirv, const Constants &constants) {
    auto module_info = tagged<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    module_info.codeSize = spirv.size() * 4;
    module_info.pCode = spirv.data();
    VkShaderModule module;
    check(vkCreateShaderModule(device_.handle(), &module_info, nullptr, &module), "vkCreateShaderModule");
    std::vector<VkSpecializationMapEntry> entries;
    std::vector<std::uint32_t> values;
    for (const auto &[id, value] : constants) {
        entries.push_back({id, static_cast<std::uint32_t>(values.size() * 4), 4});
        values.push_back(value);
    }
    const VkSpecializationInfo specialization{static_cast<std::uint32_t>(entries.size()), entries.data(),
                                              values.size() * 4, values.data()};
    auto info = tagged<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
    info.flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
    info.stage = tagged<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = &specialization;
    info.layout = layout_;
    const VkResult result = vkCreateComputePipelines(device_.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_);
    vkDestroyShaderModule(device_.handle(), module, nullptr);
    check(result, "vkCreateComputePipelines");
}

Statistics Pipeline::statistics() const {
    const auto get = reinterpret_cast<PFN_vkGetPipelineExecutableStatisticsKHR>(
        vkGetDeviceProcAddr(device_.handle(), "vkGetPipelineExecutableStatisticsKHR"));
    auto info = tagged<VkPipelineExecutableInfoKHR>(VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR);
    info.pipeline = pipeline_;
    std::uint32_t count = 0;
    check(get(device_.handle(), &info, &count, nullptr), "vkGetPipelineExecutableStatisticsKHR");
    std::vector<VkPipelineExecutableStatisticKHR> found(
        count, tagged<VkPipelineExecutableStatisticKHR>(VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR));
    check(get(device_.handle(), &info, &count, found.data()), "vkGetPipelineExecutableStatisticsKHR");
    Statistics statistics;
    for (const auto &one : found)
        statistics[one.name] = one.value.u64;
    return statistics;
}

VkDescriptorSet Pipeline::bind(VkDescriptorPool pool,
                               const std::map<std::uint32_t, std::unique_ptr<Buffer>> &buffers) const {
    auto allocate = tagged<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
    allocate.descriptorPool = pool;
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &set_layout_;
    VkDescriptorSet set;
    check(vkAllocateDescriptorSets(device_.handle(), &allocate, &set), "vkAllocateDescriptorSets");
    for (const auto &[number, resource] : interface_.bindings) {
        const VkDescriptorBufferInfo range{buffers.at(number)->handle(), 0, VK_WHOLE_SIZE};
        auto write = tagged<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
        write.dstSet = set;
        write.dstBinding = number;
        write.descriptorCount = 1;
        write.descriptorType = type_of(resource);
        write.pBufferInfo = &range;
        vkUpdateDescriptorSets(device_.handle(), 1, &write, 0, nullptr);
    }
    return set;
}

void Pipeline::submit(VkCommandBuffer commands) const {
    auto info = tagged<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    check(vkQueueSubmit(device_.queue(), 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
    check(vkQueueWaitIdle(device_.queue()), "vkQueueWaitIdle");
}

void Pipeline::dispatch(const std::map<std::uint32_t, std::unique_ptr<Buffer>> &buffers,
                        const std::vector<std::uint32_t> &push, const std::uint32_t (&groups)[3]) const {
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 16},
                                          {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 16}};
    auto pool_info = tagged<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
    pool_info.maxSets = 1;
    pool_info.poolSizeCount = 2;
    pool_info.pPoolSizes = sizes;
    VkDescriptorPool pool;
    check(vkCreateDescriptorPool(device_.handle(), &pool_info, nullptr, &pool), "vkCreateDescriptorPool");
    const VkDescriptorSet set = bind(pool, buffers);
    auto allocate = tagged<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
    allocate.commandPool = device_.pool();
    allocate.commandBufferCount = 1;
    VkCommandBuffer commands;
    check(vkAllocateCommandBuffers(device_.handle(), &allocate, &commands), "vkAllocateCommandBuffers");
    auto begin = tagged<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set, 0, nullptr);
    if (interface_.push_constants) {
        std::vector<std::uint32_t> block(push);
        block.resize(kPushBytes / 4);
        vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushBytes, block.data());
    }
    vkCmdDispatch(commands, groups[0], groups[1], groups[2]);
    check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    submit(commands);
    vkFreeCommandBuffers(device_.handle(), device_.pool(), 1, &commands);
    vkDestroyDescriptorPool(device_.handle(), pool, nullptr);
}

} // namespace v3drun
