// SPDX-License-Identifier: BSD-2-Clause
//
// Plan `auto`: the sides of a frame's stages with the best predicted outcome.
#pragma once
#include "scheduler/cost_model.h"

#include <array>
#include <cstdint>

namespace dd {

enum class Goal {
    speed, // the most frames a second
    cpu,   // the least CPU time a frame, as long as frames come in real time
};
// "speed" or "cpu". False: not understood.
bool parse_goal(std::string_view text, Goal &goal);

// Of the machine, as far as plans depend on it.
struct PlannerTraits {
    Goal goal = Goal::speed;
    unsigned cores = 1;        // that the process may use
    bool shares_cores = false; // the "GPU" runs on the CPU's cores
};

// What the planner expects of a frame.
struct Forecast {
    unsigned on_gpu = 0; // bit s: stage s on the GPU
    double frame_ns = 0; // from one frame to the next
    CostEstimate cost;
    bool trial = false; // another plan than the best, to keep its costs known
};

// What came of it.
struct CostOutcome {
    double cpu_ns = 0; // 0: not measured
    double gpu_ns = 0; // by all submits together
    unsigned submits = 0;
};

class Planner {
  public:
    Planner(const PlannerTraits &traits, const Costs &costs) : traits_(traits), model_(costs) {}

    // Plans a frame (query.on_gpu is not looked at). `in_flight`: frames that have begun and not ended, this one included.
    Forecast plan(const CostQuery &query, unsigned in_flight);
    // One submit of a frame; query.on_gpu: the stages in it.
    void learn_submit(const CostQuery &query, double gpu_ns) { model_.learn_gpu(query, 1, gpu_ns); }
    // A frame that went as planned.
    void learn_frame(const CostQuery &query, const CostOutcome &outcome);

    const Costs &costs() const { return model_.costs(); }
    std::uint64_t learned() const { return learned_; } // frames

  private:
    static constexpr unsigned kPlans = 1u << kCostStages;
    // Frames with inter blocks and without have plans of their own.
    struct Current {
        bool chosen = false;
        unsigned on_gpu = 0;
        unsigned held = 0;                        // frames since it was chosen
        unsigned since_trial = 0;                 // frames since the last one
        std::array<std::uint64_t, kPlans> seen{}; // when each plan ran last
    };
    struct Ranked {
        std::array<double, kPlans> value{}; // what is to be small
        unsigned best = 0;
    };
    double frame_ns(const CostEstimate &cost) const;
    double cpu_ns(const CostEstimate &cost) const;
    double value_of(const CostEstimate &cost) const;
    Ranked rank(CostQuery query, unsigned usable) const;
    // Another plan, whose cost can be afforded; or the current one.
    unsigned trial(Current &current, const Ranked &ranked, unsigned usable, unsigned now);

    PlannerTraits traits_;
    CostModel model_;
    std::array<Current, 2> current_;
    double depth_ = 1;     // frames in flight, averaged
    double credit_ns_ = 0; // what trials may still cost
    bool has_credit_ = false;
    std::uint64_t frames_ = 0, learned_ = 0;
};

} // namespace dd
