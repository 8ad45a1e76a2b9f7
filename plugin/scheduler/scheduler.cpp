// SPDX-License-Identifier: BSD-2-Clause
#include "scheduler/scheduler.h"

namespace dd {
namespace {

// Where stages run in plan `auto`, on a device that is worth it. Intra-only frames are reconstructed on the CPU, as
// they have nothing for the GPU but their filters.
constexpr std::array<DdSide, DD_STAGES> automatic = {DD_SIDE_GPU, DD_SIDE_GPU, DD_SIDE_GPU, DD_SIDE_GPU, DD_SIDE_GPU};

constexpr unsigned kOutOfRangeInARow = 3;
constexpr unsigned kItxRest = 32;

bool has_share(DdStage stage, const FrameFacts &facts) {
    return stage == DD_STAGE_MC || stage == DD_STAGE_ITX ? !facts.intra_only : facts.filtered;
}

} // namespace

Scheduler::Scheduler(DdCodec codec, const PlanSpec &spec, const DeviceTraits &traits, std::uint64_t seed)
    : stages_(codec_stages(codec)), spec_(spec), traits_(traits), random_(seed) {}

DdSide Scheduler::wish(DdStage stage, const FrameFacts &) {
    switch (spec_.kind) {
    case PlanSpec::Kind::fixed:
        // An AV1 decoder can't leave its stages out.
        return spec_.side[stage] == DD_SIDE_NONE && stages_ != codec_stages(DD_CODEC_VP9) ? DD_SIDE_CPU
                                                                                          : spec_.side[stage];
    case PlanSpec::Kind::random:
        return random_() & 1 ? DD_SIDE_GPU : DD_SIDE_CPU;
    case PlanSpec::Kind::automatic:
        break;
    }
    return traits_.worth_it ? automatic[stage] : DD_SIDE_CPU;
}

bool Scheduler::itx_rests() {
    if (itx_rest_ == 0)
        return false;
    itx_rest_--;
    return true;
}

DdPlan Scheduler::plan(const FrameFacts &facts) {
    DdPlan plan = {};
    if (latched_ || !facts.gpu_reaches)
        return plan;
    const std::lock_guard lock(mutex_);
    for (unsigned i = 0; i < stages_; i++) {
        const auto stage = static_cast<DdStage>(i);
        const DdSide side = wish(stage, facts);
        if (side == DD_SIDE_NONE || has_share(stage, facts))
            plan.side[i] = static_cast<std::uint8_t>(side);
    }
    if (plan.side[DD_STAGE_ITX] == DD_SIDE_GPU && itx_rests())
        plan.side[DD_STAGE_ITX] = DD_SIDE_CPU;
    return plan;
}

void Scheduler::out_of_range() {
    const std::lock_guard lock(mutex_);
    if (++out_of_range_ < kOutOfRangeInARow)
        return;
    out_of_range_ = 0;
    itx_rest_ = kItxRest;
}

void Scheduler::in_range() {
    const std::lock_guard lock(mutex_);
    out_of_range_ = 0;
}

} // namespace dd
