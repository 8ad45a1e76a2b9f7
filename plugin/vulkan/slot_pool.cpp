// SPDX-License-Identifier: BSD-2-Clause
#include "vulkan/slot_pool.h"

#include "vulkan/room.h"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace dd {

VkResult SlotPool::acquire(std::unique_ptr<Slot> &slot, VkDeviceSize coefs) {
    std::vector<Idle> unneeded; // given back without the lock
    {
        const std::lock_guard lock(mutex_);
        acquired_++;
        unneeded = take_unneeded();
        auto found = smallest(coefs);
        if (found == free_.end() || too_good_for(found->slot->coefs().size(), coefs))
            found = largest_below(coefs);
        if (found != free_.end()) {
            slot = take(found);
            return VK_SUCCESS;
        }
    }
    slot = std::make_unique<Slot>(device_);
    return slot->init();
}

void SlotPool::find_upload(Slot &slot, VkDeviceSize bytes) {
    const std::lock_guard lock(mutex_);
    Buffer *best = slot.upload_.size() >= bytes ? &slot.upload_ : nullptr;
    for (const Idle &idle : free_) {
        Buffer &upload = idle.slot->upload_;
        if (upload.size() >= bytes && (!best || upload.size() < best->size()))
            best = &upload;
    }
    if (best)
        std::swap(*best, slot.upload_);
}

std::unique_ptr<Slot> SlotPool::acquire_free(VkDeviceSize coefs) {
    const std::lock_guard lock(mutex_);
    const auto found = smallest(coefs);
    return found == free_.end() ? nullptr : take(found);
}

std::unique_ptr<Slot> SlotPool::take(std::vector<Idle>::iterator idle) {
    std::unique_ptr<Slot> slot = std::move(idle->slot);
    free_.erase(idle);
    return slot;
}

std::vector<SlotPool::Idle>::iterator SlotPool::smallest(VkDeviceSize coefs) {
    auto best = free_.end();
    for (auto idle = free_.begin(); idle != free_.end(); ++idle)
        if (idle->slot->coefs().size() >= coefs && (best == free_.end() || idle->slot->room() < best->slot->room()))
            best = idle;
    return best;
}

std::vector<SlotPool::Idle>::iterator SlotPool::largest_below(VkDeviceSize coefs) {
    auto best = free_.end();
    for (auto idle = free_.begin(); idle != free_.end(); ++idle)
        if (const VkDeviceSize size = idle->slot->coefs().size();
            size < coefs && (best == free_.end() || size > best->slot->coefs().size()))
            best = idle;
    return best;
}

std::vector<SlotPool::Idle> SlotPool::take_unneeded() {
    const auto needed = [this](const Idle &idle) { return !nobody_needs(acquired_ - idle.since); };
    const auto end = std::ranges::find_if(free_, needed); // those that lie idle longest come first
    std::vector<Idle> unneeded(std::make_move_iterator(free_.begin()), std::make_move_iterator(end));
    free_.erase(free_.begin(), end);
    return unneeded;
}

void SlotPool::release(std::unique_ptr<Slot> slot) {
    if (!slot)
        return;
    const std::lock_guard lock(mutex_);
    if (slot->in_flight())
        abandoned_.push_back(std::move(slot));
    else
        free_.push_back({std::move(slot), acquired_});
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
