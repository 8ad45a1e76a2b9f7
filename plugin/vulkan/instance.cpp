// SPDX-License-Identifier: BSD-2-Clause
#include "vulkan/instance.h"

#include <mutex>

namespace dd {
namespace {

std::unique_ptr<VulkanInstance> make_instance(std::string &why) {
    auto instance = std::make_unique<VulkanInstance>();
    instance->loader = VulkanLoader::open();
    if (!instance->loader) {
        why = "there is no Vulkan loader (libvulkan.so.1)";
        return nullptr;
    }
    const VulkanLoader &loader = *instance->loader;
    std::uint32_t version = 0;
    if (loader.EnumerateInstanceVersion(&version) != VK_SUCCESS || version < VK_API_VERSION_1_2) {
        why = "the Vulkan loader is older than 1.2";
        return nullptr;
    }
    VkApplicationInfo application = {};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.pApplicationName = "daedalus";
    application.apiVersion = VK_API_VERSION_1_2;
    VkInstanceCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info.pApplicationInfo = &application;
    const VkResult result = loader.CreateInstance(&info, nullptr, &instance->handle);
    if (result != VK_SUCCESS) {
        why = std::string("Vulkan can't be started: ") + vk_result_text(result);
        return nullptr;
    }
    if (instance->api.load(loader, instance->handle))
        return instance;
    why = "the Vulkan loader lacks functions";
    if (instance->api.DestroyInstance)
        instance->api.DestroyInstance(instance->handle, nullptr);
    return nullptr;
}

} // namespace

const VulkanInstance *process_instance(std::string &why) {
    static std::mutex mutex;
    static VulkanInstance *instance = nullptr; // never destroyed: drivers may be gone before statics are
    const std::lock_guard lock(mutex);
    if (!instance)
        instance = make_instance(why).release();
    return instance;
}

} // namespace dd
