// SPDX-License-Identifier: BSD-2-Clause
#include "measure.h"
#include "memory_cost.h"
#include "scheduler_cost.h"

#include "util/dma_buf.h"
#include "vulkan/gpu.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <fnmatch.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>

namespace {

struct Options {
    std::string device = "auto", profile = "auto", size = "1920x1080", json;
    unsigned depth = 8, seed = 1;
    double seconds = 0.5;
    bool list = false, scheduler = false, memory = false;
    std::vector<std::string> patterns, batches;
};

bool wanted(const Options &options, const std::string &name) {
    if (options.patterns.empty())
        return true;
    for (const std::string &pattern : options.patterns)
        if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0)
            return true;
    return false;
}

bench::Scene scene_of(const Options &options) {
    unsigned width = 0, height = 0;
    if (std::sscanf(options.size.c_str(), "%ux%u", &width, &height) != 2 || width < 64 || height < 64)
        throw std::runtime_error("--size takes WIDTHxHEIGHT, 64x64 at least");
    bench::Scene scene;
    scene.format.width = width;
    scene.format.height = height;
    scene.format.bit_depth = static_cast<std::uint8_t>(options.depth);
    scene.format.ss_h = scene.format.ss_v = 1;
    scene.seed = options.seed;
    return scene;
}

void print_head() {
    std::printf("%-20s %7s %10s %10s %10s %8s %7s %21s %5s\n", "", "M1", "M2", "M2 wall", "M3", "C", "R",
                "M4 gpu + core", "disp.");
    std::printf("%-20s %7s %10s %10s %10s %8s %7s %21s %5s\n", "kernel", "runs", "Mpix/s", "Mpix/s", "Mpix/s", "Mpix/s",
                "M2/M3", "Mpix/s", "");
}

void print(const bench::Figures &f) {
    if (!f.problem.empty()) {
        std::printf("%-20s WRONG: %s\n", f.name.c_str(), f.problem.c_str());
        return;
    }
    constexpr double mega = 1e-6;
    std::printf("%-20s %7u %9.1f%s %10.1f %10.1f %8.1f %7.3f %10.1f + %8.1f %5zu\n", f.name.c_str(), f.runs,
                f.gpu * mega, f.gpu_clock ? " " : "*", f.gpu_wall * mega, f.simd * mega, f.plain_c * mega, f.ratio(),
                f.both_gpu * mega, f.both_simd * mega, f.dispatches);
    std::fflush(stdout);
}

nlohmann::json as_json(const bench::Figures &f) {
    return {{"kernel", f.name},           {"problem", f.problem},    {"pixels", f.pixels},
            {"blocks", f.blocks},         {"exact_runs", f.runs},    {"gpu", f.gpu},
            {"gpu_wall", f.gpu_wall},     {"simd", f.simd},          {"c", f.plain_c},
            {"ratio", f.ratio()},         {"both_gpu", f.both_gpu},  {"both_simd", f.both_simd},
            {"dispatches", f.dispatches}, {"gpu_clock", f.gpu_clock}};
}

// One block: nearly nothing but the submit.
bench::Work small_work() {
    bench::Scene scene;
    scene.format.width = scene.format.height = 64;
    scene.format.ss_h = scene.format.ss_v = 1;
    for (const bench::Kernel &kernel : bench::kernels())
        if (kernel.name == "mc-8tap-64")
            return kernel.make(scene);
    throw std::runtime_error("no small kernel");
}

// What is to be measured: random work of the wanted kernels, or with --batch the stages of saved batches.
void for_each_work(const Options &options, const std::function<void(const bench::Work &)> &use) {
    for (const std::string &path : options.batches)
        for (const bench::Work &work : bench::replayed_work(path))
            if (wanted(options, work.name))
                use(work);
    if (!options.batches.empty())
        return;
    const bench::Scene scene = scene_of(options);
    for (const bench::Kernel &kernel : bench::kernels())
        if (wanted(options, kernel.name))
            use(kernel.make(scene));
}

void write_json(const std::string &path, const nlohmann::json &all) {
    std::ofstream out(path);
    out << all.dump(1) << '\n';
    if (!out.flush())
        throw std::runtime_error(path + " can't be written");
}

int run(const Options &options) {
    bench::Gpu gpu(options.device, options.profile);
    const std::string what = options.batches.empty() ? options.size + ", " + std::to_string(options.depth) +
                                                           " bits, seed " + std::to_string(options.seed)
                                                     : "saved batches";
    std::printf("%s, %s\n", gpu.device().info().name.c_str(), what.c_str());
    print_head();
    nlohmann::json rows = nlohmann::json::array();
    unsigned exact = 0, wrong = 0;
    for_each_work(options, [&](const bench::Work &work) {
        const bench::Figures figures = bench::measure(gpu, work, options.seconds);
        print(figures);
        rows.push_back(as_json(figures));
        ++(figures.problem.empty() ? exact : wrong);
    });
    const bench::Overhead overhead = bench::measure_overhead(gpu, small_work());
    std::printf("M5: %.1f us a submit, %.1f us each further dispatch\n", overhead.submit * 1e6,
                overhead.dispatch * 1e6);
    if (!options.json.empty())
        write_json(options.json, {{"device", gpu.device().info().name},
                                  {"size", options.size},
                                  {"depth", options.depth},
                                  {"seed", options.seed},
                                  {"kernels", rows},
                                  {"submit_seconds", overhead.submit},
                                  {"dispatch_seconds", overhead.dispatch}});
    std::printf("%u passed, %u failed, 0 skipped\n", exact, wrong);
    return wrong || !exact ? 1 : 0;
}

void print_rates(const char *name, const bench::MemoryRates &rates) {
    std::printf("%s: reads %.1f GB/s, writes %.1f GB/s, copies %.1f GB/s\n", name, rates.read / 1e9, rates.write / 1e9,
                rates.copy / 1e9);
}

nlohmann::json json_of(const bench::MemoryRates &rates) {
    return {{"read", rates.read}, {"write", rates.write}, {"copy", rates.copy}};
}

nlohmann::json run_synchronisation(const Options &options) {
    std::string why;
    std::unique_ptr<dd::GpuPicture> picture; // the memory is imported as long as it lives
    const auto gpu = dd::Gpu::open({options.device, options.profile}, why);
    if (!gpu || !gpu->make_picture(dd::make_picture_layout(scene_of(options).format, 64), picture) ||
        !picture->dma_buf()) {
        std::puts("synchronisation: no GPU imports memory of a dma-heap");
        return nullptr;
    }
    const dd::DmaBuf &imported = *picture->dma_buf();
    const bench::SynchronisationCost cost = bench::measure_synchronisation(imported, options.seconds);
    std::printf("synchronisation of a picture that was written: begin %.0f us, end %.0f us\n", cost.begin_ns / 1e3,
                cost.end_ns / 1e3);
    return {{"bytes", imported.size()}, {"begin_ns", cost.begin_ns}, {"end_ns", cost.end_ns}};
}

int run_memory(const Options &options) {
    const bench::MemoryCost cost = bench::measure_memory(options.seconds);
    print_rates("plain memory", cost.plain);
    if (cost.heap.read > 0)
        print_rates("dma-heap", cost.heap);
    else
        std::puts("dma-heap: there is none that may be opened");
    const nlohmann::json synchronisation = run_synchronisation(options);
    if (!options.json.empty())
        write_json(
            options.json,
            {{"plain", json_of(cost.plain)}, {"heap", json_of(cost.heap)}, {"synchronisation", synchronisation}});
    return 0;
}

int run_scheduler(const Options &options) {
    const bench::SchedulerCost cost = bench::measure_scheduler(options.seconds);
    const double share = cost.mean_ns * 60 / 1e9;
    std::printf("plan auto: %.0f ns of CPU a frame, at most %.0f among 1000 frames: %.5f %% of a core at 60 frames/s "
                "(%u frames)\n",
                cost.mean_ns, cost.worst_ns, share * 100, cost.frames);
    if (!options.json.empty())
        write_json(options.json, {{"frames", cost.frames},
                                  {"mean_ns", cost.mean_ns},
                                  {"worst_of_1000_ns", cost.worst_ns},
                                  {"share_of_a_core_at_60", share}});
    return 0;
}

constexpr const char *kAbout =
    R"(One kernel at a time on a frame of random or saved work, against the decoder's own functions on one core:
FFmpeg's for VP9, dav1d's for AV1 (av1-*).
M1  runs on the GPU, every one of them compared with the decoder's output byte by byte
M2  pixels a second while the GPU computes (*: it has no clock, submit and wait are in it); wall: with submit and wait
M3  pixels a second of the decoder's SIMD functions on one core; C: without SIMD
R   M2 / M3
M4  both at the same time
M5  what a submit and a dispatch cost)";

} // namespace

int main(int argc, char **argv) {
    CLI::App app{kAbout};
    Options options;
    app.add_option("kernel", options.patterns, "names or patterns of kernels (default: all)");
    app.add_option("--device", options.device, "auto, a Vulkan device's index or part of its name (default: auto)");
    app.add_option("--profile", options.profile)->check(CLI::IsMember({"auto", "v3d", "wide"}));
    app.add_option("--size", options.size, "of the picture (default: 1920x1080)");
    app.add_option("--depth", options.depth, "bits a pixel")->check(CLI::IsMember({8, 10, 12}));
    app.add_option("--seconds", options.seconds, "of each figure, at least (default: 0.5)")
        ->check(CLI::NonNegativeNumber);
    app.add_option("--batch", options.batches, "saved batches (.ddb) instead of random work");
    app.add_option("--seed", options.seed);
    app.add_option("--json", options.json, "write all figures to this file");
    app.add_flag("--list", options.list, "name the kernels");
    app.add_flag("--scheduler", options.scheduler, "instead of kernels: what plan auto's decisions cost the CPU");
    app.add_flag("--memory", options.memory,
                 "instead of kernels: rates of memory and the synchronisation of a picture");
    CLI11_PARSE(app, argc, argv);
    if (options.list) {
        for (const bench::Kernel &kernel : bench::kernels())
            std::puts(kernel.name.c_str());
        return 0;
    }
    try {
        return options.scheduler ? run_scheduler(options) : options.memory ? run_memory(options) : run(options);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
