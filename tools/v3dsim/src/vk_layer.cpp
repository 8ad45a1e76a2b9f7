// SPDX-License-Identifier: BSD-2-Clause
//
// A Vulkan layer in the same library as the interposer. The driver's requests to the kernel do not say which memory
// belongs to the application and which part of a buffer object a descriptor covers; the Vulkan calls do. The layer
// follows memory, buffers, images and descriptor sets, and hands the ranges that are bound at each dispatch to the
// simulated device when the command buffer is submitted. It changes nothing.
//
// It is switched on by the environment that the interposer's start-up code sets when a check or a statistic needs it.
#include "device.h"

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

using v3dsim::BoundRange;
using v3dsim::Device;
using v3dsim::ExpectedDispatch;

namespace {

constexpr const char *layer_name = "VK_LAYER_V3DSIM_bound_ranges";

// Where a buffer or image lies. Handle 0: not bound.
struct Placement {
    uint32_t handle = 0, address = 0;
    uint64_t size = 0;
};

struct Descriptor {
    VkDescriptorType type = VK_DESCRIPTOR_TYPE_MAX_ENUM;
    Placement place;
};

struct SetLayout {
    // Binding number -> descriptors; a map, because dynamic offsets are given in the order of binding numbers.
    std::map<uint32_t, VkDescriptorSetLayoutBinding> bindings;
};

struct DescriptorSet {
    std::shared_ptr<SetLayout> layout;
    std::map<uint32_t, std::vector<Descriptor>> bindings;
    bool known = true;
};

struct BoundSet {
    std::shared_ptr<DescriptorSet> set;
    std::vector<uint32_t> dynamic_offsets;
};

struct CommandBuffer {
    std::map<uint32_t, BoundSet> sets; // of the compute bind point
    std::vector<ExpectedDispatch> dispatches;
};

struct InstanceLink {
    PFN_vkGetInstanceProcAddr next = nullptr;
    PFN_vkDestroyInstance destroy = nullptr;
};

// The next functions in the chain, and what is known of the objects of a device.
struct DeviceState {
    VkDevice device = VK_NULL_HANDLE;
    PFN_vkGetDeviceProcAddr next = nullptr;
    std::unordered_map<uint64_t, Placement> memory, buffers, images, buffer_views, image_views;
    std::unordered_map<uint64_t, uint64_t> buffer_sizes;
    std::unordered_map<uint64_t, std::shared_ptr<SetLayout>> layouts;
    std::unordered_map<uint64_t, std::shared_ptr<DescriptorSet>> sets;
    std::unordered_map<void *, CommandBuffer> commands;
    bool warned = false;

    template <typename F>
    F function(const char *name) const {
        return reinterpret_cast<F>(next(device, name));
    }
};

// Every dispatchable object starts with a pointer to the loader's table, the same for all objects of a device.
void *key_of(const void *object) {
    return *static_cast<void *const *>(object);
}

std::recursive_mutex mutex;
std::unordered_map<void *, InstanceLink> &instances() {
    static auto *map = new std::unordered_map<void *, InstanceLink>;
    return *map;
}
std::unordered_map<void *, std::unique_ptr<DeviceState>> &devices() {
    static auto *map = new std::unordered_map<void *, std::unique_ptr<DeviceState>>;
    return *map;
}
DeviceState &state_of(const void *object) {
    return *devices().at(key_of(object));
}

template <typename T>
uint64_t id(T handle) {
    return (uint64_t)handle; // a pointer or an integer, depending on the platform
}

#define NEXT(object, name) state_of(object).function<PFN_##name>(#name)

// ---- objects ----

VKAPI_ATTR VkResult VKAPI_CALL AllocateMemory(VkDevice device, const VkMemoryAllocateInfo *info,
                                              const VkAllocationCallbacks *callbacks, VkDeviceMemory *memory) {
    std::unique_lock lock(mutex);
    auto next = NEXT(device, vkAllocateMemory);
    lock.unlock();
    Device::expect_application_memory(true);
    const VkResult result = next(device, info, callbacks, memory);
    const uint32_t handle = Device::last_application_handle();
    Device::expect_application_memory(false);
    v3dsim::BufferObject bo;
    if (result == VK_SUCCESS && handle && Device::instance().memory().find(handle, &bo)) {
        lock.lock();
        state_of(device).memory[id(*memory)] = {handle, bo.address, bo.size};
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL FreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks *callbacks) {
    std::unique_lock lock(mutex);
    state_of(device).memory.erase(id(memory));
    auto next = NEXT(device, vkFreeMemory);
    lock.unlock();
    next(device, memory, callbacks);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateBuffer(VkDevice device, const VkBufferCreateInfo *info,
                                            const VkAllocationCallbacks *callbacks, VkBuffer *buffer) {
    std::lock_guard lock(mutex);
    const VkResult result = NEXT(device, vkCreateBuffer)(device, info, callbacks, buffer);
    if (result == VK_SUCCESS)
        state_of(device).buffer_sizes[id(*buffer)] = info->size;
    return result;
}

void bind_buffer(DeviceState &s, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset) {
    const Placement m = s.memory[id(memory)];
    s.buffers[id(buffer)] = {m.handle, m.address + static_cast<uint32_t>(offset), s.buffer_sizes[id(buffer)]};
}

// Which part of an image a texel access reaches is the hardware's business: all of its memory counts.
void bind_image(DeviceState &s, VkImage image, VkDeviceMemory memory) {
    s.images[id(image)] = s.memory[id(memory)];
}

VKAPI_ATTR VkResult VKAPI_CALL BindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory,
                                                VkDeviceSize offset) {
    std::lock_guard lock(mutex);
    bind_buffer(state_of(device), buffer, memory, offset);
    return NEXT(device, vkBindBufferMemory)(device, buffer, memory, offset);
}

VKAPI_ATTR VkResult VKAPI_CALL BindBufferMemory2(VkDevice device, uint32_t count, const VkBindBufferMemoryInfo *infos) {
    std::lock_guard lock(mutex);
    for (uint32_t i = 0; i < count; i++)
        bind_buffer(state_of(device), infos[i].buffer, infos[i].memory, infos[i].memoryOffset);
    return NEXT(device, vkBindBufferMemory2)(device, count, infos);
}

VKAPI_ATTR VkResult VKAPI_CALL BindImageMemory(VkDevice device, VkImage image, VkDeviceMemory memory,
                                               VkDeviceSize offset) {
    std::lock_guard lock(mutex);
    bind_image(state_of(device), image, memory);
    return NEXT(device, vkBindImageMemory)(device, image, memory, offset);
}

VKAPI_ATTR VkResult VKAPI_CALL BindImageMemory2(VkDevice device, uint32_t count, const VkBindImageMemoryInfo *infos) {
    std::lock_guard lock(mutex);
    for (uint32_t i = 0; i < count; i++)
        bind_image(state_of(device), infos[i].image, infos[i].memory);
    return NEXT(device, vkBindImageMemory2)(device, count, infos);
}

Placement sub_range(const Placement &whole, uint64_t offset, uint64_t range) {
    Placement part = whole;
    part.address += static_cast<uint32_t>(offset);
    part.size = range == VK_WHOLE_SIZE ? whole.size - offset : range;
    return part;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateBufferView(VkDevice device, const VkBufferViewCreateInfo *info,
                                                const VkAllocationCallbacks *callbacks, VkBufferView *view) {
    std::lock_guard lock(mutex);
    const VkResult result = NEXT(device, vkCreateBufferView)(device, info, callbacks, view);
    DeviceState &s = state_of(device);
    if (result == VK_SUCCESS)
        s.buffer_views[id(*view)] = sub_range(s.buffers[id(info->buffer)], info->offset, info->range);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateImageView(VkDevice device, const VkImageViewCreateInfo *info,
                                               const VkAllocationCallbacks *callbacks, VkImageView *view) {
    std::lock_guard lock(mutex);
    const VkResult result = NEXT(device, vkCreateImageView)(device, info, callbacks, view);
    DeviceState &s = state_of(device);
    if (result == VK_SUCCESS)
        s.image_views[id(*view)] = s.images[id(info->image)];
    return result;
}

// ---- descriptors ----

VKAPI_ATTR VkResult VKAPI_CALL CreateDescriptorSetLayout(VkDevice device, const VkDescriptorSetLayoutCreateInfo *info,
                                                         const VkAllocationCallbacks *callbacks,
                                                         VkDescriptorSetLayout *layout) {
    std::lock_guard lock(mutex);
    const VkResult result = NEXT(device, vkCreateDescriptorSetLayout)(device, info, callbacks, layout);
    if (result == VK_SUCCESS) {
        auto l = std::make_shared<SetLayout>();
        for (uint32_t i = 0; i < info->bindingCount; i++)
            l->bindings[info->pBindings[i].binding] = info->pBindings[i];
        state_of(device).layouts[id(*layout)] = l;
    }
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL AllocateDescriptorSets(VkDevice device, const VkDescriptorSetAllocateInfo *info,
                                                      VkDescriptorSet *sets) {
    std::lock_guard lock(mutex);
    const VkResult result = NEXT(device, vkAllocateDescriptorSets)(device, info, sets);
    DeviceState &s = state_of(device);
    for (uint32_t i = 0; result == VK_SUCCESS && i < info->descriptorSetCount; i++) {
        auto set = std::make_shared<DescriptorSet>();
        set->layout = s.layouts[id(info->pSetLayouts[i])];
        for (const auto &[number, binding] : set->layout->bindings)
            set->bindings[number].resize(binding.descriptorCount);
        s.sets[id(sets[i])] = set;
    }
    return result;
}

bool is_buffer(VkDescriptorType type) {
    return type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER || type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER ||
           type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC || type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
}
bool is_dynamic(VkDescriptorType type) {
    return type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC || type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
}

// Consecutive descriptors run on into the following bindings.
template <typename F>
void each_descriptor(DescriptorSet &set, uint32_t binding, uint32_t element, uint32_t count, F &&visit) {
    auto at = set.bindings.find(binding);
    for (uint32_t i = 0; i < count && at != set.bindings.end();) {
        if (element >= at->second.size()) {
            element = 0;
            ++at;
            continue;
        }
        visit(at->second[element++], i++);
    }
}

void write_descriptors(DeviceState &s, const VkWriteDescriptorSet &w) {
    auto set = s.sets.find(id(w.dstSet));
    if (set == s.sets.end())
        return;
    each_descriptor(*set->second, w.dstBinding, w.dstArrayElement, w.descriptorCount, [&](Descriptor &d, uint32_t i) {
        d.type = w.descriptorType;
        if (is_buffer(w.descriptorType)) {
            const VkDescriptorBufferInfo &b = w.pBufferInfo[i];
            d.place = b.buffer ? sub_range(s.buffers[id(b.buffer)], b.offset, b.range) : Placement{};
        } else if (w.descriptorType == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER ||
                   w.descriptorType == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER) {
            d.place = s.buffer_views[id(w.pTexelBufferView[i])];
        } else if (w.pImageInfo && w.descriptorType != VK_DESCRIPTOR_TYPE_SAMPLER) {
            d.place = s.image_views[id(w.pImageInfo[i].imageView)];
        }
    });
}

void copy_descriptors(DeviceState &s, const VkCopyDescriptorSet &c) {
    auto from = s.sets.find(id(c.srcSet)), to = s.sets.find(id(c.dstSet));
    if (from == s.sets.end() || to == s.sets.end())
        return;
    std::vector<Descriptor> copied;
    each_descriptor(*from->second, c.srcBinding, c.srcArrayElement, c.descriptorCount,
                    [&](Descriptor &d, uint32_t) { copied.push_back(d); });
    each_descriptor(*to->second, c.dstBinding, c.dstArrayElement, c.descriptorCount, [&](Descriptor &d, uint32_t i) {
        if (i < copied.size())
            d = copied[i];
    });
}

VKAPI_ATTR void VKAPI_CALL UpdateDescriptorSets(VkDevice device, uint32_t writes, const VkWriteDescriptorSet *write,
                                                uint32_t copies, const VkCopyDescriptorSet *copy) {
    std::lock_guard lock(mutex);
    for (uint32_t i = 0; i < writes; i++)
        write_descriptors(state_of(device), write[i]);
    for (uint32_t i = 0; i < copies; i++)
        copy_descriptors(state_of(device), copy[i]);
    NEXT(device, vkUpdateDescriptorSets)(device, writes, write, copies, copy);
}

VKAPI_ATTR void VKAPI_CALL UpdateDescriptorSetWithTemplate(VkDevice device, VkDescriptorSet set,
                                                           VkDescriptorUpdateTemplate update, const void *data) {
    std::lock_guard lock(mutex);
    DeviceState &s = state_of(device);
    if (auto known = s.sets.find(id(set)); known != s.sets.end())
        known->second->known = false;
    if (!std::exchange(s.warned, true))
        std::fprintf(stderr,
                     "v3dsim: descriptor sets written through templates are not followed: no bounds for them\n");
    NEXT(device, vkUpdateDescriptorSetWithTemplate)(device, set, update, data);
}

// ---- commands ----

VKAPI_ATTR VkResult VKAPI_CALL BeginCommandBuffer(VkCommandBuffer commands, const VkCommandBufferBeginInfo *info) {
    std::lock_guard lock(mutex);
    DeviceState &s = state_of(commands);
    s.commands[commands] = {};
    return NEXT(commands, vkBeginCommandBuffer)(commands, info);
}

VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorSets(VkCommandBuffer commands, VkPipelineBindPoint point,
                                                 VkPipelineLayout layout, uint32_t first, uint32_t count,
                                                 const VkDescriptorSet *sets, uint32_t offset_count,
                                                 const uint32_t *offsets) {
    std::lock_guard lock(mutex);
    DeviceState &s = state_of(commands);
    const uint32_t *offset = offsets;
    for (uint32_t i = 0; point == VK_PIPELINE_BIND_POINT_COMPUTE && i < count; i++) {
        BoundSet bound;
        if (auto known = s.sets.find(id(sets[i])); known != s.sets.end()) {
            bound.set = known->second;
            for (const auto &[number, binding] : bound.set->layout->bindings)
                for (uint32_t n = 0; is_dynamic(binding.descriptorType) && n < binding.descriptorCount; n++)
                    bound.dynamic_offsets.push_back(offset < offsets + offset_count ? *offset++ : 0);
        }
        s.commands[commands].sets[first + i] = std::move(bound);
    }
    NEXT(commands, vkCmdBindDescriptorSets)(commands, point, layout, first, count, sets, offset_count, offsets);
}

// What is bound now. Not recorded when it is not all known.
void record_dispatch(DeviceState &s, VkCommandBuffer commands, bool indirect, uint32_t x, uint32_t y, uint32_t z) {
    CommandBuffer &c = s.commands[commands];
    ExpectedDispatch dispatch;
    dispatch.indirect = indirect;
    dispatch.workgroups[0] = x;
    dispatch.workgroups[1] = y;
    dispatch.workgroups[2] = z;
    for (const auto &[number, bound] : c.sets) {
        if (!bound.set || !bound.set->known)
            return;
        size_t dynamic = 0;
        for (const auto &[binding, descriptors] : bound.set->bindings)
            for (const Descriptor &d : descriptors) {
                const uint32_t offset =
                    is_dynamic(d.type) && dynamic < bound.dynamic_offsets.size() ? bound.dynamic_offsets[dynamic++] : 0;
                if (d.place.handle)
                    dispatch.ranges.push_back({d.place.address + offset, static_cast<uint32_t>(d.place.size)});
            }
    }
    c.dispatches.push_back(std::move(dispatch));
}

VKAPI_ATTR void VKAPI_CALL CmdDispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
    std::lock_guard lock(mutex);
    record_dispatch(state_of(commands), commands, false, x, y, z);
    NEXT(commands, vkCmdDispatch)(commands, x, y, z);
}

VKAPI_ATTR void VKAPI_CALL CmdDispatchBase(VkCommandBuffer commands, uint32_t bx, uint32_t by, uint32_t bz, uint32_t x,
                                           uint32_t y, uint32_t z) {
    std::lock_guard lock(mutex);
    record_dispatch(state_of(commands), commands, false, x, y, z);
    NEXT(commands, vkCmdDispatchBase)(commands, bx, by, bz, x, y, z);
}

VKAPI_ATTR void VKAPI_CALL CmdDispatchIndirect(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset) {
    std::lock_guard lock(mutex);
    record_dispatch(state_of(commands), commands, true, 0, 0, 0);
    NEXT(commands, vkCmdDispatchIndirect)(commands, buffer, offset);
}

VKAPI_ATTR void VKAPI_CALL CmdExecuteCommands(VkCommandBuffer commands, uint32_t count,
                                              const VkCommandBuffer *secondary) {
    std::lock_guard lock(mutex);
    DeviceState &s = state_of(commands);
    for (uint32_t i = 0; i < count; i++) {
        const std::vector<ExpectedDispatch> inner = s.commands[secondary[i]].dispatches;
        auto &outer = s.commands[commands].dispatches;
        outer.insert(outer.end(), inner.begin(), inner.end());
    }
    NEXT(commands, vkCmdExecuteCommands)(commands, count, secondary);
}

void announce(DeviceState &s, VkCommandBuffer commands) {
    Device::instance().expect_dispatches(s.commands[commands].dispatches);
}

// The lock is not held while the driver submits: a submission may wait for another thread.
VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits, VkFence fence) {
    std::unique_lock lock(mutex);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < submits[i].commandBufferCount; c++)
            announce(state_of(queue), submits[i].pCommandBuffers[c]);
    auto next = NEXT(queue, vkQueueSubmit);
    lock.unlock();
    return next(queue, count, submits, fence);
}

VkResult submit2(VkQueue queue, uint32_t count, const VkSubmitInfo2 *submits, VkFence fence, const char *name) {
    std::unique_lock lock(mutex);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < submits[i].commandBufferInfoCount; c++)
            announce(state_of(queue), submits[i].pCommandBufferInfos[c].commandBuffer);
    auto next = state_of(queue).function<PFN_vkQueueSubmit2>(name);
    lock.unlock();
    return next(queue, count, submits, fence);
}
VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2 *submits,
                                            VkFence fence) {
    return submit2(queue, count, submits, fence, "vkQueueSubmit2");
}
VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit2KHR(VkQueue queue, uint32_t count, const VkSubmitInfo2 *submits,
                                               VkFence fence) {
    return submit2(queue, count, submits, fence, "vkQueueSubmit2KHR");
}

// ---- chain ----

template <typename CreateInfo>
auto *link_info(const void *chain, VkStructureType type) {
    auto *info = static_cast<CreateInfo *>(const_cast<void *>(chain));
    while (info && !(info->sType == type && info->function == VK_LAYER_LINK_INFO))
        info = static_cast<CreateInfo *>(const_cast<void *>(info->pNext));
    return info;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *callbacks,
                                              VkInstance *instance) {
    auto *link = link_info<VkLayerInstanceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    const PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    auto create = reinterpret_cast<PFN_vkCreateInstance>(next(nullptr, "vkCreateInstance"));
    const VkResult result = create(info, callbacks, instance);
    if (result == VK_SUCCESS) {
        std::lock_guard lock(mutex);
        instances()[key_of(*instance)] = {
            next, reinterpret_cast<PFN_vkDestroyInstance>(next(*instance, "vkDestroyInstance"))};
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL DestroyInstance(VkInstance instance, const VkAllocationCallbacks *callbacks) {
    if (!instance)
        return;
    std::unique_lock lock(mutex);
    const InstanceLink link = instances()[key_of(instance)];
    instances().erase(key_of(instance));
    lock.unlock();
    link.destroy(instance, callbacks);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                            const VkAllocationCallbacks *callbacks, VkDevice *device) {
    auto *link = link_info<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    const PFN_vkGetInstanceProcAddr next_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    const PFN_vkGetDeviceProcAddr next = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    auto create = reinterpret_cast<PFN_vkCreateDevice>(next_instance(nullptr, "vkCreateDevice"));
    const VkResult result = create(physical, info, callbacks, device);
    if (result == VK_SUCCESS) {
        std::lock_guard lock(mutex);
        auto state = std::make_unique<DeviceState>();
        state->device = *device;
        state->next = next;
        devices()[key_of(*device)] = std::move(state);
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL DestroyDevice(VkDevice device, const VkAllocationCallbacks *callbacks) {
    if (!device)
        return;
    std::unique_lock lock(mutex);
    auto next = NEXT(device, vkDestroyDevice);
    devices().erase(key_of(device));
    lock.unlock();
    next(device, callbacks);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance, const char *name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char *name);

struct Entry {
    const char *name;
    PFN_vkVoidFunction function;
    bool of_device;
};
#define ENTRY(name, of_device)                                                                                         \
    { "vk" #name, reinterpret_cast<PFN_vkVoidFunction>(name), of_device }
const Entry entries[] = {ENTRY(GetInstanceProcAddr, false),
                         ENTRY(CreateInstance, false),
                         ENTRY(DestroyInstance, false),
                         ENTRY(CreateDevice, false),
                         ENTRY(GetDeviceProcAddr, true),
                         ENTRY(DestroyDevice, true),
                         ENTRY(AllocateMemory, true),
                         ENTRY(FreeMemory, true),
                         ENTRY(CreateBuffer, true),
                         ENTRY(BindBufferMemory, true),
                         ENTRY(BindBufferMemory2, true),
                         {"vkBindBufferMemory2KHR", reinterpret_cast<PFN_vkVoidFunction>(BindBufferMemory2), true},
                         ENTRY(BindImageMemory, true),
                         ENTRY(BindImageMemory2, true),
                         {"vkBindImageMemory2KHR", reinterpret_cast<PFN_vkVoidFunction>(BindImageMemory2), true},
                         ENTRY(CreateBufferView, true),
                         ENTRY(CreateImageView, true),
                         ENTRY(CreateDescriptorSetLayout, true),
                         ENTRY(AllocateDescriptorSets, true),
                         ENTRY(UpdateDescriptorSets, true),
                         ENTRY(UpdateDescriptorSetWithTemplate, true),
                         {"vkUpdateDescriptorSetWithTemplateKHR",
                          reinterpret_cast<PFN_vkVoidFunction>(UpdateDescriptorSetWithTemplate), true},
                         ENTRY(BeginCommandBuffer, true),
                         ENTRY(CmdBindDescriptorSets, true),
                         ENTRY(CmdDispatch, true),
                         ENTRY(CmdDispatchBase, true),
                         ENTRY(CmdDispatchIndirect, true),
                         ENTRY(CmdExecuteCommands, true),
                         ENTRY(QueueSubmit, true),
                         ENTRY(QueueSubmit2, true),
                         ENTRY(QueueSubmit2KHR, true)};

PFN_vkVoidFunction find_entry(const char *name, bool device_only) {
    for (const Entry &e : entries)
        if (!std::strcmp(e.name, name) && (e.of_device || !device_only))
            return e.function;
    return nullptr;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance, const char *name) {
    if (PFN_vkVoidFunction own = find_entry(name, false))
        return own;
    std::lock_guard lock(mutex);
    return instance ? instances().at(key_of(instance)).next(instance, name) : nullptr;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char *name) {
    std::unique_lock lock(mutex);
    const PFN_vkGetDeviceProcAddr next = state_of(device).next;
    lock.unlock();
    const PFN_vkVoidFunction below = next(device, name);
    PFN_vkVoidFunction own = below ? find_entry(name, true) : nullptr;
    return own ? own : below;
}

// Adds a value to a list in the environment.
void add_to_list(const char *variable, const std::string &value) {
    const char *old = std::getenv(variable);
    if (old && std::strstr(old, value.c_str()))
        return;
    setenv(variable, (old && *old ? value + ":" + old : value).c_str(), 1);
}

// Tells the Vulkan loader of this program about the layer, before it looks.
__attribute__((constructor)) void enable_layer() {
    // The same settings that the device reads later; wrong ones are reported then.
    const bool wanted = std::getenv("V3DSIM_CHECK") || std::getenv("V3DSIM_STATS") || std::getenv("V3DSIM_TRACE");
    Dl_info self;
    if (!wanted || !dladdr(reinterpret_cast<void *>(enable_layer), &self) || !self.dli_fname)
        return;
    const std::string path = self.dli_fname;
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos)
        return;
    add_to_list("VK_ADD_LAYER_PATH", path.substr(0, slash));
    add_to_list("VK_INSTANCE_LAYERS", layer_name);
    // Memory that the driver takes out of its cache would not be poisoned again.
    if (std::getenv("V3DSIM_CHECK"))
        setenv("V3DV_MAX_BO_CACHE_SIZE", "0", 1);
}

} // namespace

extern "C" __attribute__((visibility("default"))) VkResult
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *version) {
    version->loaderLayerInterfaceVersion = std::min(version->loaderLayerInterfaceVersion, 2u);
    version->pfnGetInstanceProcAddr = GetInstanceProcAddr;
    version->pfnGetDeviceProcAddr = GetDeviceProcAddr;
    version->pfnGetPhysicalDeviceProcAddr = nullptr;
    return VK_SUCCESS;
}
