// SPDX-License-Identifier: BSD-2-Clause
#include "vulkan/slot_pool.h"

#include <algorithm>
#include <chrono>

namespace dd {

VkResult SlotPool::acquire(std::unique_ptr<Slot> &slot, VkDeviceSize upload) {
    const auto capacity = [](const Free &free) { return free->upload_.size(); };
    std::vector<Free> unneeded; // given back without the lock
    {
        const std::lock_guard lock(mutex_);
        unneeded = free_.want();
        const auto found = free_.fitting(upload, capacity);
        if (found != free_.end()) {
            slot = free_.take(found);
            return VK_SUCCESS;
        }
    }
    auto made = std::make_unique<Slot>(device_);
    const VkResult result = made->init();
    if (result == VK_SUCCESS)
        slot = std::move(made);
    return result;
}

void SlotPool::release(std::unique_ptr<Slot> slot) {
    if (!slot)
        return;
    const std::lock_guard lock(mutex_);
    if (slot->in_flight())
        abandoned_.push_back(std::move(slot));
    else
        free_.give(std::move(slot));
}

bool SlotPool::close() {
    const std::lock_guard lock(mutex_);
    free_.clear();
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + device_.closing_grace(); // for all of them: there is one queue
    std::erase_if(abandoned_, [deadline](const std::unique_ptr<Slot> &slot) {
        return slot->done_within(std::max(deadline - Clock::now(), Clock::duration::zero()));
    });
    if (abandoned_.empty())
        return true;
    for (std::unique_ptr<Slot> &slot : abandoned_)
        static_cast<void>(slot.release());
    abandoned_.clear();
    return false;
}

} // namespace dd
