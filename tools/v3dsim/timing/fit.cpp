// SPDX-License-Identifier: BSD-2-Clause
#include "fit.h"

#include <cmath>

namespace v3dtiming {
namespace {

struct Axis {
    double Parameters::*parameter;
    std::vector<double> values;
};

// Steps of about a quarter: the measured figures do not tell finer ones apart.
const std::vector<Axis> &axes() {
    static const std::vector<Axis> table{
        {&Parameters::latency, {20, 30, 40, 60, 80, 100, 130, 160, 200, 250, 320, 400}},
        {&Parameters::operation, {0, 1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32}},
        {&Parameters::line, {0, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 16}},
        {&Parameters::resident, {1, 2, 3, 4, 6, 8, 12, 16, 24, 48}},
    };
    return table;
}

// One axis after the other until none helps.
Fit descend(const std::vector<const Measured *> &rows, const Parameters &start) {
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

} // namespace

double modelled_ns(const Measured &row, const Parameters &parameters) {
    const double cycles = simulate(row.job, parameters).cycles_supergroup;
    return cycles / row.blocks_per_supergroup / parameters.clock_mhz * 1e3;
}

double log_rms(const std::vector<const Measured *> &rows, const Parameters &parameters) {
    double sum = 0;
    for (const Measured *row : rows) {
        const double error = std::log(modelled_ns(*row, parameters) / row->ns);
        sum += error * error;
    }
    return std::sqrt(sum / static_cast<double>(rows.size()));
}

Fit fit(const std::vector<const Measured *> &rows, const Parameters &start) {
    Fit best{start, HUGE_VAL};
    for (const double resident : {1.0, 3.0, 12.0, 48.0})
        for (const double latency : {40.0, 200.0}) {
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
