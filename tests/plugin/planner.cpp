// SPDX-License-Identifier: BSD-2-Clause
//
// Plan `auto` against machines whose costs are made up.
#include "catch.h"

#include "plugin/decoder.h"
#include "plugin/temporary.h"
#include "scheduler/plan_cache.h"
#include "scheduler/planner.h"
#include "util/cache_file.h"

#include <algorithm>
#include <ctime>
#include <deque>
#include <filesystem>
#include <fstream>
#include <random>

using namespace dd;
using namespace dd::test;

namespace {

constexpr unsigned kMc = 1u << DD_STAGE_MC, kItx = 1u << DD_STAGE_ITX, kLf = 1u << DD_STAGE_LF, kAll = kMc | kItx | kLf;
constexpr double kPixels = 1920 * 1080, kMs = 1e6;

// Cores and a GPU that frames pass through one after the other: each has a core, then the GPU.
struct Machine {
    // By the stages on the GPU, in milliseconds: what is left to the CPU, and what the GPU takes.
    std::array<double, 8> cpu{}, gpu{};
    unsigned cores = 4;
    double noise = 0;
    unsigned hidden_every = 0; // such a frame takes four times as long
    unsigned scene = 0;        // frames, about, after which content gets half as hard again, or as it was
    bool hard = false;
    unsigned cold = 0;   // so many frames with a GPU take four times as long
    double pause_ms = 0; // the consumer's, before each frame
    double rate_ms = 0;  // the consumer takes frames at this rate
    std::mt19937 random{1};

    std::vector<double> core_free = std::vector<double>(64, 0);
    double gpu_free = 0, shown = 0, clock_ms = 0, cpu_ms = 0;
    unsigned frames = 0;

    double hardness(unsigned on_gpu) {
        double times = 1 + noise * std::uniform_real_distribution<double>(-1, 1)(random);
        times *= hidden_every && frames % hidden_every == 0 ? 4 : 1;
        if (scene && std::uniform_int_distribution<unsigned>(1, scene)(random) == 1)
            hard = !hard;
        times *= hard ? 1.5 : 1;
        return times * (on_gpu && cold && cold-- ? 4 : 1);
    }
    // A frame that may begin at `begin`; returns its end.
    double run(double begin, unsigned on_gpu) {
        const double times = hardness(on_gpu);
        double &core = *std::min_element(core_free.begin(), core_free.begin() + cores);
        core = std::max(core, begin + pause_ms) + times * cpu[on_gpu];
        double end = core;
        if (gpu[on_gpu] > 0)
            end = gpu_free = std::max(gpu_free, core) + times * gpu[on_gpu];
        cpu_ms += times * cpu[on_gpu];
        frames++;
        shown = std::max(end, shown + rate_ms);
        return shown;
    }
};

struct Underway {
    Choice choice;
    double end, cpu;
};

// Runs frames with a planner's plans, or all with `fixed`, `depth` of them on their way at once. Returns milliseconds
// a frame.
double run(Machine &machine, unsigned frames, unsigned depth, Planner *planner, const Candidate &fixed = {0},
           unsigned usable = kAll) {
    std::deque<Underway> underway;
    const double begin_ms = machine.clock_ms;
    const auto end_oldest = [&] {
        const Underway frame = underway.front();
        underway.pop_front();
        machine.clock_ms = std::max(machine.clock_ms, frame.end);
        if (planner)
            planner->ended(
                frame.choice, kPixels,
                {static_cast<std::int64_t>(machine.clock_ms * kMs), static_cast<std::int64_t>(frame.cpu * kMs)});
    };
    for (unsigned i = 1; i <= frames; i++) {
        if (underway.size() == depth)
            end_oldest();
        Choice choice;
        choice.on_gpu = i % fixed.every == 0 ? fixed.on_gpu : fixed.between;
        if (planner)
            choice = planner->plan({kPixels, false, usable}, static_cast<unsigned>(underway.size()) + 1,
                                   static_cast<std::int64_t>(machine.clock_ms * kMs));
        const double end = machine.run(machine.clock_ms, choice.on_gpu);
        underway.push_back({choice, end, machine.cpu_ms});
    }
    while (!underway.empty())
        end_oldest();
    return (machine.clock_ms - begin_ms) / frames;
}

// All stages on the GPU take these times; the CPU's share of each stage is what it takes there.
Machine machine_with(double parse, std::array<double, 3> stage_cpu, std::array<double, 3> stage_gpu) {
    Machine machine;
    for (unsigned plan = 0; plan < 8; plan++) {
        machine.cpu[plan] = parse;
        for (unsigned stage = 0; stage < 3; stage++)
            (plan >> stage & 1 ? machine.gpu[plan] : machine.cpu[plan]) +=
                plan >> stage & 1 ? stage_gpu[stage] : stage_cpu[stage];
    }
    return machine;
}
Machine fast_gpu() {
    return machine_with(3, {4, 1, 2}, {0.3, 0.1, 0.3});
}
Machine slow_gpu() {
    return machine_with(3, {4, 1, 2}, {30, 10, 10});
}
Machine half_gpu() { // its loop filter is worth it, the rest isn't
    return machine_with(3, {1, 0.3, 3}, {9, 4, 1});
}
// All four cores together are as fast as the GPU with a quarter of the frames.
Machine small_gpu() {
    return machine_with(4, {3, 1, 2}, {5, 2, 2.9});
}

std::span<const Candidate> table(DeviceKind kind = DeviceKind::fast) {
    return plan_table(DD_CODEC_VP9, kind);
}

double best_fixed(const Machine &machine, std::span<const Candidate> table, unsigned depth) {
    double best = 1e9;
    for (const Candidate &candidate : table) {
        Machine copy = machine;
        copy.noise = 0.1;
        best = std::min(best, run(copy, 2000, depth, nullptr, candidate));
    }
    return best;
}

unsigned winner(const Planner &planner) {
    return planner.standings()[size_class(kPixels)].incumbent;
}

} // namespace

TEST_CASE("after 300 frames plan auto is as fast as the best plan", "[planner]") {
    for (const DeviceKind kind : {DeviceKind::fast, DeviceKind::v3d})
        for (const Machine &made : {fast_gpu(), slow_gpu(), half_gpu(), small_gpu()})
            for (const unsigned depth : {1u, 4u, 8u}) {
                Machine machine = made;
                machine.noise = 0.1;
                machine.cold = 2;
                Planner planner(table(kind), Goal::speed, {});
                const unsigned first = kind == DeviceKind::fast ? 300 : 900; // its table is longer
                run(machine, first, depth, &planner);
                const double best = best_fixed(made, table(kind), depth);
                INFO("kind " << int(kind) << ", depth " << depth << ", best " << best);
                CHECK(run(machine, 8000, depth, &planner) < 1.05 * best);
            }
}

TEST_CASE("plans are mixed where that keeps both sides busy", "[planner]") {
    Machine machine = machine_with(4, {3, 1, 2}, {3, 1, 4}); // too slow for a stage of every frame
    Planner planner(table(DeviceKind::v3d), Goal::speed, {});
    run(machine, 1000, 8, &planner);
    REQUIRE(table(DeviceKind::v3d)[winner(planner)].every > 1);
}

TEST_CASE("stages that fit into some frames go to the GPU in those, others in all", "[planner]") {
    Machine machine = machine_with(4, {4, 1, 6}, {7, 2, 12}); // 21 ms for all, 15 on average, 9 without the filter
    Planner planner(table(DeviceKind::v3d), Goal::cpu, {});
    run(machine, 2000, 8, &planner);
    REQUIRE(table(DeviceKind::v3d)[winner(planner)] == Candidate{kAll, 2, kMc | kItx});
}

TEST_CASE("what a candidate is called says when its stages are the GPU's", "[planner]") {
    constexpr Candidate candidates[] = {{0}, {kAll, 2, kMc | kItx}};
    Machine machine = machine_with(20, {4, 1, 2}, {1, 1, 1});
    Planner planner(candidates, Goal::speed, {});
    std::string news;
    for (unsigned i = 0; i < 300 && news.empty(); i++) {
        run(machine, 1, 1, &planner);
        news = planner.take_news();
    }
    INFO(news);
    REQUIRE(news.find(" mc+itx+lf every 2 frames (else mc+itx): 0.") != news.npos);
}

TEST_CASE("probes cost little", "[planner]") {
    for (const Machine &made : {fast_gpu(), half_gpu(), slow_gpu()}) {
        Machine machine = made;
        Planner planner(table(), Goal::speed, {});
        run(machine, 1000, 4, &planner);
        const unsigned probes = planner.probes();
        const double ms = run(machine, 30000, 4, &planner);
        Machine fixed = made;
        CHECK(planner.probes() > probes); // no candidate is left out for good
        CHECK(ms < 1.012 * run(fixed, 30000, 4, nullptr, table()[winner(planner)]));
    }
}

TEST_CASE("content isn't taken for a plan's doing", "[planner]") {
    for (const unsigned scene : {60u, 100u, 150u, 333u}) {
        Machine machine = fast_gpu();
        machine.noise = 0.2;
        machine.hidden_every = 17;
        machine.scene = scene;
        Planner planner(table(), Goal::speed, {});
        unsigned elsewhere = 0;
        for (unsigned i = 0; i < 200; i++) {
            run(machine, 50, 4, &planner);
            elsewhere += table()[winner(planner)].on_gpu != kAll;
        }
        INFO("scenes of " << scene << " frames");
        CHECK(elsewhere < 20);
    }
}

TEST_CASE("content that changes all the time is no endless search", "[planner]") {
    Machine machine = half_gpu();
    machine.noise = 0.3;
    machine.scene = 40;
    Planner planner(table(), Goal::speed, {});
    run(machine, 4000, 4, &planner);
    const unsigned probes = planner.probes();
    CHECK(probes < 25);
    run(machine, 8000, 4, &planner);
    CHECK(planner.probes() < probes + 25);
}

TEST_CASE("a machine that is known isn't probed at once", "[planner]") {
    Standings known{};
    for (unsigned i = 0; i < table().size(); i++)
        known[size_class(kPixels)].pace[i] = {i ? 1.5 : 1, i ? 1.5 : 1};
    Machine machine = fast_gpu();
    Planner planner(table(), Goal::speed, known);
    run(machine, 500, 4, &planner);
    REQUIRE(planner.probes() == 0);
    run(machine, 500, 4, &planner);
    REQUIRE(planner.probes() == 1);
}

TEST_CASE("a change of the machine is followed", "[planner]") {
    Machine machine = fast_gpu();
    Planner planner(table(), Goal::speed, {});
    run(machine, 1000, 4, &planner);
    REQUIRE(table()[winner(planner)].on_gpu == kAll);
    const Machine slow = slow_gpu();
    machine.gpu = slow.gpu;
    run(machine, 4000, 4, &planner);
    REQUIRE(table()[winner(planner)].on_gpu == 0);
}

TEST_CASE("the goal of little CPU time takes a slower plan while it is fast enough", "[planner]") {
    Machine machine = machine_with(4, {3, 1, 2}, {6, 2, 3}); // 11 ms for all
    Planner speed(table(), Goal::speed, {}), cpu(table(), Goal::cpu, {});
    run(machine, 1000, 4, &speed);
    REQUIRE(table()[winner(speed)].on_gpu != kAll);
    run(machine, 1000, 4, &cpu);
    REQUIRE(table()[winner(cpu)].on_gpu == kAll);
    REQUIRE(table()[winner(cpu)].every == 1);
    Machine slower = machine_with(4, {3, 1, 2}, {12, 6, 6}); // 24 ms
    Planner fast_enough(table(), Goal::cpu, {});
    run(slower, 1000, 4, &fast_enough);
    REQUIRE((table()[winner(fast_enough)].on_gpu != kAll || table()[winner(fast_enough)].every > 1));
}

TEST_CASE("where the consumer sets the pace, the plan with the least CPU time wins", "[planner]") {
    Machine machine = machine_with(4, {3, 1, 2}, {6, 2, 3});
    machine.rate_ms = 1000.0 / 30;
    Planner planner(table(), Goal::speed, {});
    run(machine, 1000, 4, &planner);
    REQUIRE(table()[winner(planner)].on_gpu == kAll);
    REQUIRE(table()[winner(planner)].every == 1);
}

TEST_CASE("a slow consumer says nothing about plans", "[planner]") {
    Machine machine = fast_gpu();
    machine.pause_ms = 50;
    Planner planner(table(), Goal::speed, {});
    run(machine, 1000, 1, &planner);
    REQUIRE(table()[winner(planner)].on_gpu == kAll);
}

TEST_CASE("candidates that a stream makes equal aren't timed twice", "[planner]") {
    Machine machine = fast_gpu();
    Planner planner(table(), Goal::speed, {});
    run(machine, 400, 4, &planner, {0}, 0); // the GPU can do nothing of it
    REQUIRE(planner.probes() == 0);
}

TEST_CASE("frames without inter blocks follow the others", "[planner]") {
    Planner planner(table(), Goal::speed, {});
    REQUIRE(planner.plan({kPixels, true, kLf}, 1, 1).on_gpu == kLf);
    REQUIRE(planner.plan({kPixels, false, kAll}, 1, 1).on_gpu == kAll);
    Standings known{};
    known[size_class(kPixels)].incumbent = 1; // the CPU
    Planner cpu(table(), Goal::speed, known);
    REQUIRE(cpu.plan({kPixels, true, kLf}, 1, 1).on_gpu == 0);
}

TEST_CASE("each size has plans of its own", "[planner]") {
    Standings known{};
    known[size_class(640 * 360)].incumbent = 1;
    Planner planner(table(), Goal::speed, known);
    REQUIRE(planner.plan({640 * 360, false, kAll}, 1, 1).on_gpu == 0);
    REQUIRE(planner.plan({kPixels, false, kAll}, 1, 1).on_gpu == kAll);
    REQUIRE(planner.plan({640 * 360, false, kAll}, 1, 1).on_gpu == 0);
}

TEST_CASE("no candidate divides what belongs together", "[planner]") {
    for (const DdCodec codec : {DD_CODEC_VP9, DD_CODEC_AV1})
        for (const DeviceKind kind : {DeviceKind::fast, DeviceKind::v3d}) {
            const auto candidates = plan_table(codec, kind);
            REQUIRE(candidates.size() <= kMostCandidates);
            REQUIRE(std::ranges::any_of(candidates, [](const Candidate &c) { return c.on_gpu == 0; }));
            for (const Candidate &candidate : candidates) {
                REQUIRE(candidate.every > 0);
                REQUIRE((candidate.between & ~candidate.on_gpu) == 0);
                for (const unsigned stages : {candidate.on_gpu, candidate.between}) {
                    const bool predicts = stages & kMc, adds = stages & kItx;
                    REQUIRE((codec == DD_CODEC_VP9 ? predicts == adds : predicts || !adds));
                    REQUIRE(!(stages >> DD_STAGE_CDEF & 1) == !(stages >> DD_STAGE_LR & 1));
                    REQUIRE(stages >> codec_stages(codec) == 0);
                }
            }
        }
}

TEST_CASE("what is decided is said in one line", "[planner]") {
    Machine machine = slow_gpu();
    Planner planner(table(), Goal::speed, {});
    std::string news;
    for (unsigned i = 0; i < 300 && news.empty(); i++) {
        run(machine, 1, 1, &planner);
        news = planner.take_news();
    }
    REQUIRE(news.starts_with("plan auto: mc+itx+lf, "));
    REQUIRE(news.find(" ms a frame, gives way to cpu: 0.") != news.npos);
    REQUIRE(planner.take_news().empty());
}

TEST_CASE("planning takes next to no time", "[planner]") {
    constexpr unsigned frames = 200000;
    Planner planner(table(DeviceKind::v3d), Goal::speed, {});
    const std::clock_t begin = std::clock();
    for (unsigned i = 0; i < frames; i++) {
        const Choice choice = planner.plan({kPixels, false, kAll}, 2, i * 5000000);
        planner.ended(choice, kPixels, {i * 5000000 + 4000000, i * 9000000});
    }
    const double ns = static_cast<double>(std::clock() - begin) * 1e9 / CLOCKS_PER_SEC / frames;
    // A thousandth of a core at 60 frames a second.
    INFO(ns << " ns a frame");
    REQUIRE(ns < 0.001 * 1e9 / 60);
}

TEST_CASE("goals are read", "[planner]") {
    Goal goal = Goal::speed;
    REQUIRE(parse_goal("cpu", goal));
    REQUIRE(goal == Goal::cpu);
    REQUIRE(parse_goal("speed", goal));
    REQUIRE(goal == Goal::speed);
    REQUIRE_FALSE(parse_goal("", goal));
    REQUIRE_FALSE(parse_goal("gpu", goal));
}

namespace {

Standings some_standings() {
    Standings standings{};
    standings[1].incumbent = 2;
    standings[1].pace[0] = {1.5, 2};
    standings[1].pace[2] = {1, 1};
    return standings;
}

bool same(const Standings &a, const Standings &b) {
    for (unsigned size = 0; size < kSizes; size++)
        for (unsigned i = 0; i < kMostCandidates; i++)
            if (a[size].incumbent != b[size].incumbent || a[size].pace[i].wall != b[size].pace[i].wall ||
                a[size].pace[i].cpu != b[size].pace[i].cpu)
                return false;
    return true;
}

} // namespace

TEST_CASE("standings are kept, and only valid ones are read", "[planner]") {
    const TemporaryFolder folder;
    const Environment cache("XDG_CACHE_HOME", folder.path().string());
    const std::string path = cache_path("Some GPU / 1.0-7", kPlanCacheExtension);
    REQUIRE(path == (folder.path() / "daedalus" / "Some-GPU---1.0-7.plans").string());
    REQUIRE(same(load_standings(path, table()), {}));
    save_standings(path, table(), some_standings());
    REQUIRE(same(load_standings(path, table()), some_standings()));
    REQUIRE(same(load_standings(path, table(DeviceKind::v3d)), {})); // another table's
    const std::string good = [&] {
        std::ifstream in(path);
        return std::string((std::istreambuf_iterator<char>(in)), {});
    }();
    for (const std::string &bad :
         {std::string(), good.substr(0, good.size() / 2), good + "more 1\n", good + "other 0 99 0 1 0 1 1\n",
          good + "other 4 0 7 1 0 1 1\n", good + "other 1 0 7 1 0 -1 1\n", good + "other 1 0 7 1 1 1 1\n",
          good + "other 1 0 7 1 0 1", good + "other 1 0 7 1 0 nan 1", "x" + good}) {
        std::ofstream(path) << bad;
        REQUIRE(same(load_standings(path, table()), {}));
    }
}

TEST_CASE("what can't be kept is no error", "[planner]") {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "daedalus") << "a file where the folder should be";
    const Environment cache("XDG_CACHE_HOME", folder.path().string());
    const std::string path = cache_path("x", kPlanCacheExtension);
    save_standings(path, table(), some_standings());
    REQUIRE(same(load_standings(path, table()), {}));
}

TEST_CASE("a cache folder that isn't there is made, for the user alone", "[planner]") {
    const TemporaryFolder folder;
    const std::filesystem::path absent = folder.path() / "absent";
    const Environment cache("XDG_CACHE_HOME", absent.string());
    const std::string path = cache_path("x", kPlanCacheExtension);
    REQUIRE_FALSE(std::filesystem::exists(absent)); // not before there is something to keep
    save_standings(path, table(), some_standings());
    REQUIRE(same(load_standings(path, table()), some_standings()));
    REQUIRE(std::filesystem::status(absent).permissions() == std::filesystem::perms::owner_all);
}

TEST_CASE("where there is no place for a cache folder, nothing is kept", "[planner]") {
    const TemporaryFolder folder;
    const Environment cache("XDG_CACHE_HOME", (folder.path() / "absent/cache").string());
    REQUIRE(cache_path("x", kPlanCacheExtension).empty());
    save_standings("", table(), {});
}
