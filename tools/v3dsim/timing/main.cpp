// SPDX-License-Identifier: BSD-2-Clause
//
//   v3dsim-timing model [--parameters FILE] TRACE    a line of JSON for each job: modelled time and what limits it
//   v3dsim-timing fit [--parameters FILE] ROWS.json  parameters from measured kernels, with the leave-one-out error
// ROWS: [{"name", "trace", "blocks": blocks of a supergroup, "ns": measured for a block}]
#include "fit.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <iostream>

using nlohmann::json;
namespace v3dtiming {
namespace {

std::ifstream open(const std::string &path) {
    std::ifstream file(path);
    if (!file)
        throw std::runtime_error("cannot read " + path);
    return file;
}

Parameters read_parameters(const std::string &path) {
    Parameters parameters;
    if (path.empty())
        return parameters;
    auto file = open(path);
    const json given = json::parse(file);
    for (const auto &[name, value] : given.items()) {
        if (!Parameters::names().contains(name))
            throw std::runtime_error(path + ": there is no parameter " + name);
        parameters.*Parameters::names().at(name) = value.get<double>();
    }
    return parameters;
}

json to_json(const Parameters &parameters) {
    json all;
    for (const auto &[name, member] : Parameters::names())
        all[name] = parameters.*member;
    return all;
}

void model(const std::string &path, const Parameters &parameters) {
    auto file = open(path);
    TraceReader reader(file);
    while (auto job = reader.next()) {
        keep_even_sample(*job);
        const Outcome o = simulate(*job, parameters);
        const double us = o.cycles / parameters.clock_mhz;
        const json line{{"job", job->number},
                        {"code", job->code},
                        {"supergroups", job->supergroups},
                        {"traced", job->traced.size()},
                        {"us", us},
                        {"us_supergroup", o.cycles_supergroup / parameters.clock_mhz},
                        {"issue_busy", o.issue_busy},
                        {"tmu_busy", o.tmu_busy},
                        {"dram_busy", o.dram_busy}};
        std::cout << line.dump() << std::endl;
    }
}

std::vector<Measured> read_rows(const std::string &path) {
    auto file = open(path);
    std::vector<Measured> rows;
    for (const json &row : json::parse(file)) {
        auto trace = open(row.at("trace"));
        auto job = TraceReader(trace).next();
        if (!job)
            throw std::runtime_error(row.at("trace").get<std::string>() + " is empty");
        rows.push_back({row.at("name"), std::move(*job), row.at("blocks"), row.at("ns")});
    }
    return rows;
}

// How far off the model is on a kernel that it was not fitted to.
double left_out_ns(Fitter &fitter, const std::vector<Measured> &rows, std::size_t out, const Parameters &start) {
    std::vector<const Measured *> others;
    for (std::size_t i = 0; i < rows.size(); i++)
        if (i != out)
            others.push_back(&rows[i]);
    return modelled_ns(rows[out], fitter.fit(others, start).parameters);
}

void fit_rows(const std::string &path, const Parameters &start) {
    const std::vector<Measured> rows = read_rows(path);
    std::vector<const Measured *> all;
    for (const Measured &row : rows)
        all.push_back(&row);
    Fitter fitter;
    const Fit best = fitter.fit(all, start);
    json result{{"parameters", to_json(best.parameters)}, {"rms", best.rms}, {"rows", json::array()}};
    double sum = 0;
    for (std::size_t i = 0; i < rows.size(); i++) {
        const double left_out = left_out_ns(fitter, rows, i, start), error = std::log(left_out / rows[i].ns);
        sum += error * error;
        result["rows"].push_back({{"name", rows[i].name},
                                  {"measured", rows[i].ns},
                                  {"modelled", modelled_ns(rows[i], best.parameters)},
                                  {"left_out", left_out}});
    }
    result["left_out_rms"] = std::sqrt(sum / static_cast<double>(rows.size()));
    std::cout << result.dump(1) << std::endl;
}

} // namespace
} // namespace v3dtiming

int main(int argc, char **argv) {
    CLI::App app("Event model of the V3D 7.1's compute side");
    std::string parameters, trace, rows;
    app.add_option("--parameters", parameters, "JSON object of parameters");
    auto *model = app.add_subcommand("model", "time of each job of a trace")->fallthrough();
    model->add_option("trace", trace)->required();
    auto *fit = app.add_subcommand("fit", "parameters from measured kernels")->fallthrough();
    fit->add_option("rows", rows)->required();
    app.require_subcommand(1);
    CLI11_PARSE(app, argc, argv);
    try {
        const v3dtiming::Parameters start = v3dtiming::read_parameters(parameters);
        if (*model)
            v3dtiming::model(trace, start);
        else
            v3dtiming::fit_rows(rows, start);
    } catch (const std::exception &error) {
        std::cerr << "v3dsim-timing: " << error.what() << std::endl;
        return 1;
    }
    return 0;
}
