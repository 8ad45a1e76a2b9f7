// SPDX-License-Identifier: BSD-2-Clause
#include "fit.h"

#include <cmath>

namespace v3dtiming {
namespace {

struct Axis {
    double Parameters::*parameter;
    std::vector<double> values;
};

// Steps of about a third: the measured figures do not tell finer ones apart.
const std::vector<Axis> &axes() {
    static const std::vector<Axis> table{
        {&Parameters::latency, {20, 30, 40, 60, 80, 120, 160, 220, 300, 400}},
        {&Parameters::operation, {0, 1, 2, 4, 6, 8, 12, 16, 24, 32}},
        {&Parameters::word, {0, 0.5, 1, 2, 3, 4, 6, 8, 12, 16}},
        {&Parameters::resident, {1, 2, 3, 4, 6, 8, 12, 24, 48}},
    };
    return table;
}

} // namespace

double modelled_ns(const Measured &row, const Parameters &parameters) {
    const double cycles = simulate(row.job, parameters).cycles_supergroup;
    return cycles / row.blocks_per_supergroup / parameters.clock_mhz * 1e3;
}

double Fitter::ns(const Measured &row, const Parameters &parameters) {
    Key key{&row, {}};
    for (std::size_t i = 0; i < kFitted; i++)
        key.second[i] = parameters.*axes()[i].parameter;
    const auto known = known_.find(key);
    return known != known_.end() ? known->second : known_[key] = modelled_ns(row, parameters);
}

double Fitter::log_rms(const std::vector<const Measured *> &rows, const Parameters &parameters) {
    double sum = 0;
    for (const Measured *row : rows) {
        const double error = std::log(ns(*row, parameters) / row->ns);
        sum += error * error;
    }
    return std::sqrt(sum / static_cast<double>(rows.size()));
}

// One axis after the other until none helps.
Fit Fitter::descend(const std::vector<const Measured *> &rows, const Parameters &start) {
    Fit best{start, log_rms(rows, start)};
    for (bool better = true; better;) {
        better = false;
        for (const Axis &axis : axes())
            for (const double value : axis.values) {
                Parameters trial = best.parameters;
                trial.*axis.parameter = value;
                const double rms = log_rms(rows, trial);
                if (rms < best.rms - 1e-6) {
                    best = {trial, rms};
                    better = true;
                }
            }
    }
    return best;
}

Fit Fitter::fit(const std::vector<const Measured *> &rows, const Parameters &start) {
    Fit best{start, HUGE_VAL};
    for (const double resident : {1.0, 3.0, 12.0, 48.0})
        for (const double latency : {40.0, 220.0}) {
            Parameters from = start;
            from.resident = resident;
            from.latency = latency;
            const Fit found = descend(rows, from);
            if (found.rms < best.rms)
                best = found;
        }
    return best;
}

} // namespace v3dtiming
