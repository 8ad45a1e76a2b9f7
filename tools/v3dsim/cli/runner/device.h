// SPDX-License-Identifier: BSD-2-Clause
//
// One Vulkan device that creates compute pipelines with the compiler's statistics, and dispatches them.
#pragma once
#include "spirv_interface.h"

#include <vulkan/vulkan.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace v3drun {

void check(VkResult result, const char *what);

class Device {
  public:
    explicit Device(const std::string &name_part);
    ~Device();
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;

    VkDevice handle() const { return device_; }
    VkQueue queue() const { return queue_; }
    VkCommandPool pool() const { return pool_; }
    const std::string &name() const { return name_; }
    std::uint32_t memory_type(std::uint32_t allowed) const;

  private:
    VkInstance instance_ = VK_NULL_HANDLE;
    VkPhysicalDevice physical_ = VK_NULL_HANDLE;
    VkDevice device_ = VK_NULL_HANDLE;
    VkQueue queue_ = VK_NULL_HANDLE;
    VkCommandPool pool_ = VK_NULL_HANDLE;
    std::string name_;

    void choose(const std::string &name_part);
    void create();
};

// Host-visible memory with a buffer on it, mapped.
class Buffer {
  public:
    Buffer(const Device &device, std::size_t bytes);
    ~Buffer();
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;

    VkBuffer handle() const { return buffer_; }
    std::byte *data() const { return data_; }
    std::size_t size() const { return size_; }

  private:
    VkDevice device_;
    std::size_t size_;
    VkBuffer buffer_ = VK_NULL_HANDLE;
    VkDeviceMemory memory_ = VK_NULL_HANDLE;
    std::byte *data_ = nullptr;
};

using Statistics = std::map<std::string, std::uint64_t>;
using Constants = std::map<std::uint32_t, std::uint32_t>;

class Pipeline {
  public:
    Pipeline(const Device &device, const std::vector<std::uint32_t> &spirv, const Constants &constants);
    ~Pipeline();
    Pipeline(const Pipeline &) = delete;
    Pipeline &operator=(const Pipeline &) = delete;

    const SpirvInterface &interface() const { return interface_; }
    Statistics statistics() const;
    void dispatch(const std::map<std::uint32_t, std::unique_ptr<Buffer>> &buffers,
                  const std::vector<std::uint32_t> &push, const std::uint32_t (&groups)[3]) const;

  private:
    const Device &device_;
    SpirvInterface interface_;
    VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
    VkPipelineLayout layout_ = VK_NULL_HANDLE;
    VkPipeline pipeline_ = VK_NULL_HANDLE;

    void create_layouts();
    void create_pipeline(const std::vector<std::uint32_t> &spirv, const Constants &constants);
    VkDescriptorSet bind(VkDescriptorPool pool, const std::map<std::uint32_t, std::unique_ptr<Buffer>> &buffers) const;
    void submit(VkCommandBuffer commands) const;
};

} // namespace v3drun
