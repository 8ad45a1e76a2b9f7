// SPDX-License-Identifier: BSD-2-Clause
#include "scheduler/scheduler.h"

#include "scheduler/calibration.h"

namespace dd {
namespace {

constexpr unsigned kOutOfRangeInARow = 3;
constexpr unsigned kItxRest = 32;
// Costs of shorter streams aren't kept.
constexpr std::uint64_t kFramesToKeep = 64;

constexpr unsigned kRecon = 1u << DD_STAGE_MC | 1u << DD_STAGE_ITX;

// AV1: restoration reads rows from before CDEF, which only the side that ran CDEF still has; residuals are added to predictions in the
// same submit.
StageSets joint_stages(DdCodec codec) {
    if (codec != DD_CODEC_AV1)
        return {};
    return {kRecon, 1u << DD_STAGE_CDEF | 1u << DD_STAGE_LR};
}

// VP9: residuals aren't recorded while a frame is parsed unless the GPU gets these two. FFmpeg's threads keep them until later, in
// megabytes of their own each. A GPU with memory of its own is fast enough for both.
unsigned stages_always_taken(DdCodec codec, const DeviceTraits &traits) {
    return codec == DD_CODEC_VP9 && traits.copies_pictures ? kRecon : 0;
}

Knowledge first_knowledge(DdCodec codec, const DeviceTraits &traits) {
    Knowledge knowledge;
    knowledge.costs = seed_costs(codec, traits.seed);
    if (!traits.calibration.empty())
        load_calibration(traits.calibration, knowledge);
    return knowledge;
}

} // namespace

Scheduler::Scheduler(DdCodec codec, const PlanSpec &spec, const DeviceTraits &traits, std::uint64_t seed)
    : codec_(codec), stages_(codec_stages(codec)), spec_(spec), traits_(traits), random_(seed),
      planner_(traits.planner, first_knowledge(codec, traits)) {}

Scheduler::~Scheduler() {
    if (planner_.learned() >= kFramesToKeep)
        save_calibration(traits_.calibration, planner_.knowledge());
}

void Scheduler::use(const DeviceTraits &traits) {
    const Knowledge knowledge = first_knowledge(codec_, traits);
    const std::lock_guard lock(mutex_);
    traits_ = traits;
    planner_ = Planner(traits.planner, knowledge);
}

DdSide Scheduler::wish(DdStage stage) {
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

DdPlan Scheduler::automatic(const FrameFacts &facts, FrameForecast &forecast, std::int64_t now) {
    const PlanQuery query{static_cast<double>(facts.width) * facts.height,
                          facts.intra_only,
                          facts.stages,
                          facts.usable,
                          joint_stages(codec_),
                          stages_always_taken(codec_, traits_),
                          facts.with_intra};
    forecast.measured = true;
    forecast.forecast = planner_.plan(query, in_flight_, now);
    forecast.query = query.with(forecast.forecast.on_gpu);
    DdPlan plan = {};
    for (unsigned i = 0; i < stages_; i++)
        plan.side[i] = forecast.query.on_gpu >> i & 1 ? DD_SIDE_GPU : DD_SIDE_CPU;
    return plan;
}

DdPlan Scheduler::plan(const FrameFacts &facts, FrameForecast &forecast, std::int64_t now) {
    forecast = {};
    DdPlan plan = {};
    const std::lock_guard lock(mutex_);
    in_flight_++;
    if (latched_ || !facts.gpu_reaches)
        return plan;
    if (spec_.kind == PlanSpec::Kind::automatic) {
        if (traits_.automatic)
            plan = automatic(facts, forecast, now);
    } else {
        for (unsigned i = 0; i < stages_; i++) {
            const DdSide side = wish(static_cast<DdStage>(i));
            if (side == DD_SIDE_NONE || (facts.stages >> i & 1))
                plan.side[i] = static_cast<std::uint8_t>(side);
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

void Scheduler::submit_ended(const FrameForecast &forecast, unsigned stages, double ns) {
    if (!forecast.measured)
        return;
    CostQuery query = forecast.query;
    query.on_gpu &= stages;
    const std::lock_guard lock(mutex_);
    planner_.learn_submit(query, ns);
}

void Scheduler::ended(const FrameForecast &forecast, const CostOutcome &outcome, bool well, std::int64_t now) {
    const std::lock_guard lock(mutex_);
    in_flight_--;
    if (!forecast.measured)
        return;
    if (well)
        planner_.learn_frame(forecast.query, outcome);
    planner_.ended(forecast.forecast, forecast.query.pixels, now);
}

void Scheduler::out_of_range() {
    const std::lock_guard lock(mutex_);
    if (++out_of_range_ < kOutOfRangeInARow)
        return;
    out_of_range_ = 0;
    itx_backoff_ = kItxRest;
}

void Scheduler::in_range() {
    const std::lock_guard lock(mutex_);
    out_of_range_ = 0;
}

} // namespace dd
