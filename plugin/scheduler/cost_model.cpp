// SPDX-License-Identifier: BSD-2-Clause
#include "scheduler/cost_model.h"

#include <algorithm>
#include <cmath>

namespace dd {
namespace {

constexpr std::array<std::string_view, kCosts> names = {"parse",     "parse_intra", "cpu_mc",    "cpu_itx", "cpu_lf",
                                                        "record_mc", "record_itx",  "record_lf", "gpu_mc",  "gpu_itx",
                                                        "gpu_lf",    "submit_cpu",  "submit_gpu"};

// Share of the error that one measurement corrects, at first and in the long run.
constexpr double kFirstRate = 0.5, kRate = 0.08;
constexpr unsigned kFirstSamples = 6;
// Errors beyond so many usual ones count as so many: a thread that was put off says little about costs.
constexpr double kOutlier = 3;
constexpr double kSpreadRate = 0.1;
// What a measurement counts as, at most, by what was predicted; and what may be added to a prediction of nothing.
constexpr double kMostGrowth = 3, kLeast = 0.1;
// So many nanoseconds of a submit weigh in learning as much as one nanosecond a pixel.
constexpr double kSubmitScale = 50000;

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
        if (query.has(stage))
            features[(query.on_gpu >> stage & 1 ? kCostRecord : kCostCpu) + stage] = 1;
    features[kCostSubmitCpu] = submits / query.pixels;
    return features;
}

Costs gpu_features(const CostQuery &query, unsigned submits) {
    Costs features{};
    for (unsigned stage = 0; stage < kCostStages; stage++)
        if (query.has(stage) && (query.on_gpu >> stage & 1))
            features[kCostGpu + stage] = 1;
    features[kCostSubmitGpu] = submits / query.pixels;
    return features;
}

} // namespace

std::string_view cost_name(unsigned cost) {
    return names[cost];
}

Costs seed_costs(CostSeed seed) {
    switch (seed) {
    case CostSeed::v3d:
        // docs/design.md, "Plan auto", says how these come about.
        return {4.3, 9, 2, 0.8, 0.9, 0.3, 0.3, 0.1, 4.7, 0.7, 16.2, 60000, 300000};
    case CostSeed::software:
        return {2.4, 4, 1, 0.6, 0.8, 0.2, 0.2, 0.1, 8, 4, 8, 60000, 300000};
    case CostSeed::discrete:
        break;
    }
    return {2.4, 4, 1, 0.6, 0.8, 0.2, 0.2, 0.1, 0.1, 0.1, 0.2, 60000, 150000};
}

unsigned CostQuery::submits() const {
    unsigned there = 0;
    for (unsigned stage = 0; stage < kCostStages; stage++)
        there |= has(stage) ? on_gpu & 1u << stage : 0;
    const unsigned filter = there >> DD_STAGE_LF & 1;
    return filter + (there & ~(1u << DD_STAGE_LF) ? 1 : 0);
}

CostEstimate CostModel::predict(const CostQuery &query) const {
    const unsigned submits = query.submits();
    return {total(costs_, cpu_features(query, submits)) * query.pixels,
            total(costs_, gpu_features(query, submits)) * query.pixels};
}

void CostModel::learn_cpu(const CostQuery &query, unsigned submits, double ns) {
    if (query.pixels > 0)
        learn(cpu_features(query, submits), ns / query.pixels, spread_[0]);
}

void CostModel::learn_gpu(const CostQuery &query, unsigned submits, double ns) {
    if (query.pixels > 0 && submits)
        learn(gpu_features(query, submits), ns / query.pixels, spread_[1]);
}

// The costs that are in the measurement share its error by their part in it (normalised least mean squares).
void CostModel::learn(const Features &features, double measured, Spread &spread) {
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
    double norm = 0;
    Costs scaled = features;
    for (unsigned i = 0; i < kCosts; i++) {
        scaled[i] *= is_submit(i) ? kSubmitScale : 1;
        norm += scaled[i] * scaled[i];
    }
    for (unsigned i = 0; norm > 0 && i < kCosts; i++) {
        const double step = rate * error * scaled[i] / norm;
        costs_[i] = std::max(0.0, costs_[i] + step * (is_submit(i) ? kSubmitScale : 1));
    }
}

} // namespace dd
