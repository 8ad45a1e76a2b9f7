// SPDX-License-Identifier: BSD-2-Clause
//
// Makes the plan of every frame of a session, and gives the GPU up for good when it fails.
#pragma once
#include "scheduler/plan.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <random>

namespace dd {

// What is known of a frame when its plan is made.
struct FrameFacts {
    std::uint32_t width = 0, height = 0;
    bool intra_only = false;  // no inter blocks
    bool filtered = false;    // has a loop filter
    bool gpu_reaches = false; // the picture lies in memory that the GPU reaches
};

// What is known of the device.
struct DeviceTraits {
    bool worth_it = false; // a real GPU, whose pictures the CPU reads at its usual speed
};

class Scheduler {
  public:
    Scheduler(DdCodec codec, const PlanSpec &spec, const DeviceTraits &traits, std::uint64_t seed);

    DdPlan plan(const FrameFacts &facts);
    // The GPU failed: everything on the CPU from now on. True: it is news.
    bool latch() { return !latched_.exchange(true); }
    bool latched() const { return latched_; }
    // A frame's residuals left the range that the GPU is exact in. After some in a row they stay on the CPU for a while.
    void out_of_range();
    // A frame's residuals were the GPU's, and all went well.
    void in_range();

  private:
    DdSide wish(DdStage stage, const FrameFacts &facts);
    bool itx_rests(); // with mutex_ held

    const unsigned stages_;
    const PlanSpec spec_;
    const DeviceTraits traits_;
    std::atomic<bool> latched_{false};
    std::mutex mutex_;
    std::mt19937_64 random_;
    unsigned out_of_range_ = 0; // frames in a row
    unsigned itx_rest_ = 0;     // frames that residuals still stay on the CPU
};

} // namespace dd
