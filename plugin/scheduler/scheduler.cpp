// SPDX-License-Identifier: BSD-2-Clause
#include "scheduler/scheduler.h"

#include "scheduler/plan_cache.h"

#include <utility>

namespace dd {
namespace {

constexpr unsigned kOutOfRangeInARow = 3;
constexpr unsigned kItxBackoff = 32;

Planner make_planner(DdCodec codec, const DeviceTraits &traits) {
    const auto table = plan_table(codec, traits.kind);
    return {table, traits.goal, traits.plan_cache.empty() ? Standings{} : load_standings(traits.plan_cache, table)};
}

} // namespace

Scheduler::Scheduler(DdCodec codec, const PlanSpec &spec, const DeviceTraits &traits, std::uint64_t seed)
    : codec_(codec), stages_(codec_stages(codec)), spec_(spec), traits_(traits), random_(seed),
      planner_(make_planner(codec, traits)) {}

Scheduler::~Scheduler() {
    if (planner_.probes() && !traits_.plan_cache.empty())
        save_standings(traits_.plan_cache, plan_table(codec_, traits_.kind), planner_.standings());
}

void Scheduler::use(const DeviceTraits &traits) {
    Planner planner = make_planner(codec_, traits);
    const std::lock_guard lock(mutex_);
    traits_ = traits;
    planner_ = std::move(planner);
}

std::uint8_t Scheduler::wish(DdStage stage) {
    switch (spec_.kind) {
    case PlanSpec::Kind::fixed:
        return spec_.side[stage];
    case PlanSpec::Kind::random:
        return random_() & 1 ? DD_SIDE_GPU : DD_SIDE_CPU;
    case PlanSpec::Kind::automatic:
        break;
    }
    return DD_SIDE_CPU;
}

bool Scheduler::itx_backs_off() {
    if (itx_backoff_ == 0)
        return false;
    itx_backoff_--;
    itx_backed_off_++;
    return true;
}

DdPlan Scheduler::automatic(const FrameFacts &facts, PlannedFrame &planned, std::int64_t now) {
    planned.timed = true;
    planned.pixels = static_cast<double>(facts.width) * facts.height;
    planned.choice = planner_.plan({planned.pixels, facts.intra_only, facts.usable}, in_flight_, now);
    DdPlan plan = {};
    for (unsigned i = 0; i < stages_; i++)
        plan.side[i] = planned.choice.on_gpu >> i & 1 ? DD_SIDE_GPU : DD_SIDE_CPU;
    return plan;
}

DdPlan Scheduler::plan(const FrameFacts &facts, PlannedFrame &planned, std::int64_t now) {
    planned = {};
    DdPlan plan = {};
    const std::lock_guard lock(mutex_);
    in_flight_++;
    if (disabled_ || !facts.gpu_reaches)
        return plan;
    if (spec_.kind == PlanSpec::Kind::automatic) {
        if (traits_.automatic)
            plan = automatic(facts, planned, now);
    } else {
        for (unsigned i = 0; i < stages_; i++) {
            const std::uint8_t side = wish(static_cast<DdStage>(i));
            if (side == DD_SIDE_NONE || (facts.stages >> i & 1))
                plan.side[i] = side;
        }
    }
    if (plan.side[DD_STAGE_ITX] == DD_SIDE_GPU && itx_backs_off())
        plan.side[DD_STAGE_ITX] = DD_SIDE_CPU;
    return plan;
}

bool Scheduler::takes_intra(const DdPlan &plan) {
    if (plan.side[DD_STAGE_MC] != DD_SIDE_GPU || plan.side[DD_STAGE_ITX] != DD_SIDE_GPU)
        return false;
    if (spec_.kind != PlanSpec::Kind::random)
        return spec_.intra;
    const std::lock_guard lock(mutex_);
    return random_() & 1;
}

std::string Scheduler::ended(const PlannedFrame &planned, const Instant &now) {
    const std::lock_guard lock(mutex_);
    in_flight_--;
    if (!planned.timed)
        return {};
    planner_.ended(planned.choice, planned.pixels, now);
    return planner_.take_news();
}

void Scheduler::out_of_range() {
    const std::lock_guard lock(mutex_);
    if (++out_of_range_ < kOutOfRangeInARow)
        return;
    out_of_range_ = 0;
    itx_backoff_ = kItxBackoff;
}

void Scheduler::in_range() {
    const std::lock_guard lock(mutex_);
    out_of_range_ = 0;
}

} // namespace dd
