// SPDX-License-Identifier: BSD-2-Clause
#include "scheduler/planner.h"

#include <algorithm>

namespace dd {
namespace {

// A plan is left for one that is better by so much, and not before so many frames.
constexpr double kBetter = 0.05;
constexpr unsigned kHold = 8;
// Trials may cost this share of all time, and are this many frames apart. At first there is credit for some frames.
constexpr double kTrialShare = 0.01;
constexpr unsigned kTrialInterval = 16;
constexpr double kFirstCredit = 4, kMostCredit = 16; // frames
constexpr double kDepthRate = 0.1;
// With the goal of little CPU time: 60 frames a second are always enough.
constexpr double kRealTime = 1e9 / 60;

} // namespace

bool parse_goal(std::string_view text, Goal &goal) {
    if (text != "speed" && text != "cpu")
        return false;
    goal = text == "cpu" ? Goal::cpu : Goal::speed;
    return true;
}

// A frame occupies a core, then the GPU; `depth_` frames are on their way at once.
double Planner::frame_ns(const CostEstimate &cost) const {
    const double depth = std::max(1.0, depth_);
    const double workers = std::min(depth, static_cast<double>(std::max(1u, traits_.cores)));
    if (traits_.shares_cores)
        return cost.cpu_ns / workers + cost.gpu_ns; // the renderer takes all cores, and nothing overlaps
    return std::max({cost.cpu_ns / workers, cost.gpu_ns, (cost.cpu_ns + cost.gpu_ns) / depth});
}

double Planner::cpu_ns(const CostEstimate &cost) const {
    return cost.cpu_ns + (traits_.shares_cores ? cost.gpu_ns * traits_.cores : 0);
}

double Planner::value_of(const CostEstimate &cost) const {
    const double frame = frame_ns(cost);
    if (traits_.goal == Goal::speed)
        return frame;
    // Plans that are too slow come after those that aren't, the fastest first: in time, no plan takes more than all cores, and
    // a renderer on them as much again.
    const double too_slow = 2 * kRealTime * std::max(1u, traits_.cores);
    return frame <= kRealTime ? cpu_ns(cost) : too_slow + frame;
}

Planner::Ranked Planner::rank(CostQuery query, unsigned usable) const {
    Ranked ranked;
    for (unsigned plan = 0; plan < kPlans; plan++) {
        query.on_gpu = plan;
        ranked.value[plan] = plan & ~usable ? 0 : value_of(model_.predict(query));
        if (!(plan & ~usable) && ranked.value[plan] < ranked.value[ranked.best])
            ranked.best = plan;
    }
    return ranked;
}

unsigned Planner::trial(Current &current, const Ranked &ranked, unsigned usable, unsigned now) {
    if (current.since_trial < kTrialInterval)
        return now;
    // In turn, so that credit is saved for a plan that looks expensive. One that costs more than credit can be has its trial
    // once credit is full, and others wait until that is paid.
    unsigned oldest = now;
    for (unsigned plan = 0; plan < kPlans; plan++) {
        if (plan & ~usable || plan == now)
            continue;
        if (oldest == now || current.seen[plan] < current.seen[oldest])
            oldest = plan;
    }
    const double excess = ranked.value[oldest] - ranked.value[now];
    return excess <= credit_ns_ || credit_ns_ >= kMostCredit * ranked.value[now] ? oldest : now;
}

Forecast Planner::plan(const CostQuery &query, unsigned in_flight) {
    frames_++;
    depth_ += kDepthRate * (in_flight - depth_);
    unsigned usable = 0;
    for (unsigned stage = 0; stage < kCostStages; stage++)
        usable |= query.has(stage) ? 1u << stage : 0;
    Current &current = current_[query.intra_only];
    const Ranked ranked = rank(query, usable);
    unsigned now = current.on_gpu & usable;
    const bool better = ranked.value[ranked.best] < (1 - kBetter) * ranked.value[now];
    if (!current.chosen || (current.held >= kHold && better)) {
        current.chosen = true;
        current.held = 0;
        current.on_gpu = ranked.best;
        now = ranked.best;
    }
    current.held++;
    current.since_trial++;

    const double frame = ranked.value[now];
    if (!has_credit_)
        credit_ns_ = kFirstCredit * frame;
    has_credit_ = true;
    credit_ns_ = std::min(credit_ns_ + kTrialShare * frame, kMostCredit * frame);
    Forecast forecast;
    forecast.on_gpu = trial(current, ranked, usable, now);
    forecast.trial = forecast.on_gpu != now;
    if (forecast.trial) {
        current.since_trial = 0;
        credit_ns_ -= std::max(0.0, ranked.value[forecast.on_gpu] - frame);
    }
    current.seen[forecast.on_gpu] = frames_;
    CostQuery chosen = query;
    chosen.on_gpu = forecast.on_gpu;
    forecast.cost = model_.predict(chosen);
    forecast.frame_ns = frame_ns(forecast.cost);
    return forecast;
}

void Planner::learn_frame(const CostQuery &query, const CostOutcome &outcome) {
    if (outcome.cpu_ns <= 0)
        return;
    learned_++;
    model_.learn_cpu(query, outcome.submits, outcome.cpu_ns);
}

} // namespace dd
