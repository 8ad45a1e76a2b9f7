// SPDX-License-Identifier: BSD-2-Clause
//
// Plan `auto` against machines whose costs are made up.
#include "catch.h"

#include "plugin/decoder.h"
#include "plugin/temporary.h"
#include "scheduler/calibration.h"
#include "scheduler/planner.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

using namespace dd;
using namespace dd::test;

namespace {

constexpr unsigned kAll = 7;

// What happens when frames with a planner's plans run on a machine with `costs`.
struct Machine {
    Costs costs;
    double noise = 0;
    unsigned outlier_every = 0;
    std::mt19937 random{1};

    double measured(double ns, std::uint64_t frame) {
        const double factor = 1 + noise * std::uniform_real_distribution<double>(-1, 1)(random);
        return ns * factor * (outlier_every && frame % outlier_every == 0 ? 20 : 1);
    }
};

struct Run {
    unsigned on_gpu = 0; // the most frequent plan of the last half
    double share = 0;    // of frames of the last half that have it
    unsigned switches = 0, trials = 0;
    double trial_cost = 0; // by all time
};

Run run(Planner &planner, Machine &machine, unsigned frames, unsigned depth = 1, bool intra = false) {
    const CostModel truth(machine.costs);
    Run result;
    std::array<unsigned, kAll + 1> count{};
    unsigned now = ~0u;
    double all = 0, trials = 0;
    for (unsigned i = 1; i <= frames; i++) {
        CostQuery query{1920 * 1080, intra, true, 0};
        const Forecast forecast = planner.plan(query, depth);
        query.on_gpu = forecast.on_gpu;
        const CostEstimate cost = truth.predict(query);
        CostOutcome outcome;
        outcome.submits = query.submits();
        outcome.cpu_ns = machine.measured(cost.cpu_ns, i);
        for (const unsigned phase : {3u, 4u}) {
            CostQuery submit = query;
            submit.on_gpu &= phase;
            if (submit.submits())
                planner.learn_submit(submit, machine.measured(truth.predict(submit).gpu_ns, i));
        }
        planner.learn_frame(query, outcome);
        all += cost.cpu_ns + cost.gpu_ns;
        result.trials += forecast.trial;
        if (forecast.trial) {
            trials += cost.cpu_ns + cost.gpu_ns;
            continue;
        }
        result.switches += now != ~0u && now != forecast.on_gpu;
        now = forecast.on_gpu;
        if (i > frames / 2)
            count[now]++;
    }
    result.on_gpu = static_cast<unsigned>(std::ranges::max_element(count) - count.begin());
    result.share = 2.0 * count[result.on_gpu] / frames;
    result.trial_cost = trials / all;
    return result;
}

Costs fast_gpu() {
    return seed_costs(CostSeed::discrete);
}

// Of a GPU that takes far longer than the CPU.
Costs slow_gpu() {
    Costs costs = fast_gpu();
    for (unsigned stage = 0; stage < kCostStages; stage++)
        costs[kCostGpu + stage] = 30;
    return costs;
}

// Of both sides, a frame with a plan.
double work(const Costs &costs, unsigned on_gpu) {
    const CostEstimate cost = CostModel(costs).predict({1920 * 1080, false, true, on_gpu});
    return cost.cpu_ns + cost.gpu_ns;
}

} // namespace

TEST_CASE("plans follow what a GPU is worth, whatever they start from", "[planner]") {
    const CostSeed seed = GENERATE(CostSeed::discrete, CostSeed::software);
    const unsigned depth = GENERATE(1u, 4u);
    const double noise = GENERATE(0.0, 0.3);
    const unsigned outlier_every = GENERATE(0u, 37u);
    CAPTURE(static_cast<int>(seed), depth, noise, outlier_every);
    const PlannerTraits traits{Goal::speed, 4, false};
    // Trials of what is thought to be slow are rare.
    const unsigned frames = seed == CostSeed::software ? 60000 : 4000;
    Machine slow{slow_gpu(), noise, outlier_every, std::mt19937(1)};
    Planner on_slow(traits, seed_costs(seed));
    const Run cpu = run(on_slow, slow, frames, depth);
    REQUIRE(cpu.on_gpu == 0);
    REQUIRE(cpu.share > 0.9);
    REQUIRE(cpu.switches <= frames / 200);
    Machine fast{fast_gpu(), noise, outlier_every, std::mt19937(1)};
    Planner on_fast(traits, seed_costs(seed));
    const Run gpu = run(on_fast, fast, frames, depth);
    REQUIRE((gpu.on_gpu & 1u << DD_STAGE_MC) != 0);
    // Hysteresis and what trials have left unknown may cost a little.
    REQUIRE(work(fast.costs, gpu.on_gpu) < 1.15 * work(fast.costs, kAll));
    REQUIRE(work(fast.costs, 0) > 1.3 * work(fast.costs, kAll));
    REQUIRE(gpu.share > 0.9);
    REQUIRE(gpu.switches <= frames / 200);
}

TEST_CASE("a change of the machine is followed", "[planner]") {
    Planner planner({Goal::speed, 1, false}, fast_gpu());
    Machine machine{fast_gpu(), 0.1, 0, std::mt19937(1)};
    REQUIRE(run(planner, machine, 500).on_gpu != 0);
    machine.costs = slow_gpu();
    REQUIRE(run(planner, machine, 2000).on_gpu == 0);
    machine.costs = fast_gpu();
    REQUIRE(run(planner, machine, 20000).on_gpu != 0);
}

TEST_CASE("trials cost little", "[planner]") {
    Planner planner({Goal::speed, 1, false}, slow_gpu());
    Machine machine{slow_gpu(), 0.1, 0, std::mt19937(1)};
    const Run result = run(planner, machine, 20000);
    REQUIRE(result.trials > 0);
    REQUIRE(result.trial_cost < 0.03);
}

TEST_CASE("a GPU that was slow once is tried again", "[planner]") {
    Planner planner({Goal::speed, 1, false}, fast_gpu());
    CostQuery query{1920 * 1080, false, true, kAll};
    planner.learn_submit(query, 1e9);
    Machine machine{fast_gpu(), 0.1, 0, std::mt19937(1)};
    REQUIRE(run(planner, machine, 1000).on_gpu != 0);
}

TEST_CASE("equal plans aren't changed for noise", "[planner]") {
    Costs even = fast_gpu();
    for (unsigned stage = 0; stage < kCostStages; stage++) {
        even[kCostRecord + stage] = even[kCostCpu + stage];
        even[kCostGpu + stage] = 0;
    }
    even[kCostSubmitCpu] = even[kCostSubmitGpu] = 0;
    Planner planner({Goal::speed, 1, false}, even);
    Machine machine{even, 0.1, 0, std::mt19937(1)};
    REQUIRE(run(planner, machine, 4000).switches <= 40);
}

TEST_CASE("the goal of little CPU time takes a slower plan while it is fast enough", "[planner]") {
    // Offloading saves CPU time, and takes longer than doing it; one frame at a time.
    Costs costs = fast_gpu();
    for (unsigned stage = 0; stage < kCostStages; stage++)
        costs[kCostGpu + stage] = 1.0;
    Machine machine{costs, 0.05, 0, std::mt19937(1)};
    Planner speed({Goal::speed, 1, false}, costs), cpu({Goal::cpu, 1, false}, costs);
    REQUIRE(run(speed, machine, 2000).on_gpu == 0);
    REQUIRE(run(cpu, machine, 2000).on_gpu == kAll);
    // Too slow for real time: the fastest counts.
    for (unsigned stage = 0; stage < kCostStages; stage++)
        costs[kCostGpu + stage] = 10;
    Machine late{costs, 0.05, 0, std::mt19937(1)};
    Planner cpu_late({Goal::cpu, 1, false}, costs);
    REQUIRE(run(cpu_late, late, 2000).on_gpu == 0);
}

TEST_CASE("a renderer on the CPU ends on the CPU", "[planner]") {
    for (const Goal goal : {Goal::speed, Goal::cpu}) {
        Planner planner({goal, 2, true}, seed_costs(CostSeed::software));
        Machine machine{seed_costs(CostSeed::software), 0.2, 50, std::mt19937(1)};
        const Run result = run(planner, machine, 1000, 2);
        REQUIRE(result.on_gpu == 0);
        REQUIRE(result.share > 0.95);
    }
}

TEST_CASE("frames without inter blocks have plans of their own", "[planner]") {
    Planner planner({Goal::speed, 1, false}, fast_gpu());
    Machine machine{fast_gpu(), 0, 0, std::mt19937(1)};
    REQUIRE((run(planner, machine, 200, 1, true).on_gpu & ~(1u << DD_STAGE_LF)) == 0);
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

TEST_CASE("costs are kept, and only sound ones are read", "[planner]") {
    const TemporaryFolder folder;
    const Environment cache("XDG_CACHE_HOME", folder.path().string());
    const std::string path = calibration_path("Some GPU / 1.0-7");
    REQUIRE(path == (folder.path() / "daedalus" / "Some-GPU---1.0-7.costs").string());
    Costs costs = seed_costs(CostSeed::v3d), read{};
    REQUIRE_FALSE(load_calibration(path, read));
    save_calibration(path, costs);
    REQUIRE(load_calibration(path, read));
    REQUIRE(read == costs);
    unsigned files = 0;
    for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(folder.path() / "daedalus"))
        files++;
    REQUIRE(files == 1);
    const std::string good = [&] {
        std::ifstream in(path);
        return std::string((std::istreambuf_iterator<char>(in)), {});
    }();
    for (const std::string &bad : {std::string(), good.substr(0, good.size() / 2), good + "more 1\n", "x" + good,
                                   good.substr(0, good.find(' ')) + " -1" + good.substr(good.find('\n', 20))}) {
        std::ofstream(path) << bad;
        Costs kept = read;
        REQUIRE_FALSE(load_calibration(path, kept));
        REQUIRE(kept == read);
    }
}

TEST_CASE("where there is no cache folder, no costs are kept", "[planner]") {
    const TemporaryFolder folder;
    const Environment cache("XDG_CACHE_HOME", (folder.path() / "absent").string());
    REQUIRE(calibration_path("x").empty());
    save_calibration("", Costs{});
}
