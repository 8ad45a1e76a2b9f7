// SPDX-License-Identifier: BSD-2-Clause
//
// What plan `auto` does with VP9 streams on a Raspberry Pi 5, by modelled costs: a table for the docs.
#include "cost_model.h"
#include "scheduler/plan.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

using namespace dd;

namespace {

constexpr unsigned kVp9Stages = 1u << DD_STAGE_MC | 1u << DD_STAGE_ITX | 1u << DD_STAGE_LF;

struct Stream {
    const char *name;
    double width, height, rate;
};
constexpr Stream kStreams[] = {
    {"1080p30", 1920, 1080, 30}, {"1080p60", 1920, 1080, 60}, {"1440p60", 2560, 1440, 60}, {"2160p30", 3840, 2160, 30}};

struct Setting {
    unsigned cores = 4, threads = 4;
    double parse = 1; // by the assumed cost
};

std::string plan_name(unsigned on_gpu) {
    const char *names[] = {"mc", "itx", "lf"};
    std::string text;
    for (unsigned stage = 0; stage < 3; stage++)
        if (on_gpu >> stage & 1)
            text += (text.empty() ? "" : ", ") + std::string(names[stage]);
    return text.empty() ? "nothing" : text;
}

struct Row {
    unsigned on_gpu;
    double frame_ns;
    CostEstimate cost;
};

// A frame occupies a core, then the GPU; as many frames are in flight as there are threads, of which one is parsed.
double frame_ns(const Setting &setting, const CostEstimate &cost) {
    const double depth = setting.threads, workers = std::min(setting.threads, setting.cores);
    return std::max(
        {cost.cpu_ns / workers, cost.in_order_ns, cost.gpu_ns, cost.chain_ns, (cost.cpu_ns + cost.gpu_ns) / depth});
}

bool is_better(const Row &row, const Row &than, Goal goal) {
    constexpr double kRealTime = 1e9 / 60;
    if (goal == Goal::cpu && row.frame_ns <= kRealTime && than.frame_ns <= kRealTime)
        return row.cost.cpu_ns < than.cost.cpu_ns;
    return row.frame_ns < than.frame_ns;
}

// The best of all plans for a frame with inter blocks.
Row choose(const Stream &stream, const Setting &setting, const Costs &costs, Goal goal, unsigned usable) {
    std::optional<Row> best;
    for (unsigned on_gpu = 0; on_gpu <= usable; on_gpu++) {
        const CostEstimate cost = predict(costs, {stream.width * stream.height, false, kVp9Stages, on_gpu});
        const Row row = {on_gpu, frame_ns(setting, cost), cost};
        if (!best || is_better(row, *best, goal))
            best = row;
    }
    return *best;
}

void print(const Stream &stream, const Setting &setting, const char *who, const Row &row) {
    const double fps = 1e9 / row.frame_ns, shown = std::min(fps, stream.rate);
    std::printf("| %s | %s | %s | %.1f | %.1f | %.0f | %.0f %% | %.0f %% |\n", stream.name, who,
                plan_name(row.on_gpu).c_str(), row.cost.cpu_ns / 1e6, row.cost.gpu_ns / 1e6, fps,
                row.cost.cpu_ns * shown / 1e9 / setting.cores * 100, row.cost.gpu_ns * shown / 1e9 * 100);
}

void print_all(const Setting &setting) {
    Costs costs = board_costs(DD_CODEC_VP9);
    costs[kCostParse] *= setting.parse;
    std::printf(
        "| stream | | GPU does | CPU ms a frame | GPU ms a frame | most fps | CPU at the stream's rate | GPU |\n");
    std::printf("|---|---|---|---|---|---|---|---|\n");
    for (const Stream &stream : kStreams) {
        print(stream, setting, "all on the CPU", choose(stream, setting, costs, Goal::speed, 0));
        print(stream, setting, "`auto`", choose(stream, setting, costs, Goal::speed, kVp9Stages));
        print(stream, setting, "`auto`, `goal=cpu`", choose(stream, setting, costs, Goal::cpu, kVp9Stages));
    }
}

} // namespace

int main(int argc, char **argv) {
    CLI::App app("Says what plan auto does with VP9 streams on a Raspberry Pi 5, by modelled costs. "
                 "Example: forecast --threads 4");
    Setting setting;
    app.add_option("--cores", setting.cores, "that the decoder may use (default: 4)")->check(CLI::Range(1, 64));
    app.add_option("--threads", setting.threads, "frames in flight (default: 4)")->check(CLI::Range(1, 64));
    app.add_option("--parse", setting.parse, "parsing and intra take so many times the assumed cost (default: 1)")
        ->check(CLI::PositiveNumber);
    CLI11_PARSE(app, argc, argv);
    print_all(setting);
    return 0;
}
