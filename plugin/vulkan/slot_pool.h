// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include "util/idle_list.h"
#include "vulkan/slot.h"

#include <memory>
#include <mutex>
#include <vector>

namespace dd {

// Slots for all sessions of a device. Some frames need many times as much capacity as most do. Such frames share the
// large slots, of which there are as many as such frames in flight. A slot that is unused for long is given back.
class SlotPool {
  public:
    explicit SlotPool(VulkanDevice &device) : device_(device) {}
    // One whose buffer holds an upload of so many bytes, where such a one is free.
    VkResult acquire(std::unique_ptr<Slot> &slot, VkDeviceSize upload);
    // A slot whose work isn't known to be done is put aside.
    void release(std::unique_ptr<Slot> slot);
    // False: the GPU still holds on to something, which was left as it is; the device can't be destroyed.
    bool close();

  private:
    using Free = std::unique_ptr<Slot>;

    VulkanDevice &device_;
    std::mutex mutex_;
    IdleList<Free> free_;
    std::vector<std::unique_ptr<Slot>> abandoned_;
};

} // namespace dd
