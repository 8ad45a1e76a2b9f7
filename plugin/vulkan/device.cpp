// SPDX-License-Identifier: BSD-2-Clause
#include "vulkan/device.h"

#include "util/device_file.h"
#include "util/environment.h"
#include "vulkan/device_choice.h"
#include "vulkan/instance.h"
#include "vulkan/quirks.h"
#include "vulkan/slot_pool.h"

#include <algorithm>
#include <cstring>

namespace dd {

// A physical device and what we have to know of it before we choose.
struct VulkanDevice::Candidate {
    VkPhysicalDevice handle = VK_NULL_HANDLE;
    VkPhysicalDeviceProperties properties{};
    VkDriverId driver{};
    VkPhysicalDeviceVulkan11Features features11{};
    VkPhysicalDeviceVulkan12Features features12{};
    VkSubgroupFeatureFlags subgroup_operations = 0; // of compute
    std::uint32_t queue_family = UINT32_MAX;
    bool can_import = false;
    bool can_check_accesses = false;
    VkDeviceSize largest_allocation = 0;
    VkDeviceSize adopt_alignment = 0; // of plain memory that buffers may lie in; 0: it can't
    DeviceFacts facts;
};

namespace {

constexpr std::uint32_t kNeededInvocations = 256;
constexpr std::uint32_t kNeededShared = 16384;
constexpr std::uint32_t kNeededStorageBuffers = 8;

std::uint32_t compute_family(const InstanceApi &api, VkPhysicalDevice device) {
    std::uint32_t count = 0;
    api.GetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    api.GetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
    for (std::uint32_t i = 0; i < count; i++)
        if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT)
            return i;
    return UINT32_MAX;
}

std::vector<VkExtensionProperties> extensions_of(const InstanceApi &api, VkPhysicalDevice device) {
    std::uint32_t count = 0;
    api.EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> all(count);
    api.EnumerateDeviceExtensionProperties(device, nullptr, &count, all.data());
    return all;
}
bool has(const std::vector<VkExtensionProperties> &extensions, const char *name) {
    return std::ranges::any_of(extensions, [name](const auto &e) { return !std::strcmp(e.extensionName, name); });
}

constexpr const char *kImportExtensions[] = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
                                             VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME};

void add(std::string &list, bool lacks, const char *what) {
    if (lacks)
        list += (list.empty() ? "" : ", ") + std::string(what);
}

} // namespace

namespace {

template <typename Candidate>
std::string missing_of(const Candidate &c) {
    std::string missing;
    const VkPhysicalDeviceLimits &limits = c.properties.limits;
    add(missing, c.queue_family == UINT32_MAX, "a compute queue");
    add(missing, !c.features11.storageBuffer16BitAccess, "16-bit storage");
    add(missing, !c.features12.storageBuffer8BitAccess, "8-bit storage");
    add(missing, limits.maxComputeWorkGroupInvocations < kNeededInvocations, "workgroups of 256 invocations");
    add(missing, limits.maxComputeSharedMemorySize < kNeededShared, "16 KiB of shared memory");
    add(missing, limits.maxPerStageDescriptorStorageBuffers < kNeededStorageBuffers, "8 storage buffers a stage");
    add(missing, !(c.subgroup_operations & VK_SUBGROUP_FEATURE_BALLOT_BIT), "subgroup ballots");
    return missing;
}

template <typename Candidate>
void look_at(const InstanceApi &api, Candidate &c) {
    VkPhysicalDeviceDriverProperties driver = {};
    driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
    VkPhysicalDeviceProperties2 properties = {};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    api.GetPhysicalDeviceProperties2(c.handle, &properties);
    c.properties = properties.properties;
    c.facts.name = c.properties.deviceName;
    c.facts.cpu_type = c.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    if (c.properties.apiVersion < VK_API_VERSION_1_2) {
        c.facts.missing = "Vulkan 1.2";
        return;
    }
    VkPhysicalDeviceMaintenance3Properties allocations = {};
    allocations.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES;
    VkPhysicalDeviceSubgroupProperties subgroups = {};
    subgroups.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
    driver.pNext = &subgroups;
    subgroups.pNext = &allocations;
    properties.pNext = &driver;
    const auto extensions = extensions_of(api, c.handle);
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {};
    host.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT;
    if (has(extensions, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME))
        allocations.pNext = &host;
    api.GetPhysicalDeviceProperties2(c.handle, &properties);
    c.largest_allocation = allocations.maxMemoryAllocationSize;
    c.adopt_alignment = host.minImportedHostPointerAlignment;
    c.driver = driver.driverID;
    if (subgroups.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT)
        c.subgroup_operations = subgroups.supportedOperations;
    c.features11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    c.features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    c.features11.pNext = &c.features12;
    VkPhysicalDeviceFeatures2 features = {};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features.pNext = &c.features11;
    api.GetPhysicalDeviceFeatures2(c.handle, &features);
    c.can_check_accesses = features.features.robustBufferAccess;
    c.queue_family = compute_family(api, c.handle);
    c.can_import = std::ranges::all_of(kImportExtensions, [&](const char *name) { return has(extensions, name); });
    c.facts.missing = missing_of(c);
}

} // namespace

std::shared_ptr<VulkanDevice> VulkanDevice::open(const GpuOptions &options, std::string &why) {
    why.clear();
    if (options.device == "cpu")
        return nullptr;
    std::shared_ptr<VulkanDevice> device(new VulkanDevice);
    device->faults_ = Faults::from_text(test_hook("DAEDALUS_FAULT"));
    device->instance_ = process_instance(why);
    if (!device->instance_)
        return nullptr;
    return device->find(options, why) ? device : nullptr;
}

namespace {

// Without access to them drivers name no GPU.
constexpr const char *kRenderNodes[] = {"/dev/dri/renderD128", "/dev/dri/renderD129"};

} // namespace

bool VulkanDevice::find(const GpuOptions &options, std::string &why) {
    if (options.stop.stop_requested())
        return false;
    const InstanceApi &api = instance_->api;
    std::uint32_t count = 0;
    api.EnumeratePhysicalDevices(instance_->handle, &count, nullptr);
    std::vector<VkPhysicalDevice> handles(count);
    api.EnumeratePhysicalDevices(instance_->handle, &count, handles.data());
    std::vector<Candidate> candidates(count);
    std::vector<DeviceFacts> facts;
    for (std::size_t i = 0; i < candidates.size(); i++) {
        candidates[i].handle = handles[i];
        look_at(api, candidates[i]);
        facts.push_back(candidates[i].facts);
    }
    const DeviceChoice choice = choose_device(facts, options.device);
    why = choice.why;
    if (choice.index < 0 && options.device != "cpu")
        if (const std::string denied = denied_device_file(kRenderNodes); !denied.empty())
            why += " (" + denied + ")";
    if (choice.index < 0 || options.stop.stop_requested())
        return false;
    const Candidate &chosen = candidates[static_cast<std::size_t>(choice.index)];
    settle(chosen, options);
    return make_device(chosen, why);
}

namespace {

std::string compiler_of(const VkPhysicalDeviceProperties &properties) {
    constexpr const char *digits = "0123456789abcdef";
    std::string text = properties.deviceName;
    text += '-' + std::to_string(properties.driverVersion) + '-';
    for (const std::uint8_t byte : properties.pipelineCacheUUID) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

} // namespace

namespace {

std::chrono::milliseconds patience_of(const Quirks &quirks) {
    constexpr std::chrono::milliseconds kPatience{2000};
    return kPatience * quirks.patience;
}

} // namespace

WorkLimits VulkanDevice::work_limits_of(const Candidate &c, const Quirks &quirks) {
    const VkPhysicalDeviceLimits &limits = c.properties.limits;
    WorkLimits work;
    work.residual_bytes = std::min<std::uint64_t>(limits.maxStorageBufferRange, c.largest_allocation);
    work.upload_bytes = std::min(kMostUploadBytes, work.residual_bytes);
    work.groups = {limits.maxComputeWorkGroupCount[0], limits.maxComputeWorkGroupCount[1]};
    work.time_ns = static_cast<std::uint64_t>(std::chrono::nanoseconds(patience_of(quirks)).count());
    return work;
}

void VulkanDevice::settle(const Candidate &c, const GpuOptions &options) {
    const Quirks quirks = quirks_of(c.driver, c.properties.deviceType);
    info_.name = c.facts.name;
    info_.is_cpu_type = c.facts.cpu_type;
    info_.driver_version = c.properties.driverVersion;
    compiler_ = compiler_of(c.properties);
    limits_ = c.properties.limits;
    queue_family_ = c.queue_family;
    timestamps_ = options.timestamps && limits_.timestampComputeAndGraphics;
    info_.profile = options.profile == "v3d"    ? Profile::v3d
                    : options.profile == "wide" ? Profile::wide
                                                : quirks.profile;
    side_by_side_ = quirks.side_by_side;
    info_.is_robust = options.robust && c.can_check_accesses;
    patience_ = std::chrono::milliseconds(test_hook_number("DAEDALUS_TIMEOUT_MS", patience_of(quirks).count()));
    work_limits_ = limits_from_text(test_hook("DAEDALUS_LIMITS"), work_limits_of(c, quirks));
    constexpr std::chrono::milliseconds kMoment{100}, kLongestHang{8000};
    hang_grace_ = std::min(4 * patience_, kLongestHang);
    closing_grace_ = info_.is_cpu_type ? kCertainEnd : kMoment;
    instance_->api.GetPhysicalDeviceMemoryProperties(c.handle, &memory_);
    strategy_ = choose_memory_strategy(memory_, c.properties.deviceType, c.can_import && DmaBuf::available());
    // For tests: every device can serve the strategy that asks least of it.
    if (test_hook("DAEDALUS_MEMORY") == memory_strategy_name(MemoryStrategy::discrete))
        strategy_ = MemoryStrategy::discrete;
    info_.memory = memory_strategy_name(strategy_);
    info_.reads_cached = strategy_ != MemoryStrategy::write_combined;
    info_.copies_pictures = strategy_ == MemoryStrategy::discrete;
    info_.has_cached_memory = strategy_ == MemoryStrategy::unified || info_.copies_pictures;
    if (info_.has_cached_memory)
        adopt_alignment_ = c.adopt_alignment;
}

bool VulkanDevice::make_device(const Candidate &c, std::string &why) {
    const float priority = 1.0f;
    VkDeviceQueueCreateInfo queue = {};
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueFamilyIndex = queue_family_;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkPhysicalDeviceVulkan12Features features12 = {};
    features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    features12.storageBuffer8BitAccess = VK_TRUE;
    features12.timelineSemaphore = c.features12.timelineSemaphore;
    VkPhysicalDeviceVulkan11Features features11 = {};
    features11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    features11.pNext = &features12;
    features11.storageBuffer16BitAccess = VK_TRUE;
    VkPhysicalDeviceFeatures features = {};
    features.robustBufferAccess = info_.is_robust;
    VkDeviceCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = &features11;
    info.pEnabledFeatures = &features;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    std::vector<const char *> extensions;
    if (strategy_ == MemoryStrategy::imported)
        extensions.assign(std::begin(kImportExtensions), std::end(kImportExtensions));
    if (adopt_alignment_)
        extensions.push_back(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
    info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    VkResult result = instance_->api.CreateDevice(c.handle, &info, nullptr, &device_);
    if (result != VK_SUCCESS) {
        device_ = VK_NULL_HANDLE;
        why = info_.name + " can't be opened: " + vk_result_text(result);
        return false;
    }
    if (!vk_.load(instance_->api, device_)) {
        why = info_.name + " lacks functions of Vulkan 1.2";
        return false;
    }
    vk_.GetDeviceQueue(device_, queue_family_, 0, &queue_);
    pipelines_ = std::make_unique<Pipelines>(*this);
    slots_ = std::make_unique<SlotPool>(*this);
    result = make_command_pool();
    if (result == VK_SUCCESS)
        result = pipelines_->init();
    if (result != VK_SUCCESS)
        why = info_.name + " can't be set up: " + vk_result_text(result);
    return result == VK_SUCCESS;
}

VkResult VulkanDevice::make_command_pool() {
    const VkCommandPoolCreateInfo info = {
        VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr,
        VK_COMMAND_POOL_CREATE_TRANSIENT_BIT | VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, queue_family_};
    return vk_.CreateCommandPool(device_, &info, nullptr, &command_pool_);
}

VulkanDevice::VulkanDevice() = default;

VulkanDevice::~VulkanDevice() {
    if (device_ && vk_.DestroyDevice && !release_device()) {
        // The GPU hangs. What it may still touch stays where it is.
        static_cast<void>(pipelines_.release());
        static_cast<void>(new auto(std::move(tables_)));
    }
}

bool VulkanDevice::release_device() {
    if (never_) { // the end of an injected hang
        VkSemaphoreSignalInfo signal = {VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, never_, 1};
        vk_.SignalSemaphore(device_, &signal);
    }
    if (slots_ && !slots_->close())
        return false;
    slots_.reset();
    tables_.clear();
    pipelines_.reset();
    if (command_pool_)
        vk_.DestroyCommandPool(device_, command_pool_, nullptr);
    if (never_)
        vk_.DestroySemaphore(device_, never_, nullptr);
    vk_.DestroyDevice(device_, nullptr);
    return true;
}

VkBuffer VulkanDevice::tables(std::span<const std::uint32_t> words) {
    const std::lock_guard lock(tables_mutex_);
    Buffer &buffer = tables_[words.data()];
    if (!buffer) {
        if (Buffer::make(*this, words.size_bytes(), MemoryUse::upload, buffer) != VK_SUCCESS)
            return VK_NULL_HANDLE;
        std::memcpy(buffer.data(), words.data(), words.size_bytes());
        if (buffer.flush() != VK_SUCCESS) {
            buffer = Buffer();
            return VK_NULL_HANDLE;
        }
    }
    return buffer.handle();
}

VkResult VulkanDevice::queue_submit(const VkSubmitInfo &info, VkFence fence) {
    if (fails(Fault::submit))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (fails(Fault::hang))
        return submit_never_ending(fence);
    return vk_.QueueSubmit(queue_, 1, &info, fence);
}

// Work that waits for what never comes, in place of the frame's own: a hung GPU, as far as anyone can see.
VkResult VulkanDevice::submit_never_ending(VkFence fence) {
    VkSemaphoreTypeCreateInfo type = {VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr, VK_SEMAPHORE_TYPE_TIMELINE,
                                      0};
    VkSemaphoreCreateInfo semaphore = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
    VkResult result = vk_.CreateSemaphore(device_, &semaphore, nullptr, &never_);
    if (result != VK_SUCCESS)
        return result;
    const std::uint64_t value = 1;
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkTimelineSemaphoreSubmitInfo timeline = {};
    timeline.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    timeline.waitSemaphoreValueCount = 1;
    timeline.pWaitSemaphoreValues = &value;
    VkSubmitInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.pNext = &timeline;
    info.waitSemaphoreCount = 1;
    info.pWaitSemaphores = &never_;
    info.pWaitDstStageMask = &stage;
    return vk_.QueueSubmit(queue_, 1, &info, fence);
}

} // namespace dd
