// SPDX-License-Identifier: BSD-2-Clause
//
// The GPU of a device, which may still be opened while frames are decoded.
#pragma once
#include "vulkan/gpu.h"

#include <atomic>
#include <memory>
#include <utility>

namespace dd {

class DeviceGpu {
  public:
    // Once. nullptr: there is none.
    void settle(std::shared_ptr<Gpu> gpu) {
        gpu_ = std::move(gpu);
        settled_.store(true, std::memory_order_release);
        settled_.notify_all();
    }
    bool settled() const { return settled_.load(std::memory_order_acquire); }
    void wait() const {
        awaited_.store(true, std::memory_order_relaxed);
        settled_.wait(false, std::memory_order_acquire);
    }
    // A caller waits: it is time to open it.
    bool awaited() const { return awaited_.load(std::memory_order_relaxed); }
    // nullptr: none, or not yet.
    std::shared_ptr<Gpu> get() const { return settled() ? gpu_ : nullptr; }

  private:
    std::shared_ptr<Gpu> gpu_; // written before settled_
    std::atomic<bool> settled_{false};
    mutable std::atomic<bool> awaited_{false};
};

} // namespace dd
