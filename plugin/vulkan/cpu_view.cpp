// SPDX-License-Identifier: BSD-2-Clause
#include "vulkan/cpu_view.h"

namespace dd {

void CpuView::reuse() {
    const std::lock_guard lock(mutex_);
    dirty_ = dirty_ || !stale_; // a program may write to what it was given
    stale_ = decoded_ = in_frame_ = wanted_ = false;
}

void CpuView::begin_frame() {
    const std::lock_guard lock(mutex_);
    decoded_ = in_frame_ = true;
}

VkResult CpuView::flush(bool cpu_wrote) {
    const std::lock_guard lock(mutex_);
    return dirty_ || cpu_wrote ? write_back() : VK_SUCCESS;
}

// Until the GPU has completed a frame the CPU may write its picture, and may be done before end_frame() is called.
VkResult CpuView::share(bool cpu_wrote) {
    const std::lock_guard lock(mutex_);
    return dirty_ || cpu_wrote || in_frame_ || !decoded_ ? write_back() : VK_SUCCESS;
}

VkResult CpuView::write_back() {
    const VkResult result = buffer_.flush();
    dirty_ = result != VK_SUCCESS;
    return result;
}

void CpuView::submitted() {
    const std::lock_guard lock(mutex_);
    in_flight_ = true;
}

VkResult CpuView::finished(bool complete, bool reads) {
    const std::lock_guard lock(mutex_);
    in_flight_ = false;
    stale_ = true;
    const bool wanted = reads || wanted_ || !complete;
    if (complete)
        in_frame_ = wanted_ = false;
    return wanted ? invalidate() : VK_SUCCESS;
}

void CpuView::failed() {
    const std::lock_guard lock(mutex_);
    in_flight_ = false;
    stale_ = true;
    invalidate(); // where that fails too, the CPU overwrites the lines that it has
}

void CpuView::rerun() {
    const std::lock_guard lock(mutex_);
    in_frame_ = true;
    if (!in_flight_)
        invalidate();
}

void CpuView::end_frame(bool cpu_wrote) {
    const std::lock_guard lock(mutex_);
    // A dropped frame may be one that the GPU has completed: the CPU has to see its pixels.
    if (cpu_wrote ? !in_frame_ : wanted_)
        invalidate();
    dirty_ = dirty_ || cpu_wrote;
    stale_ = stale_ && !cpu_wrote; // to drop lines later would lose what it wrote
    in_frame_ = wanted_ = false;
}

VkResult CpuView::read() {
    const std::lock_guard lock(mutex_);
    if (!in_frame_ && !in_flight_)
        return invalidate();
    wanted_ = true;
    return VK_SUCCESS;
}

VkResult CpuView::invalidate() {
    if (!stale_)
        return VK_SUCCESS;
    const VkResult result = buffer_.invalidate();
    stale_ = result != VK_SUCCESS;
    return result;
}

} // namespace dd
