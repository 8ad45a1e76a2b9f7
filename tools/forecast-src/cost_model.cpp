// SPDX-License-Identifier: BSD-2-Clause
#include "cost_model.h"

#include <algorithm>
#include <bit>

namespace dd {
namespace {

// In nanoseconds a luma pixel; a stage's by DdStage.
struct Seed {
    double parse, parse_intra;
    std::array<double, kCostStages> cpu, record, gpu;
};
constexpr Seed kVp9OnV3d = {4.3, 9, {2, 0.8, 0.9, 0, 0}, {0.3, 0.3, 0.35, 0, 0}, {3.65, 0.8, 1.25, 0, 0}};
// The GPU's as modelled (docs/v3dsim.md); CDEF's on the CPU by its instructions and those of parsing.
constexpr Seed kAv1OnV3d = {4, 9, {2, 0.8, 0.9, 2.6, 2}, {0.3, 0.2, 0.2, 0.1, 0.1}, {5.1, 2.8, 2.7, 5.5, 13}};
// Nanoseconds a submit.
constexpr double kSubmitCpu = 60000, kSubmitGpu = 200000;

// Share of what counts as parsing that frames wait for: the rest is intra prediction, above all. From stock FFmpeg on
// a Raspberry Pi 5, which decodes 138 frames of 1080p a second on 2.15 of its cores, whatever the number of threads.
constexpr double kInOrder = 0.81;

double total(const Costs &costs, const Costs &features) {
    double sum = 0;
    for (unsigned i = 0; i < kCosts; i++)
        sum += costs[i] * features[i];
    return sum;
}

Costs cpu_features(const CostQuery &query, unsigned submits) {
    Costs features{};
    features[query.intra_only ? kCostParseIntra : kCostParse] = 1;
    for (unsigned stage = 0; stage < kCostStages; stage++)
        if (query.stages >> stage & 1)
            features[(query.on_gpu >> stage & 1 ? kCostRecord : kCostCpu) + stage] = 1;
    features[kCostSubmitCpu] = submits / query.pixels;
    return features;
}

Costs gpu_features(const CostQuery &query, unsigned submits) {
    Costs features{};
    for (unsigned stage = 0; stage < kCostStages; stage++)
        if (query.stages & query.on_gpu & 1u << stage)
            features[kCostGpu + stage] = 1;
    features[kCostSubmitGpu] = submits / query.pixels;
    return features;
}

// What the CPU does between the GPU's phases or after them: its own stages after the GPU's first, and the order of
// the loop filter.
Costs late_features(const CostQuery &query) {
    Costs features{};
    const auto first = static_cast<unsigned>(std::countr_zero(query.stages & query.on_gpu));
    for (unsigned stage = first; stage < kCostStages; stage++)
        if (query.stages & ~query.on_gpu & 1u << stage)
            features[kCostCpu + stage] = 1;
    const unsigned loop_filter = DD_STAGE_LF;
    if (query.stages & query.on_gpu & 1u << loop_filter)
        features[kCostRecord + loop_filter] = 1;
    return features;
}

} // namespace

Costs board_costs(DdCodec codec) {
    const Seed &from = codec == DD_CODEC_AV1 ? kAv1OnV3d : kVp9OnV3d;
    Costs costs{};
    costs[kCostParse] = from.parse;
    costs[kCostParseIntra] = from.parse_intra;
    for (unsigned stage = 0; stage < kCostStages; stage++) {
        costs[kCostCpu + stage] = from.cpu[stage];
        costs[kCostRecord + stage] = from.record[stage];
        costs[kCostGpu + stage] = from.gpu[stage];
    }
    costs[kCostSubmitCpu] = kSubmitCpu;
    costs[kCostSubmitGpu] = kSubmitGpu;
    return costs;
}

unsigned CostQuery::submits() const {
    constexpr unsigned recon = 1u << DD_STAGE_MC | 1u << DD_STAGE_ITX;
    const unsigned there = stages & on_gpu;
    if (with_intra && (there & recon) == recon)
        return 1;
    return ((there & recon) != 0) + ((there & ~recon) != 0);
}

CostEstimate predict(const Costs &costs, const CostQuery &query) {
    const unsigned submits = query.submits();
    CostEstimate estimate;
    estimate.cpu_ns = total(costs, cpu_features(query, submits)) * query.pixels;
    estimate.gpu_ns = total(costs, gpu_features(query, submits)) * query.pixels;
    estimate.in_order_ns = kInOrder * costs[query.intra_only ? kCostParseIntra : kCostParse] * query.pixels;
    if (submits && !query.intra_only)
        estimate.chain_ns = estimate.gpu_ns + total(costs, late_features(query)) * query.pixels;
    return estimate;
}

} // namespace dd
