// SPDX-License-Identifier: BSD-2-Clause
#include "vulkan/slot.h"

#include "batch/capacity.h"

#include <algorithm>

namespace dd {
namespace {

constexpr auto kSlice = std::chrono::milliseconds(100);
// Even while others make progress, no wait is endless.
constexpr int kLongestWait = 16;

bool fits(const Buffer &buffer, VkDeviceSize needed) {
    return buffer && keeps_capacity(buffer.size(), needed);
}

} // namespace

Slot::~Slot() {
    const DeviceApi &vk = device_.vk();
    vk.DestroyFence(device_.handle(), fence_, nullptr);
    if (commands_) {
        const std::lock_guard lock(device_.submit_mutex);
        vk.FreeCommandBuffers(device_.handle(), device_.command_pool(), 1, &commands_);
    }
}

VkResult Slot::init() {
    const DeviceApi &vk = device_.vk();
    VkResult result;
    {
        const std::lock_guard lock(device_.submit_mutex);
        const VkCommandBufferAllocateInfo buffer = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr,
                                                    device_.command_pool(), VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
        result = vk.AllocateCommandBuffers(device_.handle(), &buffer, &commands_);
    }
    if (result != VK_SUCCESS)
        return result;
    VkFenceCreateInfo fence = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
    return vk.CreateFence(device_.handle(), &fence, nullptr, &fence_);
}

VkDeviceSize Slot::upload_bytes(const std::array<const PhaseWork *, 2> &phases) {
    return upload_capacity(phases[kRecon]) + upload_capacity(phases[kFilter]);
}

VkResult Slot::reserve(const std::array<const PhaseWork *, 2> &phases) {
    const VkDeviceSize needed = upload_bytes(phases);
    upload_at_ = {0, upload_capacity(phases[kRecon])};
    if (const VkResult result = phases[0] ? reserve_residuals(*phases[0]) : VK_SUCCESS; result != VK_SUCCESS)
        return result;
    return fits(upload_, needed) ? VK_SUCCESS : allocate(most_capacity(needed), MemoryUse::upload, upload_);
}

VkResult Slot::reserve_residuals(const PhaseWork &work) {
    if (!work.residual_bytes || keeps_capacity(residuals_.size(), work.residual_bytes, work.most_residual_bytes))
        return VK_SUCCESS;
    return allocate(most_capacity(work.residual_bytes), MemoryUse::local, residuals_);
}

// More than is needed is no reason to fail.
VkDeviceSize Slot::most_capacity(VkDeviceSize needed) const {
    return std::min<VkDeviceSize>(capacity_for(needed),
                                  std::max<VkDeviceSize>(needed, device_.work_limits().residual_bytes));
}

VkResult Slot::allocate(VkDeviceSize size, MemoryUse use, Buffer &buffer) {
    buffer = Buffer();
    if (size > device_.work_limits().residual_bytes)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    return Buffer::make(device_, size, use, buffer);
}

VkResult Slot::submit(const SubmitInput &input) {
    if (device_.given_up())
        return VK_ERROR_DEVICE_LOST;
    VkResult result = flush_pictures(input);
    if (result == VK_SUCCESS)
        result = upload_.flush();
    if (result != VK_SUCCESS)
        return result;
    // Before the lock is taken: a compiler may run for long.
    if (!pipelines_exist(input))
        return VK_ERROR_OUT_OF_HOST_MEMORY;

    const std::lock_guard lock(device_.submit_mutex);
    result = record(input);
    if (result != VK_SUCCESS)
        return result;
    VkSubmitInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands_;
    result = device_.queue_submit(info, fence_);
    if (result == VK_ERROR_DEVICE_LOST)
        device_.give_up();
    if (result != VK_SUCCESS)
        return result;
    busy_ = input;
    in_flight_ = true;
    input.dst->cpu_view.submitted();
    grace_ = device_.grace();
    for (const auto &ref : input.ref)
        if (ref && ref->has_copy() && !ref->local_valid)
            ref->local_valid = ref->local_pending = true;
    if (input.dst->has_copy())
        input.dst->local_valid = input.final;
    return VK_SUCCESS;
}

VkResult Slot::flush_pictures(const SubmitInput &input) {
    VkResult result = input.dst->cpu_view.flush(input.cpu_wrote);
    for (const auto &ref : input.ref)
        if (result == VK_SUCCESS && ref && ref->host)
            result = ref->cpu_view.share(false);
    return result;
}

// Makes those that don't.
bool Slot::pipelines_exist(const SubmitInput &input) {
    const auto exists = [this](const Dispatch &dispatch) {
        return device_.pipelines().get(dispatch.kernel) != VK_NULL_HANDLE;
    };
    return std::ranges::all_of(input.phase, [&](const PhaseWork *work) {
        return !work ||
               (std::ranges::all_of(work->dispatches, exists) && (!work->tile_sync || exists(*work->tile_sync)));
    });
}

VkResult Slot::wait() {
    if (!in_flight_)
        return VK_SUCCESS;
    VkResult result = device_.fails(Fault::wait)   ? VK_ERROR_OUT_OF_HOST_MEMORY
                      : device_.fails(Fault::late) ? VK_TIMEOUT
                                                   : wait_for_fence();
    const bool lost = device_.fails(Fault::lost);
    if (lost || result == VK_TIMEOUT || result == VK_ERROR_DEVICE_LOST)
        device_.give_up();
    // A wait that failed for want of memory says nothing of the GPU, which may still be writing.
    const bool known = result == VK_SUCCESS || result == VK_TIMEOUT || result == VK_ERROR_DEVICE_LOST;
    const VkResult end = known ? result : wait_for_fence();
    // A lost device doesn't write any more.
    in_flight_ = end != VK_SUCCESS && end != VK_ERROR_DEVICE_LOST && !lets_go_of_picture();
    if (in_flight_)
        device_.give_up();
    else
        finish(result == VK_SUCCESS && !lost);
    if (lost)
        return VK_ERROR_DEVICE_LOST;
    return result == VK_SUCCESS ? busy_result_ : result;
}

// As long as any work on the device ends within the time, a wait goes on: the queue is shared. On a device that was
// given up the rest of the work gets a last chance.
VkResult Slot::wait_for_fence() {
    using Clock = std::chrono::steady_clock;
    const auto patience = device_.given_up() ? device_.patience() / 4 : device_.patience();
    const auto start = Clock::now();
    auto deadline = start + patience;
    std::uint64_t seen = device_.progress;
    for (;;) {
        const auto slice = std::chrono::nanoseconds(std::min<std::chrono::nanoseconds>(kSlice, patience));
        const VkResult result = device_.vk().WaitForFences(device_.handle(), 1, &fence_, VK_TRUE,
                                                           static_cast<std::uint64_t>(slice.count()));
        if (result != VK_TIMEOUT)
            return result;
        const auto now = Clock::now();
        if (const std::uint64_t progress = device_.progress; progress != seen) {
            seen = progress;
            deadline = now + patience;
        }
        if (now >= deadline || now >= start + kLongestWait * patience)
            return VK_TIMEOUT;
    }
}

// The CPU does the frame again, and what a late GPU writes must not come after that. A software renderer's threads,
// which write by address, aren't kept from other pages there.
bool Slot::lets_go_of_picture() {
    const auto now = std::chrono::nanoseconds::zero();
    if (ends_within(now))
        return true;
    if (device_.info().is_cpu_type || !busy_.dst->host.replace_pages())
        return ends_within(grace_);
    return false;
}

bool Slot::ends_within(std::chrono::nanoseconds time) const {
    return device_.vk().WaitForFences(device_.handle(), 1, &fence_, VK_TRUE,
                                      static_cast<std::uint64_t>(time.count())) != VK_TIMEOUT;
}

bool Slot::done_within(std::chrono::nanoseconds time) const {
    return !in_flight_ || ends_within(time);
}

void Slot::finish(bool worked) {
    device_.progress++;
    busy_result_ = device_.vk().ResetFences(device_.handle(), 1, &fence_);
    if (worked && busy_result_ == VK_SUCCESS)
        busy_result_ = busy_.dst->cpu_view.finished(busy_.final, busy_.cpu_reads);
    else
        busy_.dst->cpu_view.failed();
    {
        const std::lock_guard lock(device_.submit_mutex);
        for (const auto &ref : busy_.ref)
            if (ref)
                ref->local_pending = false;
        if (!worked)
            busy_.dst->local_valid = false;
    }
    busy_ = {};
}

} // namespace dd
