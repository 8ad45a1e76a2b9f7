// SPDX-License-Identifier: BSD-2-Clause
#include "scheduler/cost_model.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace dd {
namespace {

constexpr std::array<std::string_view, kCosts> names = {
    "parse",     "parse_intra", "cpu_mc",    "cpu_itx",     "cpu_lf",     "cpu_cdef", "cpu_lr",
    "record_mc", "record_itx",  "record_lf", "record_cdef", "record_lr",  "gpu_mc",   "gpu_itx",
    "gpu_lf",    "gpu_cdef",    "gpu_lr",    "submit_cpu",  "submit_gpu",
};

// Share of the error that one measurement corrects, at first and in the long run.
constexpr double kFirstRate = 0.5, kRate = 0.08;
constexpr unsigned kFirstSamples = 6;
// Errors beyond so many usual ones count as so many: a thread that was put off says little about costs.
constexpr double kOutlier = 3;
constexpr double kSpreadRate = 0.1;
// What a measurement counts as, at most, by what was predicted; and what may be added to a prediction of nothing.
constexpr double kMostGrowth = 3, kLeast = 0.1;
// No cost that has a part in a measurement is learned to be less than this share of it: frames that have one of them alone
// take some time too.
constexpr double kLeastPart = 0.01;
// Nanoseconds a pixel that a cost of nothing counts as, so that it can be learned.
constexpr double kNothing = 1e-3;

// Where learning starts, in nanoseconds a luma pixel; a stage's by DdStage.
struct Seed {
    double parse, parse_intra;
    std::array<double, kCostStages> cpu, record, gpu;
};
constexpr Seed kVp9Discrete = {2.4, 4, {1, 0.6, 0.8, 0, 0}, {0.2, 0.2, 0.1, 0, 0}, {0.1, 0.1, 0.2, 0, 0}};
constexpr Seed kVp9OnV3d = {4.3, 9, {2, 0.8, 0.9, 0, 0}, {0.3, 0.3, 0.35, 0, 0}, {3.65, 0.8, 1.25, 0, 0}};
constexpr Seed kAv1Discrete = {1.4, 3, {0.9, 0.4, 0.4, 0.6, 0.4}, {0.2, 0.1, 0.1, 0.1, 0.1}, {0.2, 0.1, 0.2, 0.2, 0.2}};
// The GPU's as modelled (docs/v3dsim.md); CDEF's on the CPU by its instructions and those of parsing.
constexpr Seed kAv1OnV3d = {4, 9, {2, 0.8, 0.9, 2.6, 2}, {0.3, 0.2, 0.2, 0.1, 0.1}, {5.1, 2.8, 2.7, 5.5, 13}};
// Nanoseconds a submit.
constexpr double kSubmitCpu = 60000, kSubmitGpu = 150000, kSubmitV3d = 200000;

// Share of what counts as parsing that frames wait for: the rest is intra prediction, above all. From stock FFmpeg on a Raspberry Pi 5,
// which decodes 138 frames of 1080p a second on 2.15 of its cores, whatever the number of threads.
constexpr double kInOrder = 0.81;

std::uint32_t present(const Costs &features) {
    std::uint32_t set = 0;
    for (unsigned i = 0; i < kCosts; i++)
        set |= std::uint32_t{features[i] > 0} << i;
    return set;
}

bool is_submit(unsigned cost) {
    return cost == kCostSubmitCpu || cost == kCostSubmitGpu;
}

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

// What the CPU does between the GPU's phases or after them: its own stages after the GPU's first, and the order of the loop filter.
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

std::string_view cost_name(unsigned cost) {
    return names[cost];
}

// docs/design.md, "Plan auto", says how V3D's come about.
Costs seed_costs(DdCodec codec, CostSeed seed) {
    const bool v3d = seed == CostSeed::v3d;
    const Seed &vp9 = v3d ? kVp9OnV3d : kVp9Discrete, &av1 = v3d ? kAv1OnV3d : kAv1Discrete;
    const Seed &from = codec == DD_CODEC_AV1 ? av1 : vp9;
    Costs costs{};
    costs[kCostParse] = from.parse;
    costs[kCostParseIntra] = from.parse_intra;
    for (unsigned stage = 0; stage < kCostStages; stage++) {
        costs[kCostCpu + stage] = from.cpu[stage];
        costs[kCostRecord + stage] = from.record[stage];
        costs[kCostGpu + stage] = from.gpu[stage];
    }
    costs[kCostSubmitCpu] = kSubmitCpu;
    costs[kCostSubmitGpu] = v3d ? kSubmitV3d : kSubmitGpu;
    return costs;
}

unsigned CostQuery::submits() const {
    constexpr unsigned recon = 1u << DD_STAGE_MC | 1u << DD_STAGE_ITX;
    const unsigned there = stages & on_gpu;
    if (with_intra && (there & recon) == recon)
        return 1;
    return ((there & recon) != 0) + ((there & ~recon) != 0);
}

CostEstimate CostModel::predict(const CostQuery &query) const {
    const unsigned submits = query.submits();
    CostEstimate estimate;
    estimate.cpu_ns = total(costs_, cpu_features(query, submits)) * query.pixels;
    estimate.gpu_ns = total(costs_, gpu_features(query, submits)) * query.pixels;
    estimate.in_order_ns = kInOrder * costs_[query.intra_only ? kCostParseIntra : kCostParse] * query.pixels;
    if (submits && !query.intra_only)
        estimate.chain_ns = estimate.gpu_ns + total(costs_, late_features(query)) * query.pixels;
    return estimate;
}

// Frames without inter blocks are few, and may take many times as long as others: that is parsing's doing alone.
void CostModel::learn_cpu(const CostQuery &query, unsigned submits, double ns) {
    if (query.pixels <= 0)
        return;
    const Features features = cpu_features(query, submits);
    const Set open = query.intra_only ? 1u << kCostParseIntra : present(features);
    learn(features, open, ns / query.pixels, cpu_spread_[query.on_gpu]);
}

void CostModel::learn_gpu(const CostQuery &query, unsigned submits, double ns) {
    if (query.pixels <= 0 || !submits)
        return;
    const Features features = gpu_features(query, submits);
    learn(features, present(features), ns / query.pixels, gpu_spread_[query.on_gpu]);
}

// Costs share a measurement's error by their parts in it. With equal shares, frames that take far longer than others to parse would
// make as much of recording.
void CostModel::learn(const Features &features, Set open, double measured, Spread &spread) {
    // The first run of a kernel may take a driver's compiler a second: one measurement isn't believed beyond bounds.
    const double predicted = total(costs_, features);
    double error = std::min(measured, kMostGrowth * predicted + kLeast) - predicted;
    const double size = std::abs(error);
    if (spread.samples >= kFirstSamples)
        error = std::clamp(error, -kOutlier * spread.error, kOutlier * spread.error);
    const double rate = spread.samples < kFirstSamples ? kFirstRate : kRate;
    // An outlier widens the spread a little, so that a change that stays is followed.
    spread.error = spread.samples
                       ? spread.error + kSpreadRate * (std::min(size, 4 * kOutlier * spread.error) - spread.error)
                       : size;
    spread.error = std::max(spread.error, measured / 100);
    spread.samples++;
    Costs part{};
    double parts = 0;
    for (unsigned i = 0; i < kCosts; i++)
        if (open >> i & 1)
            parts += part[i] = costs_[i] * features[i] + kNothing;
    for (unsigned i = 0; i < kCosts; i++) {
        if (!(open >> i & 1))
            continue;
        const double least = is_submit(i) ? 0 : kLeastPart * std::min(measured, predicted);
        costs_[i] = std::max(least, costs_[i] + rate * error * part[i] / parts / features[i]);
    }
}

} // namespace dd
