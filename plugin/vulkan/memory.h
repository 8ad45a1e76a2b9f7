// SPDX-License-Identifier: BSD-2-Clause
//
// Buffers, and where they live. What kind of memory the device has is found out once, when it is opened.
#pragma once
#include "util/dma_buf.h"
#include "vulkan/api.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace dd {

class VulkanDevice;

enum class MemoryStrategy : std::uint8_t {
    unified,        // one copy, host-visible and cached: integrated GPUs, llvmpipe
    imported,       // one copy, in cached memory of a dma-heap that the GPU imports: V3D
    write_combined, // one copy that the CPU reads without a cache: works, slowly
    discrete,       // a device-local working copy and a cached copy for the CPU
};
const char *memory_strategy_name(MemoryStrategy strategy);

enum class MemoryUse : std::uint8_t {
    picture, // what the CPU sees of a picture
    local,   // working copy that the CPU never touches
    upload,  // written once by the CPU, front to back, never read by it
};

// The best strategy of a device. `import`: a dma-heap is there and the device can import from it.
MemoryStrategy choose_memory_strategy(const VkPhysicalDeviceMemoryProperties &memory, VkPhysicalDeviceType type,
                                      bool import);

// Memory types of a use, best first.
std::vector<std::uint32_t> memory_types_for(const VkPhysicalDeviceMemoryProperties &memory, MemoryUse use,
                                            std::uint32_t allowed_bits);

// A buffer with its memory; mapped for its whole life where the CPU uses it.
class Buffer {
  public:
    Buffer() = default;
    Buffer(Buffer &&other) noexcept { swap(other); }
    Buffer &operator=(Buffer &&other) noexcept {
        swap(other);
        return *this;
    }
    ~Buffer();

    static VkResult make(VulkanDevice &device, VkDeviceSize size, MemoryUse use, Buffer &buffer);
    // In whole pages of plain memory, `capacity` bytes, which have to be there as long as the buffer. Fails where the
    // device can't do that.
    static VkResult adopt(VulkanDevice &device, VkDeviceSize size, std::byte *memory, VkDeviceSize capacity,
                          Buffer &buffer);

    explicit operator bool() const { return buffer_ != VK_NULL_HANDLE; }
    VkBuffer handle() const { return buffer_; }
    VkDeviceSize size() const { return size_; }
    std::byte *data() const { return data_; }
    // Between the CPU's writes and the GPU's reads, and the other way round. Nothing to do on coherent memory.
    VkResult flush() const;
    VkResult invalidate() const;
    // The CPU gets other pages at the same address, with what these hold: what the GPU writes from here on isn't
    // seen. False: they can't be exchanged, and all stays as it is.
    bool replace_pages();
    // What data() is of; nullptr: other memory.
    const std::shared_ptr<DmaBuf> &dma_buf() const { return dma_buf_; }

  private:
    void swap(Buffer &other) noexcept;
    VkResult allocate(const std::vector<std::uint32_t> &types, VkDeviceSize size, MemoryUse use);
    VkResult import(VkDeviceSize size);
    VkResult adopt_pages(std::byte *memory, VkDeviceSize capacity, std::uint32_t allowed_bits);
    template <typename Find>
    static VkResult make_in(VulkanDevice &device, VkDeviceSize size, VkExternalMemoryHandleTypeFlags external,
                            Find &&find, Buffer &buffer);

    VulkanDevice *device_ = nullptr;
    VkBuffer buffer_ = VK_NULL_HANDLE;
    VkDeviceMemory memory_ = VK_NULL_HANDLE;
    VkDeviceSize size_ = 0;
    std::byte *data_ = nullptr;
    bool coherent_ = true;
    std::shared_ptr<DmaBuf> dma_buf_;
    std::shared_ptr<DmaBuf> replaced_; // its pages are elsewhere, and data_ is mapped where it was
    VkDeviceSize capacity_ = 0;        // bytes from data_ that are this buffer's alone
};

} // namespace dd
