// SPDX-License-Identifier: BSD-2-Clause
#include "fit.h"

#include <algorithm>
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
        {&Parameters::launch, {8, 16, 32, 48, 64, 96, 128}},
    };
    return table;
}

// The points, and beside each those one step down and up the axis.
std::vector<Parameters> with_neighbours(const std::vector<Parameters> &points, const Axis &axis) {
    std::vector<Parameters> all = points;
    for (const Parameters &point : points) {
        const auto here = std::find(axis.values.begin(), axis.values.end(), point.*axis.parameter);
        for (const auto &step : {here == axis.values.begin() ? here : here - 1,
                                 here == axis.values.end() || here + 1 == axis.values.end() ? here : here + 1})
            if (step != here) {
                all.push_back(point);
                all.back().*axis.parameter = *step;
            }
    }
    return all;
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

// Steps to the best point among those one step away along any of the axes at once.
Fit Fitter::polish(const std::vector<const Measured *> &rows, Fit best) {
    for (double before = HUGE_VAL; best.rms < before - 1e-6;) {
        before = best.rms;
        std::vector<Parameters> around{best.parameters};
        for (const Axis &axis : axes())
            around = with_neighbours(around, axis);
        for (const Parameters &trial : around) {
            const double rms = log_rms(rows, trial);
            if (rms < best.rms)
                best = {trial, rms};
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
    return polish(rows, best);
}

} // namespace v3dtiming
