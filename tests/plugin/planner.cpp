// SPDX-License-Identifier: BSD-2-Clause
//
// Plan `auto` against machines whose costs are made up.
#include "catch.h"

#include "plugin/decoder.h"
#include "plugin/temporary.h"
#include "scheduler/calibration.h"
#include "scheduler/planner.h"
#include "util/cache_file.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <deque>
#include <filesystem>
#include <fstream>
#include <random>

using namespace dd;
using namespace dd::test;

namespace {

constexpr unsigned kAll = 7;

PlanQuery vp9_frame(bool intra = false) {
    const unsigned stages = intra ? 1u << DD_STAGE_LF : kAll;
    return {1920 * 1080, intra, stages, stages, 0};
}

// What happens when frames with a planner's plans run on a machine with `costs`.
struct Machine {
    Costs costs;
    double noise = 0;
    unsigned outlier_every = 0;
    double gpu_side = 1;      // how much longer frames with a GPU take than their costs say
    unsigned scene_every = 0; // frames, after which content gets twice as hard, or as it was
    double pause_ns = 0;      // the consumer's, after each frame
    double turn_ns = 0;       // until threads work together again after a change of plan for several frames
    unsigned cores = 4;
    unsigned cold = 0;    // so many frames with a GPU take four times as long
    bool grouped = false; // frames differ as those of an encoder that looks ahead do
    unsigned shift = 0;   // of the groups
    std::mt19937 random{1};

    double noisy(double ns) { return ns * (1 + noise * std::uniform_real_distribution<double>(-1, 1)(random)); }
    double measured(double ns, std::uint64_t frame) {
        return noisy(ns) * (outlier_every && frame % outlier_every == 0 ? 20 : 1);
    }
    double content(std::uint64_t frame) const { return scene_every && frame / scene_every % 2 ? 2 : 1; }
    // Each 45th frame is without inter blocks, each ninth is hidden and large, and the one before it brings that of before back.
    PlanQuery query(std::uint64_t frame) const {
        PlanQuery query = vp9_frame(grouped && frame % 45 == 0);
        if (grouped && (frame + shift) % 9 == 8)
            query.stages = query.usable = 3;
        return query;
    }
    Costs costs_of(std::uint64_t frame) const {
        Costs of = costs;
        if (grouped)
            of[kCostParse] *= (frame + shift) % 9 == 0 ? 20 : (frame + shift) % 9 == 8 ? 0.1 : 1;
        return of;
    }
    double frame_ns(const CostEstimate &cost, unsigned on_gpu, unsigned depth) const {
        const double workers = std::min(depth, cores);
        const double ns =
            std::max({cost.cpu_ns / workers, cost.in_order_ns, cost.chain_ns, (cost.cpu_ns + cost.gpu_ns) / depth});
        return ns * (on_gpu ? gpu_side : 1);
    }
};

struct Run {
    unsigned on_gpu = 0; // the most frequent plan of the last half
    double share = 0;    // of frames of the last half that have it
    unsigned switches = 0, trials = 0, turns = 0;
    double work = 0, ns = 0; // both sides' time; time from begin to end
};

// `depth` frames are on their way at once.
Run run(Planner &planner, Machine &machine, unsigned frames, unsigned depth = 1, bool intra = false) {
    struct Underway {
        Forecast forecast;
        std::uint64_t number;
    };
    std::deque<Underway> underway;
    Run result;
    std::array<unsigned, kPlans> count{};
    unsigned home = ~0u, last_run = ~0u;
    static std::int64_t now = 1;
    const std::int64_t begin = now;
    const auto query_of = [&](std::uint64_t number) { return intra ? vp9_frame(true) : machine.query(number); };
    const auto end_oldest = [&] {
        const auto [forecast, number] = underway.front();
        underway.pop_front();
        const PlanQuery query = query_of(number);
        const CostModel truth(machine.costs_of(number));
        const bool is_cold = forecast.on_gpu && machine.cold && machine.cold--;
        const double content = machine.content(number) * (is_cold ? 4 : 1);
        const CostQuery chosen = query.with(forecast.on_gpu);
        const CostEstimate cost = truth.predict(chosen);
        CostOutcome outcome;
        outcome.submits = chosen.submits();
        outcome.cpu_ns = machine.measured(content * cost.cpu_ns, number);
        for (const unsigned phase : {3u, 4u}) {
            const CostQuery submit = query.with(forecast.on_gpu & phase);
            if (submit.submits())
                planner.learn_submit(submit, machine.measured(content * truth.predict(submit).gpu_ns, number));
        }
        now += static_cast<std::int64_t>(machine.noisy(content * machine.frame_ns(cost, forecast.on_gpu, depth)));
        if (last_run != ~0u && forecast.run != last_run) {
            now += static_cast<std::int64_t>(machine.turn_ns);
            result.turns++;
        }
        last_run = forecast.run;
        planner.learn_frame(chosen, outcome);
        planner.ended(forecast, query.pixels, now);
        now += static_cast<std::int64_t>(machine.pause_ns);
        result.work += cost.cpu_ns + cost.gpu_ns;
    };
    for (unsigned i = 1; i <= frames; i++) {
        if (underway.size() == depth)
            end_oldest();
        const PlanQuery query = query_of(i);
        underway.push_back({planner.plan(query, static_cast<unsigned>(underway.size()) + 1, now), i});
        const Forecast &forecast = underway.back().forecast;
        result.trials += forecast.trial;
        if (query.stages != vp9_frame(intra).stages)
            continue;
        if (!forecast.trial) {
            result.switches += home != ~0u && home != forecast.on_gpu;
            home = forecast.on_gpu;
        }
        if (i > frames / 2)
            count[forecast.on_gpu]++;
    }
    while (!underway.empty())
        end_oldest();
    result.on_gpu = static_cast<unsigned>(std::ranges::max_element(count) - count.begin());
    result.share = 2.0 * count[result.on_gpu] / frames;
    result.ns = static_cast<double>(now - begin);
    return result;
}

Knowledge knowing(const Costs &costs) {
    return {costs, {}};
}

Costs seed_costs(CostSeed seed) {
    return dd::seed_costs(DD_CODEC_VP9, seed);
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

// Of both sides, for a frame with a plan.
double work(const Costs &costs, unsigned on_gpu) {
    const CostEstimate cost = CostModel(costs).predict(vp9_frame().with(on_gpu));
    return cost.cpu_ns + cost.gpu_ns;
}

} // namespace

TEST_CASE("plans follow what a GPU is worth, whatever they start from", "[planner]") {
    const CostSeed seed = GENERATE(CostSeed::discrete, CostSeed::v3d);
    const unsigned depth = GENERATE(1u, 4u);
    const double noise = GENERATE(0.0, 0.3);
    const unsigned outlier_every = GENERATE(0u, 37u);
    CAPTURE(static_cast<int>(seed), depth, noise, outlier_every);
    const PlannerTraits traits{Goal::speed, 4};
    // Trials of what is thought to be slow are rare.
    const unsigned frames = seed == CostSeed::v3d ? 60000 : 4000;
    Machine slow{.costs = slow_gpu(), .noise = noise, .outlier_every = outlier_every};
    Planner on_slow(traits, knowing(seed_costs(seed)));
    const Run cpu = run(on_slow, slow, frames, depth);
    REQUIRE(cpu.on_gpu == 0);
    REQUIRE(cpu.share > 0.9);
    REQUIRE(cpu.switches <= frames / 200);
    Machine fast{.costs = fast_gpu(), .noise = noise, .outlier_every = outlier_every};
    Planner on_fast(traits, knowing(seed_costs(seed)));
    const Run gpu = run(on_fast, fast, frames, depth);
    REQUIRE((gpu.on_gpu & 1u << DD_STAGE_MC) != 0);
    // Hysteresis and what trials have left unknown may cost a little.
    REQUIRE(work(fast.costs, gpu.on_gpu) < 1.15 * work(fast.costs, kAll));
    REQUIRE(work(fast.costs, 0) > 1.3 * work(fast.costs, kAll));
    REQUIRE(gpu.switches <= frames / 200);
}

TEST_CASE("what the costs don't say is measured", "[planner]") {
    // By their costs, frames are 1.6 times as fast with the GPU; the machine has it otherwise, or even more so.
    const double gpu_side = GENERATE(0.7, 1.3, 2.5, 8.0);
    const unsigned depth = GENERATE(1u, 2u, 16u);
    const unsigned scene_every = GENERATE(0u, 150u);
    CAPTURE(gpu_side, depth, scene_every);
    Planner planner({Goal::speed, 16}, knowing(fast_gpu()));
    Machine machine{.costs = fast_gpu(), .noise = 0.2, .gpu_side = gpu_side, .scene_every = scene_every, .cores = 16};
    run(planner, machine, 500, depth);
    const Run settled = run(planner, machine, 4000, depth);
    const CostModel truth(machine.costs);
    std::array<double, kAll + 1> ns{};
    for (unsigned plan = 0; plan <= kAll; plan++)
        ns[plan] = machine.frame_ns(truth.predict(vp9_frame().with(plan)), plan, depth);
    const double cpu = ns[0], gpu = *std::min_element(ns.begin() + 1, ns.end());
    CAPTURE(cpu, gpu, settled.on_gpu, settled.switches);
    if (std::max(cpu, gpu) > 1.1 * std::min(cpu, gpu))
        REQUIRE((settled.on_gpu != 0) == (gpu < cpu));
    // Windows that a change of scene falls into are lost.
    REQUIRE(settled.ns < (scene_every ? 1.15 * 1.5 : 1.1) * 4000 * std::min(cpu, gpu));
    REQUIRE(settled.switches < 20);
}

TEST_CASE("looking at a bad side costs little", "[planner]") {
    Planner planner({Goal::speed, 16}, knowing(fast_gpu()));
    Machine machine{.costs = fast_gpu(), .noise = 0.1, .gpu_side = 4, .cores = 16};
    const Run begin = run(planner, machine, 1000, 16);
    const double cpu = machine.frame_ns(CostModel(machine.costs).predict(vp9_frame().with(0)), 0, 16);
    REQUIRE(begin.on_gpu == 0);
    const Run later = run(planner, machine, 4000, 16);
    REQUIRE(later.ns < 1.05 * 4000 * cpu);
}

TEST_CASE("a side that is clearly slower is looked at for a moment", "[planner]") {
    const unsigned depth = GENERATE(3u, 8u);
    CAPTURE(depth);
    Planner planner({Goal::speed, 1}, knowing(fast_gpu()));
    Machine machine{.costs = fast_gpu(), .noise = 0.1, .gpu_side = 0.85, .cores = 1};
    const Run first = run(planner, machine, 400, depth);
    CHECK(planner.knowledge().paces[1][0] > 1.5);
    CHECK(first.trials <= 24 + 2 + depth + 400 / 16); // the window, what comes before it, and single frames
    CHECK(first.on_gpu == kAll);
}

TEST_CASE("the first frames with a GPU don't decide", "[planner]") {
    const unsigned depth = GENERATE(1u, 16u);
    Planner planner({Goal::speed, 16}, knowing(fast_gpu()));
    Machine machine{.costs = fast_gpu(), .noise = 0.1, .gpu_side = 0.6, .cores = 16, .cold = 2 * depth};
    const Run begin = run(planner, machine, 2 * depth + 2, depth);
    CHECK(begin.switches == 0);
    CHECK(work(planner.knowledge().costs, kAll) < 1.2 * work(fast_gpu(), kAll));
    CHECK(run(planner, machine, 400, depth).on_gpu == kAll);
}

TEST_CASE("what was learned serves the next stream", "[planner]") {
    Machine machine{.costs = fast_gpu(), .noise = 0.1, .gpu_side = 2.5, .cores = 16};
    Planner first({Goal::speed, 16}, knowing(seed_costs(CostSeed::discrete)));
    run(first, machine, 2000, 16);
    Planner second({Goal::speed, 16}, first.knowledge());
    const Run again = run(second, machine, 120, 16);
    REQUIRE(again.on_gpu == 0);
    // Some frames on trial, no windows of them.
    REQUIRE(again.turns == 0);
    const CostEstimate usual = CostModel(machine.costs).predict(vp9_frame().with(0));
    REQUIRE(again.ns < 1.08 * 120 * machine.frame_ns(usual, 0, 16));
}

TEST_CASE("paces that were learned count from the first frame, whatever costs say", "[planner]") {
    const double gpu_pace = GENERATE(0.6, 1.6);
    CAPTURE(gpu_pace);
    Knowledge known = knowing(gpu_pace < 1 ? slow_gpu() : fast_gpu());
    known.paces[1][0] = 1;
    known.paces[1][kAll] = gpu_pace;
    Planner planner({Goal::speed, 16}, known);
    REQUIRE(planner.plan(vp9_frame(), 1, 1).on_gpu == (gpu_pace < 1 ? kAll : 0u));
}

TEST_CASE("frames that bring others back say nothing about stages", "[planner]") {
    Planner planner({Goal::speed, 16}, knowing(fast_gpu()));
    const CostModel truth(fast_gpu());
    const CostQuery whole = vp9_frame().with(0);
    CostQuery shown = whole;
    shown.stages &= ~(1u << DD_STAGE_LF);
    const double ns = truth.predict(whole).cpu_ns;
    for (unsigned i = 0; i < 2000; i++)
        planner.learn_frame(i % 8 < 7 ? whole : shown, {.cpu_ns = i % 8 < 7 ? ns : 0.03 * ns});
    constexpr unsigned filter = kCostCpu + unsigned{DD_STAGE_LF};
    CHECK(planner.knowledge().costs[filter] == Catch::Approx(fast_gpu()[filter]));
    // A stream without a loop filter is learned all the same.
    for (unsigned i = 0; i < 200; i++)
        planner.learn_frame(shown, {.cpu_ns = 0.5 * ns});
    CHECK(CostModel(planner.knowledge().costs).predict(shown).cpu_ns == Catch::Approx(0.5 * ns).epsilon(0.05));
}

TEST_CASE("frames that are far from alike don't hide what a GPU is worth", "[planner]") {
    const unsigned depth = GENERATE(1u, 2u, 4u), seed = GENERATE(1u, 2u, 3u, 4u, 5u);
    CAPTURE(depth, seed);
    Costs costs = fast_gpu();
    costs[kCostParse] = 0.3;
    costs[kCostParseIntra] = 16;
    Machine machine{.costs = costs, .noise = 0.3, .cores = depth, .cold = 2 * depth, .grouped = true};
    machine.random.seed(seed);
    Planner planner({Goal::speed, depth}, knowing(fast_gpu()));
    run(planner, machine, 150, depth);
    const Run settled = run(planner, machine, 600, depth);
    const Costs learned = planner.knowledge().costs;
    for (unsigned i = 0; i < kCosts; i++)
        UNSCOPED_INFO(cost_name(i) << " " << learned[i]);
    CHECK(settled.on_gpu == kAll);
    CHECK(work(learned, kAll) < 0.8 * work(learned, 0));
}

TEST_CASE("a frame that lacks a stage sends no others to a plan of its own", "[planner]") {
    const unsigned depth = GENERATE(1u, 4u, 10u);
    for (unsigned shift = 0; shift < 9; shift++) {
        CAPTURE(depth, shift);
        Planner planner({Goal::speed, 4}, knowing(fast_gpu()));
        Machine machine{.costs = fast_gpu(), .gpu_side = 0.9, .grouped = true, .shift = shift};
        const Run first = run(planner, machine, 400, depth);
        const Paces paces = planner.knowledge().paces[1];
        // The other side is looked at; half of it, because a frame without a loop filter had its turn, is not.
        CHECK(paces[0] > 0);
        CHECK(paces[1u << DD_STAGE_LF] == 0);
        CHECK(first.turns <= 2);
    }
}

TEST_CASE("costs of nothing make no plan impossible", "[planner]") {
    Knowledge free = knowing(fast_gpu());
    for (unsigned cost = kCostParse; cost < kCostRecord; cost++)
        free.costs[cost] = 0;
    free.paces[size_class(vp9_frame().pixels)][0] = 1;
    Planner planner({Goal::speed, 4}, free);
    for (unsigned i = 0; i < 200; i++) {
        const Forecast forecast = planner.plan(vp9_frame(), 1, i * 1000);
        REQUIRE(std::isfinite(forecast.frame_ns));
        planner.ended(forecast, vp9_frame().pixels, i * 1000 + 500);
    }
}

TEST_CASE("a frame without any stage takes time too, whatever stages have explained", "[planner]") {
    Costs costs = seed_costs(CostSeed::discrete);
    costs[kCostParse] = 0.1;
    CostModel model(costs);
    const CostQuery query = vp9_frame().with(0);
    for (unsigned i = 0; i < 100; i++)
        model.learn_cpu(query, 0, query.pixels * 0.5);
    CostQuery bare = query;
    bare.stages = 0;
    REQUIRE(model.predict(bare).cpu_ns >= 0.004 * query.pixels);
    REQUIRE(model.predict(query).cpu_ns < 0.55 * query.pixels);
}

TEST_CASE("a new size is a new start", "[planner]") {
    Machine machine{.costs = fast_gpu(), .noise = 0.1, .gpu_side = 2.5};
    Planner planner({Goal::speed, 4}, knowing(fast_gpu()));
    REQUIRE(run(planner, machine, 1000).on_gpu == 0);
    const Knowledge known = planner.knowledge();
    REQUIRE(known.paces[1][0] > 0);
    REQUIRE(known.paces[2] == Paces{});
    PlanQuery big = vp9_frame();
    big.pixels *= 4;
    REQUIRE(planner.plan(big, 1, 1).on_gpu != 0);
    REQUIRE(run(planner, machine, 100).on_gpu == 0);
}

TEST_CASE("a slow consumer says nothing about plans", "[planner]") {
    Planner planner({Goal::speed, 4}, knowing(fast_gpu()));
    Machine machine{.costs = fast_gpu(), .noise = 0.1, .pause_ns = 40e6};
    REQUIRE(run(planner, machine, 2000).on_gpu == kAll);
    machine.gpu_side = 2.5;
    REQUIRE(run(planner, machine, 8000).on_gpu == 0);
}

TEST_CASE("a change of the machine is followed", "[planner]") {
    Planner planner({Goal::speed, 1}, knowing(fast_gpu()));
    Machine machine{.costs = fast_gpu(), .noise = 0.1};
    REQUIRE(run(planner, machine, 500).on_gpu != 0);
    machine.costs = slow_gpu();
    REQUIRE(run(planner, machine, 6000).on_gpu == 0);
    machine.costs = fast_gpu();
    REQUIRE(run(planner, machine, 60000).on_gpu != 0);
}

TEST_CASE("trials cost little", "[planner]") {
    Planner planner({Goal::speed, 1}, knowing(slow_gpu()));
    Machine machine{.costs = slow_gpu(), .noise = 0.1};
    const Run result = run(planner, machine, 20000);
    REQUIRE(result.trials > 0);
    REQUIRE(result.work < 1.03 * 20000 * work(machine.costs, 0));
}

TEST_CASE("a GPU that was slow once is tried again", "[planner]") {
    Planner planner({Goal::speed, 1}, knowing(fast_gpu()));
    planner.learn_submit(vp9_frame().with(kAll), 1e9);
    Machine machine{.costs = fast_gpu(), .noise = 0.1};
    REQUIRE(run(planner, machine, 1000).on_gpu != 0);
}

TEST_CASE("excursions are paid for with what turning costs", "[planner]") {
    Machine machine{fast_gpu(), 0.05};
    Planner planner({Goal::speed, 4}, knowing(fast_gpu()));
    const Run first = run(planner, machine, 2000, 4);
    machine.turn_ns = 40 * first.ns / 2000;
    run(planner, machine, 4000, 4);
    const Run later = run(planner, machine, 40000, 4);
    CHECK(later.turns >= 2);
    CHECK(later.turns * machine.turn_ns < 0.02 * later.ns);
}

TEST_CASE("many cores that wait for the parser leave work to the GPU", "[planner]") {
    // Frames come as fast with the GPU as without, or a little slower, and take less than two thirds of the CPU time.
    const double gpu_side = GENERATE(1.0, 1.2);
    Machine machine{.costs = fast_gpu(), .noise = 0.1, .gpu_side = gpu_side, .cores = 16};
    Planner on_cpu({Goal::speed, 16}, knowing(slow_gpu()));
    REQUIRE(run(on_cpu, machine, 400, 16).on_gpu == 0);
    const unsigned left = run(on_cpu, machine, 150000, 16).on_gpu;
    CAPTURE(gpu_side, left);
    CHECK((left != 0) == (gpu_side == 1));
    Planner begins({Goal::speed, 16}, knowing(fast_gpu()));
    CHECK((run(begins, machine, 20000, 16).on_gpu == kAll) == (gpu_side == 1));
    const CostModel truth(machine.costs);
    const PlanQuery query = vp9_frame();
    REQUIRE(truth.predict(query.with(kAll)).cpu_ns < 0.67 * truth.predict(query.with(0)).cpu_ns);
}

TEST_CASE("equal plans aren't changed for noise", "[planner]") {
    Costs even = fast_gpu();
    for (unsigned stage = 0; stage < kCostStages; stage++) {
        even[kCostRecord + stage] = even[kCostCpu + stage];
        even[kCostGpu + stage] = 0;
    }
    even[kCostSubmitCpu] = even[kCostSubmitGpu] = 0;
    Planner planner({Goal::speed, 1}, knowing(even));
    Machine machine{.costs = even, .noise = 0.1};
    REQUIRE(run(planner, machine, 4000).switches <= 10);
}

TEST_CASE("the goal of little CPU time takes a slower plan while it is fast enough", "[planner]") {
    // Offloading saves CPU time, and takes longer than doing it; one frame at a time.
    Costs costs = fast_gpu();
    for (unsigned stage = 0; stage < kCostStages; stage++)
        costs[kCostGpu + stage] = 1.0;
    Machine machine{.costs = costs, .noise = 0.05};
    Planner speed({Goal::speed, 1}, knowing(costs)), cpu({Goal::cpu, 1}, knowing(costs));
    REQUIRE(run(speed, machine, 2000).on_gpu == 0);
    REQUIRE(run(cpu, machine, 2000).on_gpu == kAll);
    // Too slow for real time: the fastest counts.
    for (unsigned stage = 0; stage < kCostStages; stage++)
        costs[kCostGpu + stage] = 10;
    Machine late{.costs = costs, .noise = 0.05};
    Planner cpu_late({Goal::cpu, 1}, knowing(costs));
    REQUIRE(run(cpu_late, late, 2000).on_gpu == 0);
}

TEST_CASE("frames without inter blocks have plans of their own", "[planner]") {
    Planner planner({Goal::speed, 1}, knowing(fast_gpu()));
    Machine machine{.costs = fast_gpu()};
    REQUIRE((run(planner, machine, 200, 1, true).on_gpu & ~(1u << DD_STAGE_LF)) == 0);
}

// A frame of five milliseconds.
Forecast plain_frame(Planner &planner, const PlanQuery &query, std::int64_t &now) {
    const Forecast forecast = planner.plan(query, 1, now);
    now += 5000000;
    planner.learn_frame(query.with(forecast.on_gpu), {});
    planner.ended(forecast, query.pixels, now);
    return forecast;
}

TEST_CASE("stages that belong together stay together", "[planner]") {
    constexpr unsigned filters = 1u << DD_STAGE_CDEF | 1u << DD_STAGE_LR, lr = 1u << DD_STAGE_LR;
    constexpr unsigned recon = 1u << DD_STAGE_MC | 1u << DD_STAGE_ITX;
    Planner planner({Goal::speed, 4}, knowing(dd::seed_costs(DD_CODEC_AV1, CostSeed::discrete)));
    std::int64_t now = 1;
    unsigned seen = 0;
    for (unsigned i = 0; i < 3000; i++) {
        PlanQuery query{1920 * 1080, false, 0x1f, 0x1f, {recon, filters}};
        if (i % 3 == 0)
            query.stages &= ~lr;
        query.usable &= query.stages;
        const Forecast forecast = plain_frame(planner, query, now);
        REQUIRE(query.allows(forecast.on_gpu));
        REQUIRE((forecast.on_gpu & ~query.usable) == 0);
        for (const unsigned set : {recon, filters & query.usable})
            REQUIRE(((forecast.on_gpu & set) == 0 || (forecast.on_gpu & set) == set));
        seen |= forecast.on_gpu;
    }
    REQUIRE(seen == 0x1f);
}

TEST_CASE("what the GPU always gets is among all that it gets", "[planner]") {
    constexpr unsigned itx = 1u << DD_STAGE_ITX, mc = 1u << DD_STAGE_MC, always = mc | itx;
    Planner planner({Goal::speed, 4}, knowing(seed_costs(CostSeed::discrete)));
    std::int64_t now = 1;
    std::array<bool, kPlans> seen{};
    for (unsigned i = 0; i < 6000; i++) {
        PlanQuery query{1920 * 1080, false, 7, 7, {}, always};
        if (i % 5 == 0)
            query.usable &= ~itx; // of such a frame it gets what there is
        const Forecast forecast = plain_frame(planner, query, now);
        REQUIRE(query.allows(forecast.on_gpu));
        if (query.usable & itx)
            seen[forecast.on_gpu] = true;
    }
    for (unsigned plan = 0; plan <= 7; plan++)
        REQUIRE(seen[plan] == (!plan || (plan & always) == always));
}

TEST_CASE("planning takes next to no time", "[planner]") {
    Machine machine{.costs = fast_gpu(), .noise = 0.2, .scene_every = 150};
    constexpr unsigned frames = 20000;
    // AV1 has the most plans to choose from.
    Planner planner({Goal::speed, 4}, knowing(dd::seed_costs(DD_CODEC_AV1, CostSeed::discrete)));
    constexpr unsigned filters = 1u << DD_STAGE_CDEF | 1u << DD_STAGE_LR;
    const PlanQuery query{1920 * 1080, false, kPlans - 1, kPlans - 1, {filters}};
    const std::clock_t begin = std::clock();
    for (unsigned i = 0; i < frames; i++) {
        const Forecast forecast = planner.plan(query, 2, i * 5000000);
        CostOutcome outcome;
        outcome.cpu_ns = machine.noisy(5e6);
        outcome.submits = 2;
        planner.learn_submit(query.with(forecast.on_gpu), machine.noisy(1e6));
        planner.learn_submit(query.with(forecast.on_gpu), machine.noisy(1e6));
        planner.learn_frame(query.with(forecast.on_gpu), outcome);
        planner.ended(forecast, query.pixels, i * 5000000 + 4000000);
    }
    const double ns = static_cast<double>(std::clock() - begin) * 1e9 / CLOCKS_PER_SEC / frames;
    // Half a percent of a core at 60 frames a second.
    INFO(ns << " ns a frame");
    REQUIRE(ns < 0.005 * 1e9 / 60);
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
    const std::string path = cache_path("Some GPU / 1.0-7", kCalibrationExtension);
    REQUIRE(path == (folder.path() / "daedalus" / "Some-GPU---1.0-7.costs").string());
    Knowledge kept = knowing(seed_costs(CostSeed::v3d)), read{};
    kept.paces[1][0] = 1;
    kept.paces[1][kAll] = 0.7;
    REQUIRE_FALSE(load_calibration(path, read));
    save_calibration(path, kept);
    REQUIRE(load_calibration(path, read));
    REQUIRE(read.costs == kept.costs);
    REQUIRE(read.paces == kept.paces);
    unsigned files = 0;
    for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(folder.path() / "daedalus"))
        files++;
    REQUIRE(files == 1);
    const std::string good = [&] {
        std::ifstream in(path);
        return std::string((std::istreambuf_iterator<char>(in)), {});
    }();
    for (const std::string &bad :
         {std::string(), good.substr(0, good.size() / 4), good + "more 1\n", good + "pace 0 99 1\n",
          good + "pace 4 3 1\n", good + "pace 1 3 -1\n", good + "pace 1 3", "x" + good,
          good.substr(0, good.find(' ')) + " -1" + good.substr(good.find('\n', 20))}) {
        std::ofstream(path) << bad;
        Knowledge before = read;
        REQUIRE_FALSE(load_calibration(path, before));
        REQUIRE(before.costs == read.costs);
        REQUIRE(before.paces == read.paces);
    }
}

TEST_CASE("what can't be kept is no error", "[planner]") {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "daedalus") << "a file where the folder should be";
    const Environment cache("XDG_CACHE_HOME", folder.path().string());
    const std::string path = cache_path("x", kCalibrationExtension);
    save_calibration(path, Knowledge{});
    Knowledge read;
    REQUIRE_FALSE(load_calibration(path, read));
}

TEST_CASE("a cache folder that isn't there is made, for the user alone", "[planner]") {
    const TemporaryFolder folder;
    const std::filesystem::path absent = folder.path() / "absent";
    const Environment cache("XDG_CACHE_HOME", absent.string());
    const std::string path = cache_path("x", kCalibrationExtension);
    REQUIRE_FALSE(std::filesystem::exists(absent)); // not before there is something to keep
    save_calibration(path, knowing(seed_costs(CostSeed::v3d)));
    Knowledge read;
    REQUIRE(load_calibration(path, read));
    REQUIRE(std::filesystem::status(absent).permissions() == std::filesystem::perms::owner_all);
}

TEST_CASE("where there is no place for a cache folder, no costs are kept", "[planner]") {
    const TemporaryFolder folder;
    const Environment cache("XDG_CACHE_HOME", (folder.path() / "absent/cache").string());
    REQUIRE(cache_path("x", kCalibrationExtension).empty());
    save_calibration("", Knowledge{});
}
