// SPDX-License-Identifier: BSD-2-Clause
#include "vulkan/pipelines.h"

#include "common/records.h"
#include "embedded.h"
#include "vulkan/device.h"
#include "vulkan/pipeline_store.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <functional>
#include <iterator>
#include <system_error>
#include <thread>

namespace dd {
namespace {

std::array<VkDescriptorSetLayoutBinding, kBindings> make_bindings() {
    std::array<VkDescriptorSetLayoutBinding, kBindings> bindings{};
    for (unsigned i = 0; i < kBindings; i++) {

        bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    }
    return bindings;
}

} // namespace

unsigned kernel_index(std::string_view name) {
    const auto kernels = embedded_kernels();
    const auto found = std::ranges::lower_bound(kernels, name, {}, &EmbeddedKernel::name);
    assert(found != kernels.end() && found->name == name);
    return static_cast<unsigned>(found - kernels.begin());
}

Pipelines::~Pipelines() {
    const DeviceApi &vk = device_.vk();
    for (const Slot &slot : slots_)
        vk.DestroyPipeline(device_.handle(), slot.pipeline, nullptr);
    vk.DestroyPipelineLayout(device_.handle(), layout_, nullptr);
    vk.DestroyDescriptorSetLayout(device_.handle(), set_layout_, nullptr);
}

VkResult Pipelines::init() {
    const DeviceApi &vk = device_.vk();
    slots_ = std::vector<Slot>(embedded_kernels().size());
    const auto bindings = make_bindings();
    VkDescriptorSetLayoutCreateInfo set_info = {};
    set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    set_info.bindingCount = kBindings;
    set_info.pBindings = bindings.data();
    VkResult result = vk.CreateDescriptorSetLayout(device_.handle(), &set_info, nullptr, &set_layout_);
    if (result != VK_SUCCESS)
        return result;
    const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, kMaxPushBytes};
    VkPipelineLayoutCreateInfo layout_info = {};
    layout_info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    layout_info.setLayoutCount = 1;
    layout_info.pSetLayouts = &set_layout_;
    layout_info.pushConstantRangeCount = 1;
    layout_info.pPushConstantRanges = &push;
    result = vk.CreatePipelineLayout(device_.handle(), &layout_info, nullptr, &layout_);
    if (result != VK_SUCCESS)
        return result;
    store_ = pipeline_store_path(device_.compiler());
    return VK_SUCCESS;
}

class Pipelines::Cache {
  public:
    // Without one, pipelines are made all the same.
    Cache(VulkanDevice &device, const std::string &kept) : device_(device) {
        VkPipelineCacheCreateInfo info = {};
        info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
        info.initialDataSize = kept.size();
        info.pInitialData = kept.data();
        if (device_.vk().CreatePipelineCache(device_.handle(), &info, nullptr, &handle_) != VK_SUCCESS)
            handle_ = VK_NULL_HANDLE;
    }
    ~Cache() { device_.vk().DestroyPipelineCache(device_.handle(), handle_, nullptr); }
    Cache(const Cache &) = delete;
    Cache &operator=(const Cache &) = delete;
    VkPipelineCache handle() const { return handle_; }

  private:
    VulkanDevice &device_;
    VkPipelineCache handle_ = VK_NULL_HANDLE;
};

std::shared_ptr<Pipelines::Cache> Pipelines::cache() {
    const std::lock_guard lock(cache_mutex_);
    std::shared_ptr<Cache> cache = cache_.lock();
    if (!cache) {
        const std::string kept = load_pipelines(store_);
        kept_ = kept.size();
        cache_ = cache = std::make_shared<Cache>(device_, kept);
    }
    return cache;
}

VkResult Pipelines::prepare(std::span<const unsigned> kernels, unsigned threads, const std::stop_token &stop) {
    std::vector<unsigned> missing;
    std::ranges::copy_if(kernels, std::back_inserter(missing),
                         [this](unsigned kernel) { return slots_[kernel].pipeline == VK_NULL_HANDLE; });
    // Long ones first, so that no thread is left with one of them at the end.
    std::ranges::stable_sort(missing, std::ranges::greater{},
                             [](unsigned kernel) { return embedded_kernels()[kernel].words.size(); });
    if (missing.empty())
        return VK_SUCCESS;
    const std::shared_ptr<Cache> shared = cache();
    const VkResult result = make_all(missing, threads, stop);
    if (result == VK_SUCCESS)
        keep(shared->handle());
    return result;
}

VkResult Pipelines::make_all(std::span<const unsigned> kernels, unsigned threads, const std::stop_token &stop) {
    std::atomic<std::size_t> next{0};
    std::atomic<VkResult> failure{VK_SUCCESS};
    const auto work = [&] {
        while (!stop.stop_requested() && failure == VK_SUCCESS) {
            const std::size_t i = next++;
            if (i >= kernels.size())
                return;
            if (const VkResult result = make(kernels[i]); result != VK_SUCCESS)
                failure = result;
        }
    };
    std::vector<std::jthread> helpers;
    try {
        for (std::size_t i = 1; i < std::min<std::size_t>(threads, kernels.size()); i++)
            helpers.emplace_back(work);
    } catch (const std::system_error &) {
        // As many as there are.
    }
    work();
    helpers.clear();
    return failure;
}

void Pipelines::keep(VkPipelineCache cache) {
    constexpr std::size_t empty = sizeof(VkPipelineCacheHeaderVersionOne); // as llvmpipe's is
    std::size_t bytes = 0;
    const auto get = device_.vk().GetPipelineCacheData;
    if (store_.empty() || !cache || get(device_.handle(), cache, &bytes, nullptr) != VK_SUCCESS || bytes == kept_ ||
        bytes <= empty)
        return;
    std::string data(bytes, '\0');
    if (get(device_.handle(), cache, &bytes, data.data()) != VK_SUCCESS)
        return;
    data.resize(bytes);
    save_pipelines(store_, data);
    kept_ = bytes;
}

bool Pipelines::all_made(std::span<const unsigned> kernels) const {
    return std::ranges::all_of(kernels, [this](unsigned kernel) { return slots_[kernel].pipeline != VK_NULL_HANDLE; });
}

VkPipeline Pipelines::get(unsigned kernel) {
    return make(kernel) == VK_SUCCESS ? slots_[kernel].pipeline.load() : VK_NULL_HANDLE;
}

VkResult Pipelines::make(unsigned kernel) {
    Slot &slot = slots_[kernel];
    if (slot.pipeline)
        return VK_SUCCESS;
    const std::lock_guard lock(slot.making);
    if (slot.pipeline)
        return VK_SUCCESS;
    if (device_.fails(Fault::pipeline))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkResult result = create(kernel, pipeline);
    if (result == VK_SUCCESS)
        slot.pipeline = pipeline;
    return result;
}

VkResult Pipelines::create(unsigned kernel, VkPipeline &pipeline) {
    const DeviceApi &vk = device_.vk();
    const auto words = embedded_kernels()[kernel].words;
    VkShaderModuleCreateInfo module_info = {};
    module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    module_info.codeSize = words.size_bytes();
    module_info.pCode = words.data();
    VkShaderModule module = VK_NULL_HANDLE;
    VkResult result = vk.CreateShaderModule(device_.handle(), &module_info, nullptr, &module);
    if (result != VK_SUCCESS)
        return result;
    VkComputePipelineCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.layout = layout_;
    result = vk.CreateComputePipelines(device_.handle(), cache()->handle(), 1, &info, nullptr, &pipeline);
    vk.DestroyShaderModule(device_.handle(), module, nullptr);
    return result;
}

} // namespace dd
