// SPDX-License-Identifier: BSD-2-Clause
//
// Makes the plan of every frame of a session, and gives the GPU up for good when it fails.
#pragma once
#include "scheduler/plan.h"
#include "scheduler/planner.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <random>
#include <string>

namespace dd {

// What is known of a frame when its plan is made. Bit s: stage s.
struct FrameFacts {
    std::uint32_t width = 0, height = 0;
    bool intra_only = false;  // no inter blocks
    unsigned stages = 0;      // that it has
    unsigned usable = 0;      // among them those that the GPU could run, as far as can be known now
    bool gpu_reaches = false; // the picture lies in memory that the GPU reaches
};

// What is known of the device.
struct DeviceTraits {
    bool automatic = false; // there is a GPU, and plan `auto` is wanted
    DeviceKind kind = DeviceKind::fast;
    Goal goal = Goal::speed;
    std::string plan_cache{}; // file; empty: none
};

// A frame between its plan and its end.
struct PlannedFrame {
    Choice choice;
    double pixels = 0;
    bool timed = false; // plan `auto` made the plan
};

class Scheduler {
  public:
    Scheduler(DdCodec codec, const PlanSpec &spec, const DeviceTraits &traits, std::uint64_t seed);
    ~Scheduler(); // keeps what was found
    Scheduler(const Scheduler &) = delete;
    Scheduler &operator=(const Scheduler &) = delete;

    // Of a device that wasn't known before. No frame has been timed yet.
    void use(const DeviceTraits &traits);
    // Of a frame that begins, and later calls `ended`. `now`: wall_ns().
    DdPlan plan(const FrameFacts &facts, PlannedFrame &planned, std::int64_t now);
    // Whether intra blocks go to the GPU of a frame that has this plan and whose facts allow it.
    bool takes_intra(const DdPlan &plan);
    // Returns what plan `auto` has decided, for people; empty: nothing. `now` counts for `timed` frames alone.
    std::string ended(const PlannedFrame &planned, const Instant &now);
    // The GPU failed: everything on the CPU from now on. True: it is news.
    bool disable() { return !disabled_.exchange(true); }
    bool disabled() const { return disabled_; }
    // Frames whose residuals stayed on the CPU because others before them had been out of range.
    std::uint64_t itx_backed_off() const { return itx_backed_off_; }
    // A frame's residuals left the range that the GPU is exact in. After some in a row they stay on the CPU for a
    // while.
    void out_of_range();
    // A frame's residuals were the GPU's, and all went well.
    void in_range();

  private:
    std::uint8_t wish(DdStage stage);
    DdPlan automatic(const FrameFacts &facts, PlannedFrame &planned, std::int64_t now); // with mutex_ held
    bool itx_backs_off();                                                               // with mutex_ held

    const DdCodec codec_;
    const unsigned stages_;
    const PlanSpec spec_;
    std::atomic<bool> disabled_{false};
    std::mutex mutex_; // of what follows
    DeviceTraits traits_;
    std::mt19937_64 random_;
    Planner planner_;
    unsigned in_flight_ = 0;    // frames
    unsigned out_of_range_ = 0; // frames in a row
    std::atomic<std::uint64_t> itx_backed_off_{0};
    unsigned itx_backoff_ = 0; // frames that residuals still stay on the CPU
};

} // namespace dd
