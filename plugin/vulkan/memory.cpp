// SPDX-License-Identifier: BSD-2-Clause
#include "vulkan/memory.h"
#include "util/pages.h"
#include "vulkan/device.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace dd {
namespace {

constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kVisible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
constexpr VkMemoryPropertyFlags kCoherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

// What each use wants of its memory, best first. The last row of each always exists where the use is allowed.
std::vector<VkMemoryPropertyFlags> wishes(MemoryUse use) {
    switch (use) {
    case MemoryUse::picture:
        return {kLocal | kVisible | kCoherent | kCached, kVisible | kCoherent | kCached, kVisible | kCached,
                kVisible | kCoherent};
    case MemoryUse::local:
        return {kLocal, 0};
    case MemoryUse::upload:
        return {kLocal | kVisible | kCoherent, kVisible | kCoherent};
    }
    return {};
}

constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                                      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
constexpr auto kDmaBuf = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
constexpr auto kHostMemory = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;

bool has_type(const VkPhysicalDeviceMemoryProperties &memory, VkMemoryPropertyFlags flags) {
    return std::any_of(memory.memoryTypes, memory.memoryTypes + memory.memoryTypeCount,
                       [flags](const VkMemoryType &type) { return (type.propertyFlags & flags) == flags; });
}

} // namespace

const char *memory_strategy_name(MemoryStrategy strategy) {
    constexpr const char *names[] = {"unified", "imported", "write-combined", "discrete"};
    return names[static_cast<std::size_t>(strategy)];
}

MemoryStrategy choose_memory_strategy(const VkPhysicalDeviceMemoryProperties &memory, VkPhysicalDeviceType type,
                                      bool import) {
    if (has_type(memory, kLocal | kVisible | kCached) && type != VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU)
        return MemoryStrategy::unified;
    if (has_type(memory, kVisible | kCached))
        return MemoryStrategy::discrete;
    return import ? MemoryStrategy::imported : MemoryStrategy::write_combined;
}

std::vector<std::uint32_t> memory_types_for(const VkPhysicalDeviceMemoryProperties &memory, MemoryUse use,
                                            std::uint32_t allowed_bits) {
    std::vector<std::uint32_t> types;
    for (const VkMemoryPropertyFlags wish : wishes(use))
        for (std::uint32_t i = 0; i < memory.memoryTypeCount; i++) {
            const VkMemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
            // Protected, lazily allocated and device-uncached types have rules of their own.
            const bool plain = (flags & ~(kLocal | kVisible | kCoherent | kCached)) == 0;
            if (plain && (allowed_bits >> i & 1) && (flags & wish) == wish &&
                std::ranges::find(types, i) == types.end())
                types.push_back(i);
        }
    return types;
}

void Buffer::swap(Buffer &other) noexcept {
    std::swap(device_, other.device_);
    std::swap(buffer_, other.buffer_);
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
    std::swap(coherent_, other.coherent_);
    std::swap(dma_buf_, other.dma_buf_);
    std::swap(replaced_, other.replaced_);
    std::swap(capacity_, other.capacity_);
}

Buffer::~Buffer() {
    if (!device_)
        return;
    device_->vk().DestroyBuffer(device_->handle(), buffer_, nullptr);
    device_->vk().FreeMemory(device_->handle(), memory_, nullptr); // unmaps too
}

// `external`: the kind of memory that isn't Vulkan's own. find(buffer, needs) gives the buffer its memory.
template <typename Find>
VkResult Buffer::make_in(VulkanDevice &device, VkDeviceSize size, VkExternalMemoryHandleTypeFlags external, Find &&find,
                         Buffer &buffer) {
    const DeviceApi &vk = device.vk();
    Buffer made;
    made.device_ = &device;
    made.size_ = size;
    VkExternalMemoryBufferCreateInfo outside = {VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, nullptr,
                                                external};
    VkBufferCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.pNext = external ? &outside : nullptr;
    info.size = size;
    info.usage = kUsage;
    VkResult result = vk.CreateBuffer(device.handle(), &info, nullptr, &made.buffer_);
    if (result != VK_SUCCESS)
        return result;
    VkMemoryRequirements needs;
    vk.GetBufferMemoryRequirements(device.handle(), made.buffer_, &needs);
    result = find(made, needs);
    if (result == VK_SUCCESS)
        result = vk.BindBufferMemory(device.handle(), made.buffer_, made.memory_, 0);
    if (result == VK_SUCCESS)
        buffer = std::move(made);
    return result;
}

VkResult Buffer::make(VulkanDevice &device, VkDeviceSize size, MemoryUse use, Buffer &buffer) {
    if (use == MemoryUse::picture && device.memory_strategy() == MemoryStrategy::imported)
        return make_in(
            device, size, kDmaBuf,
            [](Buffer &made, const VkMemoryRequirements &needs) { return made.import(needs.size); }, buffer);
    const auto allocate = [&](Buffer &made, const VkMemoryRequirements &needs) {
        const auto types = memory_types_for(device.memory_properties(), use, needs.memoryTypeBits);
        return made.allocate(types, use == MemoryUse::picture ? whole_pages(needs.size) : needs.size, use);
    };
    return make_in(device, size, 0, allocate, buffer);
}

VkResult Buffer::adopt(VulkanDevice &device, VkDeviceSize size, std::byte *memory, VkDeviceSize capacity,
                       Buffer &buffer) {
    const VkDeviceSize alignment = device.adopt_alignment();
    if (!alignment || reinterpret_cast<std::uintptr_t>(memory) % alignment || capacity % alignment ||
        device.fails(Fault::adopt))
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    const auto adopt = [&](Buffer &made, const VkMemoryRequirements &needs) {
        return capacity < needs.size ? VK_ERROR_INVALID_EXTERNAL_HANDLE
                                     : made.adopt_pages(memory, capacity, needs.memoryTypeBits);
    };
    return make_in(device, size, kHostMemory, adopt, buffer);
}

VkResult Buffer::allocate(const std::vector<std::uint32_t> &types, VkDeviceSize size, MemoryUse use) {
    const DeviceApi &vk = device_->vk();
    if (device_->fails(Fault::alloc))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    for (const std::uint32_t type : types) {
        VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, size, type};
        result = vk.AllocateMemory(device_->handle(), &info, nullptr, &memory_);
        if (result != VK_SUCCESS)
            continue; // a small heap may be full; the next type may lie in another one
        coherent_ = device_->memory_properties().memoryTypes[type].propertyFlags & kCoherent;
        break;
    }
    if (result != VK_SUCCESS || use == MemoryUse::local)
        return result;
    if (device_->fails(Fault::map))
        return VK_ERROR_MEMORY_MAP_FAILED;
    void *data = nullptr;
    result = vk.MapMemory(device_->handle(), memory_, 0, VK_WHOLE_SIZE, 0, &data);
    data_ = static_cast<std::byte *>(data);
    capacity_ = size;
    return result;
}

// The heap's memory is mapped from its own file, cached; what Vulkan would map is not.
VkResult Buffer::import(VkDeviceSize size) {
    const DeviceApi &vk = device_->vk();
    if (device_->fails(Fault::alloc))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    // v3dv rounds sizes up to its pages and refuses a dma-buf that is smaller than that.
    capacity_ = whole_pages(size) + page_size();
    dma_buf_ = DmaBuf::allocate(capacity_);
    if (!dma_buf_)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (device_->fails(Fault::map))
        return VK_ERROR_MEMORY_MAP_FAILED;
    data_ = dma_buf_->data();

    VkMemoryFdPropertiesKHR properties = {VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR, nullptr, 0};
    VkResult result = vk.GetMemoryFdPropertiesKHR(device_->handle(), kDmaBuf, dma_buf_->file(), &properties);
    if (result != VK_SUCCESS)
        return result;
    const auto types = memory_types_for(device_->memory_properties(), MemoryUse::local, properties.memoryTypeBits);
    const int given = types.empty() ? -1 : fcntl(dma_buf_->file(), F_DUPFD_CLOEXEC, 0); // Vulkan's after success
    if (given < 0)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    VkMemoryDedicatedAllocateInfo dedicated = {VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, nullptr,
                                               VK_NULL_HANDLE, buffer_};
    VkImportMemoryFdInfoKHR import = {VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, &dedicated, kDmaBuf, given};
    VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &import, size, types.front()};
    result = vk.AllocateMemory(device_->handle(), &info, nullptr, &memory_);
    if (result != VK_SUCCESS)
        close(given);
    return result;
}

VkResult Buffer::adopt_pages(std::byte *memory, VkDeviceSize capacity, std::uint32_t allowed_bits) {
    const DeviceApi &vk = device_->vk();
    VkMemoryHostPointerPropertiesEXT properties = {VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT, nullptr, 0};
    VkResult result = vk.GetMemoryHostPointerPropertiesEXT(device_->handle(), kHostMemory, memory, &properties);
    if (result != VK_SUCCESS)
        return result;
    // It isn't mapped, so that it can't be flushed.
    const VkPhysicalDeviceMemoryProperties &all = device_->memory_properties();
    const auto types = memory_types_for(all, MemoryUse::picture, properties.memoryTypeBits & allowed_bits);
    const auto type =
        std::ranges::find_if(types, [&](std::uint32_t t) { return all.memoryTypes[t].propertyFlags & kCoherent; });
    if (type == types.end())
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    VkImportMemoryHostPointerInfoEXT import = {VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, nullptr,
                                               kHostMemory, memory};
    VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &import, capacity, *type};
    result = vk.AllocateMemory(device_->handle(), &info, nullptr, &memory_);
    data_ = memory;
    capacity_ = capacity;
    return result;
}

VkResult Buffer::flush() const {
    if (device_->fails(Fault::sync))
        return VK_ERROR_MEMORY_MAP_FAILED;
    if (dma_buf_)
        return dma_buf_->end_cpu_access() ? VK_SUCCESS : VK_ERROR_MEMORY_MAP_FAILED;
    if (coherent_)
        return VK_SUCCESS;
    VkMappedMemoryRange range = {VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory_, 0, VK_WHOLE_SIZE};
    return device_->vk().FlushMappedMemoryRanges(device_->handle(), 1, &range);
}

VkResult Buffer::invalidate() const {
    if (device_->fails(Fault::sync))
        return VK_ERROR_MEMORY_MAP_FAILED;
    if (dma_buf_)
        return dma_buf_->begin_cpu_access() ? VK_SUCCESS : VK_ERROR_MEMORY_MAP_FAILED;
    if (coherent_)
        return VK_SUCCESS;
    VkMappedMemoryRange range = {VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory_, 0, VK_WHOLE_SIZE};
    return device_->vk().InvalidateMappedMemoryRanges(device_->handle(), 1, &range);
}

bool Buffer::replace_pages() {
    if (!data_ || reinterpret_cast<std::uintptr_t>(data_) % page_size() || capacity_ % page_size())
        return false;
    void *fresh = fresh_pages(capacity_);
    if (!fresh)
        return false;
    std::memcpy(fresh, data_, size_);
    if (mremap(fresh, capacity_, capacity_, MREMAP_MAYMOVE | MREMAP_FIXED, data_) != MAP_FAILED) {
        replaced_ = std::move(dma_buf_);
        return true;
    }
    munmap(fresh, capacity_);
    return false;
}

} // namespace dd
