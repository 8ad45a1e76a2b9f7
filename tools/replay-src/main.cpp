// SPDX-License-Identifier: BSD-2-Clause
#include "replay.h"

#include "util/environment.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <exception>
#include <fstream>

namespace {

void print(const std::string &file, const replay::Result &result) {
    std::printf("%s: %llu predictions, %llu residuals, %llu superblocks filtered, %.0f KiB uploaded\n", file.c_str(),
                result.counts.predictions, result.counts.residuals, result.counts.superblocks, result.upload_kib);
    double total = 0;
    for (const replay::DispatchTime &dispatch : result.dispatches) {
        std::printf("  %-24s %8u workgroups %12.1f us\n", dispatch.kernel.c_str(), dispatch.groups,
                    dispatch.microseconds);
        total += dispatch.microseconds;
    }
    std::printf("  %-24s %8zu dispatches %12.1f us, scalar reference %.1f ms\n", "all", result.dispatches.size(), total,
                result.reference_ms);
    if (result.difference.empty())
        std::printf("  exact in %u of %u runs\n", result.runs, result.runs);
    else
        std::printf("  DIFFERS in run %u: %s\n", result.runs, result.difference.c_str());
}

nlohmann::json to_json(const std::string &file, const replay::Result &result) {
    nlohmann::json dispatches = nlohmann::json::array();
    for (const replay::DispatchTime &d : result.dispatches)
        dispatches.push_back({{"kernel", d.kernel}, {"workgroups", d.groups}, {"us", d.microseconds}});
    return {{"file", file},
            {"dispatches", dispatches},
            {"reference_ms", result.reference_ms},
            {"runs", result.runs},
            {"upload_kib", result.upload_kib},
            {"exact", result.difference.empty()},
            {"difference", result.difference}};
}

// 0: exact; 1: not.
int replay_file(const std::shared_ptr<dd::Gpu> &gpu, const std::string &file, unsigned runs, nlohmann::json &all) {
    dd::SavedBatch saved;
    const std::string error = dd::load_batch(file, saved);
    if (!error.empty())
        throw std::runtime_error(error);
    const replay::Result result = replay::Replay(gpu, saved).run(runs);
    print(file, result);
    all.push_back(to_json(file, result));
    return result.difference.empty() ? 0 : 1;
}

int run(const dd::GpuOptions &options, const std::vector<std::string> &files, unsigned runs, const std::string &json) {
    std::string why;
    const auto gpu = dd::Gpu::open(options, why);
    if (!gpu)
        throw std::runtime_error(why.empty() ? "a device is needed: --device NAME" : why);
    std::printf("%s, profile %s, %s memory\n", gpu->info().name.c_str(),
                gpu->info().profile == dd::Profile::v3d ? "v3d" : "wide", gpu->info().memory);
    nlohmann::json all = nlohmann::json::array();
    int result = 0;
    for (const std::string &file : files)
        result |= replay_file(gpu, file, runs, all);
    if (!json.empty()) {
        std::ofstream out(json);
        out << nlohmann::json{{"device", gpu->info().name}, {"batches", all}}.dump(2) << '\n';
        if (!out.flush())
            throw std::runtime_error(json + " can't be written");
    }
    return result;
}

} // namespace

int main(int argc, char **argv) {
    CLI::App app("Runs saved batches (.ddb) on a Vulkan device and on the scalar reference, compares every pixel, and "
                 "times each dispatch. Batches are saved, in builds with -Dtest_hooks=true, by "
                 "DAEDALUS_SAVE_BATCH=FOLDER[:N] ffmpeg -hwaccel daedalus ...");
    std::vector<std::string> files;
    std::string device, profile, json;
    unsigned runs = 5;
    app.add_option("FILE", files, "saved batches")->required()->check(CLI::ExistingFile);
    app.add_option("--device", device, "auto, a Vulkan device index or a part of its name (DAEDALUS_DEVICE)");
    app.add_option("--profile", profile, "auto, v3d (few dispatches) or wide (DAEDALUS_PROFILE)")
        ->check(CLI::IsMember({"auto", "v3d", "wide"}));
    app.add_option("--runs", runs, "runs of each batch, of whose times the median counts")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    app.add_option("--json", json, "also write the figures to this file");
    CLI11_PARSE(app, argc, argv);
    try {
        dd::GpuOptions options;
        options.device =
            dd::option_or_environment(device.empty() ? nullptr : device.c_str(), "DAEDALUS_DEVICE", "auto");
        options.profile =
            dd::option_or_environment(profile.empty() ? nullptr : profile.c_str(), "DAEDALUS_PROFILE", "auto");
        options.timestamps = true;
        return run(options, files, runs, json);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "replay: %s\n", error.what());
        return 2;
    }
}
