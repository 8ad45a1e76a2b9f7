// SPDX-License-Identifier: BSD-2-Clause
//
// Runs compute programs on whatever Vulkan device there is, so that their results on two devices can be compared.
// Reads a list of JSON objects, one a line:
//   {"spirv": FILE, "groups": [x, y, z], "push": [words …],
//    "buffers": [{"type": "storage" | "uniform" | "texels" | "image", "bytes": n, "offset": o, "range": r,
//                 "seed": s, "fill": word, "written": n, "format": VkFormat, "width": w, "height": h}, …],
//    "copy": [{"from": i, "to": j, "bytes": n, "at": a, "to_at": b}],
//    "fill": [{"to": j, "bytes": n, "at": a, "word": w}],
//    "out": FILE}
// Binding i of set 0 is buffer i. A buffer starts with "written" (default: all) bytes from the generator of "seed"
// (or with "fill"); the rest is not touched. "range": bytes that are bound, from "offset". Copies and fills come
// after the dispatch. "out" receives all buffers, one after the other.
#include <vulkan/vulkan.h>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using nlohmann::json;

namespace {

void check(VkResult result, const char *what) {
    if (result != VK_SUCCESS)
        throw std::runtime_error(std::string(what) + ": VkResult " + std::to_string(result));
}
#define CHECK(call) check(call, #call)

template <typename T>
T make(VkStructureType type) {
    T info{};
    info.sType = type;
    return info;
}

std::vector<char> read_file(const std::string &name) {
    std::ifstream in(name, std::ios::binary);
    if (!in)
        throw std::runtime_error("cannot read " + name);
    return {std::istreambuf_iterator<char>(in), {}};
}

struct Device {
    VkInstance instance{};
    VkPhysicalDevice physical{};
    VkDevice device{};
    VkQueue queue{};
    VkCommandPool pool{};

    Device() {
        auto application = make<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
        application.apiVersion = VK_API_VERSION_1_2;
        auto info = make<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
        info.pApplicationInfo = &application;
        CHECK(vkCreateInstance(&info, nullptr, &instance));
        uint32_t count = 1;
        vkEnumeratePhysicalDevices(instance, &count, &physical);
        if (count == 0)
            throw std::runtime_error("no Vulkan device");
        create_device();
        auto commands = make<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
        CHECK(vkCreateCommandPool(device, &commands, nullptr, &pool));
    }
    ~Device() {
        vkDestroyCommandPool(device, pool, nullptr);
        vkDestroyDevice(device, nullptr);
        vkDestroyInstance(instance, nullptr);
    }

    void create_device() {
        const float priority = 1;
        auto queue_info = make<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
        queue_info.queueCount = 1;
        queue_info.pQueuePriorities = &priority;
        auto bits8 = make<VkPhysicalDevice8BitStorageFeatures>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES);
        auto bits16 =
            make<VkPhysicalDevice16BitStorageFeatures>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES);
        bits8.storageBuffer8BitAccess = VK_TRUE;
        bits16.storageBuffer16BitAccess = VK_TRUE;
        bits16.pNext = &bits8;
        auto info = make<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
        info.pNext = &bits16;
        info.queueCreateInfoCount = 1;
        info.pQueueCreateInfos = &queue_info;
        CHECK(vkCreateDevice(physical, &info, nullptr, &device));
        vkGetDeviceQueue(device, 0, 0, &queue);
    }
};

// A generator that any language can repeat: splitmix64, low byte of each value.
struct Bytes {
    uint64_t state;
    uint8_t next() {
        uint64_t z = state += 0x9e3779b97f4a7c15ull;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ z >> 27) * 0x94d049bb133111ebull;
        return static_cast<uint8_t>(z ^ z >> 31);
    }
};

VkDescriptorType descriptor_type(const std::string &type) {
    if (type == "uniform")
        return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    if (type == "texels")
        return VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    if (type == "storage texels")
        return VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
    if (type == "image")
        return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    if (type == "sampled")
        return VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

// One binding: a buffer (with a view, if it holds texels) or an image.
struct Binding {
    Device &d;
    json spec;
    VkDescriptorType type;
    VkBuffer buffer{};
    VkImage image{};
    VkDeviceMemory memory{};
    VkBufferView buffer_view{};
    VkImageView image_view{};
    uint8_t *map = nullptr;
    VkDeviceSize bytes = 0;

    Binding(Device &device, const json &s) : d(device), spec(s), type(descriptor_type(s.value("type", "storage"))) {
        if (type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE || type == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE)
            make_image();
        else
            make_buffer();
    }
    ~Binding() {
        vkDestroyImageView(d.device, image_view, nullptr);
        vkDestroyBufferView(d.device, buffer_view, nullptr);
        vkDestroyImage(d.device, image, nullptr);
        vkDestroyBuffer(d.device, buffer, nullptr);
        vkFreeMemory(d.device, memory, nullptr);
    }

    VkFormat format() const { return static_cast<VkFormat>(spec.value("format", 98)); } // R32_UINT

    void allocate(const VkMemoryRequirements &needs) {
        VkPhysicalDeviceMemoryProperties properties;
        vkGetPhysicalDeviceMemoryProperties(d.physical, &properties);
        auto info = make<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
        info.allocationSize = needs.size;
        const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
        while (!(needs.memoryTypeBits >> info.memoryTypeIndex & 1) ||
               (properties.memoryTypes[info.memoryTypeIndex].propertyFlags & wanted) != wanted)
            info.memoryTypeIndex++;
        CHECK(vkAllocateMemory(d.device, &info, nullptr, &memory));
    }

    void make_buffer() {
        bytes = spec.at("bytes");
        auto info = make<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
        info.size = bytes;
        info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                     VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
                     VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
        CHECK(vkCreateBuffer(d.device, &info, nullptr, &buffer));
        VkMemoryRequirements needs;
        vkGetBufferMemoryRequirements(d.device, buffer, &needs);
        allocate(needs);
        CHECK(vkBindBufferMemory(d.device, buffer, memory, 0));
        CHECK(vkMapMemory(d.device, memory, 0, VK_WHOLE_SIZE, 0, reinterpret_cast<void **>(&map)));
        initialise();
        if (type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER) {
            auto view = make<VkBufferViewCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO);
            view.buffer = buffer;
            view.format = format();
            view.offset = spec.value("offset", 0);
            view.range = spec.value("range", VK_WHOLE_SIZE);
            CHECK(vkCreateBufferView(d.device, &view, nullptr, &buffer_view));
        }
    }

    void initialise() {
        const size_t written = spec.value("written", static_cast<size_t>(bytes));
        if (spec.contains("fill")) {
            const uint32_t word = spec["fill"];
            for (size_t i = 0; i < written; i++)
                map[i] = static_cast<uint8_t>(word >> (8 * (i & 3)));
            return;
        }
        Bytes generator{spec.value("seed", uint64_t{1})};
        for (size_t i = 0; i < written; i++)
            map[i] = generator.next();
    }

    void make_image() {
        auto info = make<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
        info.imageType = VK_IMAGE_TYPE_2D;
        info.format = format();
        info.extent = {spec.at("width"), spec.at("height"), 1};
        info.mipLevels = info.arrayLayers = 1;
        info.samples = VK_SAMPLE_COUNT_1_BIT;
        info.tiling = spec.value("linear", false) ? VK_IMAGE_TILING_LINEAR : VK_IMAGE_TILING_OPTIMAL;
        info.usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
        CHECK(vkCreateImage(d.device, &info, nullptr, &image));
        VkMemoryRequirements needs;
        vkGetImageMemoryRequirements(d.device, image, &needs);
        allocate(needs);
        CHECK(vkBindImageMemory(d.device, image, memory, 0));
        auto view = make<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
        view.image = image;
        view.viewType = VK_IMAGE_VIEW_TYPE_2D;
        view.format = info.format;
        view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        CHECK(vkCreateImageView(d.device, &view, nullptr, &image_view));
    }
};

// An image has no contents that could be compared; what it holds shows in the buffers that a kernel writes.
class Run {
  public:
    Run(Device &device, const json &spec) : d_(device), spec_(spec) {
        for (const json &b : spec.at("buffers"))
            bindings_.push_back(std::make_unique<Binding>(d_, b));
        make_pipeline();
        make_set();
    }
    ~Run() {
        vkDestroyDescriptorPool(d_.device, descriptors_, nullptr);
        vkDestroyPipeline(d_.device, pipeline_, nullptr);
        vkDestroyPipelineLayout(d_.device, layout_, nullptr);
        vkDestroyDescriptorSetLayout(d_.device, set_layout_, nullptr);
        vkDestroyShaderModule(d_.device, module_, nullptr);
    }

    void execute() {
        auto info = make<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
        info.commandPool = d_.pool;
        info.commandBufferCount = 1;
        VkCommandBuffer commands;
        CHECK(vkAllocateCommandBuffers(d_.device, &info, &commands));
        record(commands);
        auto fence_info = make<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
        VkFence fence;
        CHECK(vkCreateFence(d_.device, &fence_info, nullptr, &fence));
        auto submit = make<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
        submit.commandBufferCount = 1;
        submit.pCommandBuffers = &commands;
        CHECK(vkQueueSubmit(d_.queue, 1, &submit, fence));
        CHECK(vkWaitForFences(d_.device, 1, &fence, VK_TRUE, UINT64_MAX));
        CHECK(vkQueueWaitIdle(d_.queue));
        vkDestroyFence(d_.device, fence, nullptr);
        vkFreeCommandBuffers(d_.device, d_.pool, 1, &commands);
    }

    void write(const std::string &name) const {
        std::ofstream out(name, std::ios::binary);
        for (const auto &b : bindings_)
            if (b->map)
                out.write(reinterpret_cast<const char *>(b->map), static_cast<std::streamsize>(b->bytes));
        if (!out)
            throw std::runtime_error("cannot write " + name);
    }

  private:
    void make_pipeline() {
        const std::vector<char> code = read_file(spec_.at("spirv"));
        auto module = make<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
        module.codeSize = code.size();
        module.pCode = reinterpret_cast<const uint32_t *>(code.data());
        CHECK(vkCreateShaderModule(d_.device, &module, nullptr, &module_));
        std::vector<VkDescriptorSetLayoutBinding> slots;
        for (size_t i = 0; i < bindings_.size(); i++)
            slots.push_back({static_cast<uint32_t>(i), bindings_[i]->type, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
        auto set = make<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
        set.bindingCount = static_cast<uint32_t>(slots.size());
        set.pBindings = slots.data();
        CHECK(vkCreateDescriptorSetLayout(d_.device, &set, nullptr, &set_layout_));
        push_ = spec_.value("push", std::vector<uint32_t>{});
        const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, static_cast<uint32_t>(4 * push_.size())};
        auto layout = make<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
        layout.setLayoutCount = 1;
        layout.pSetLayouts = &set_layout_;
        layout.pushConstantRangeCount = push_.empty() ? 0 : 1;
        layout.pPushConstantRanges = &range;
        CHECK(vkCreatePipelineLayout(d_.device, &layout, nullptr, &layout_));
        auto pipeline = make<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
        pipeline.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
        pipeline.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        pipeline.stage.module = module_;
        pipeline.stage.pName = "main";
        pipeline.layout = layout_;
        CHECK(vkCreateComputePipelines(d_.device, VK_NULL_HANDLE, 1, &pipeline, nullptr, &pipeline_));
    }

    void make_set() {
        std::vector<VkDescriptorPoolSize> sizes;
        for (const auto &b : bindings_)
            sizes.push_back({b->type, 1});
        auto pool = make<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
        pool.maxSets = 1;
        pool.poolSizeCount = static_cast<uint32_t>(sizes.size());
        pool.pPoolSizes = sizes.data();
        CHECK(vkCreateDescriptorPool(d_.device, &pool, nullptr, &descriptors_));
        auto allocate = make<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
        allocate.descriptorPool = descriptors_;
        allocate.descriptorSetCount = 1;
        allocate.pSetLayouts = &set_layout_;
        CHECK(vkAllocateDescriptorSets(d_.device, &allocate, &set_));
        for (size_t i = 0; i < bindings_.size(); i++) {
            const Binding &b = *bindings_[i];
            const VkDescriptorBufferInfo buffer{b.buffer, b.spec.value("offset", VkDeviceSize{0}),
                                                b.spec.value("range", VkDeviceSize{VK_WHOLE_SIZE})};
            const VkDescriptorImageInfo image{VK_NULL_HANDLE, b.image_view, VK_IMAGE_LAYOUT_GENERAL};
            auto write = make<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
            write.dstSet = set_;
            write.dstBinding = static_cast<uint32_t>(i);
            write.descriptorCount = 1;
            write.descriptorType = b.type;
            write.pBufferInfo = &buffer;
            write.pImageInfo = &image;
            write.pTexelBufferView = &b.buffer_view;
            vkUpdateDescriptorSets(d_.device, 1, &write, 0, nullptr);
        }
    }

    void barrier(VkCommandBuffer commands) {
        auto all = make<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
        all.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
        all.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
        vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1,
                             &all, 0, nullptr, 0, nullptr);
    }

    void record(VkCommandBuffer commands) {
        auto begin = make<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
        CHECK(vkBeginCommandBuffer(commands, &begin));
        for (const auto &b : bindings_) {
            if (!b->image)
                continue;
            auto to_general = make<VkImageMemoryBarrier>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER);
            to_general.newLayout = VK_IMAGE_LAYOUT_GENERAL;
            to_general.image = b->image;
            to_general.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
            vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0,
                                 0, nullptr, 0, nullptr, 1, &to_general);
        }
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set_, 0, nullptr);
        const std::vector<uint32_t> groups = spec_.at("groups");
        const unsigned repeats =
            spec_.value("repeat", 1u); // with the number of the repetition as the first push constant
        for (unsigned i = 0; i < repeats; i++) {
            if (repeats > 1 && !push_.empty())
                push_[0] = i;
            if (!push_.empty())
                vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                   static_cast<uint32_t>(4 * push_.size()), push_.data());
            if (spec_.contains("indirect")) // index of the buffer that starts with the workgroup counts
                vkCmdDispatchIndirect(commands, bindings_.at(spec_["indirect"])->buffer, 0);
            else
                vkCmdDispatch(commands, groups.at(0), groups.at(1), groups.at(2));
            barrier(commands);
        }
        for (const json &c : spec_.value("copy", json::array())) {
            const VkBufferCopy region{c.value("at", VkDeviceSize{0}), c.value("to_at", VkDeviceSize{0}), c.at("bytes")};
            vkCmdCopyBuffer(commands, bindings_.at(c.at("from"))->buffer, bindings_.at(c.at("to"))->buffer, 1, &region);
            barrier(commands);
        }
        for (const json &f : spec_.value("fill", json::array())) {
            vkCmdFillBuffer(commands, bindings_.at(f.at("to"))->buffer, f.value("at", VkDeviceSize{0}), f.at("bytes"),
                            f.at("word"));
            barrier(commands);
        }
        CHECK(vkEndCommandBuffer(commands));
    }

    Device &d_;
    const json spec_;
    std::vector<std::unique_ptr<Binding>> bindings_;
    std::vector<uint32_t> push_;
    VkShaderModule module_{};
    VkDescriptorSetLayout set_layout_{};
    VkPipelineLayout layout_{};
    VkPipeline pipeline_{};
    VkDescriptorPool descriptors_{};
    VkDescriptorSet set_{};
};

} // namespace

int main(int argc, char **argv) {
    if (argc != 2) {
        std::cerr << "usage: v3dsim-dispatch LIST\n";
        return 2;
    }
    std::string current = "start";
    try {
        std::ifstream list(argv[1]);
        if (!list)
            throw std::runtime_error(std::string("cannot read ") + argv[1]);
        Device device;
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(device.physical, &properties);
        std::cout << "device: " << properties.deviceName << std::endl;
        for (std::string line; std::getline(list, line);) {
            const json spec = json::parse(line);
            current = spec.at("spirv");
            Run run(device, spec);
            run.execute();
            run.write(spec.at("out"));
            std::cout << "done: " << current << std::endl;
        }
    } catch (const std::exception &e) {
        std::cerr << current << ": " << e.what() << std::endl;
        return 1;
    }
    return 0;
}
