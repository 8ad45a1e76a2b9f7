// SPDX-License-Identifier: BSD-2-Clause
//
// Device names, plans, the scheduler, memory strategies, the quirks' table.
#include "catch.h"

#include "batch/capacity.h"
#include "frame/codec.h"
#include "frame/record_pool.h"
#include "scheduler/scheduler.h"
#include "util/idle_list.h"
#include "vulkan/device_choice.h"
#include "vulkan/faults.h"
#include "vulkan/memory.h"
#include "vulkan/quirks.h"

#include <vector>

using namespace dd;

namespace {

const std::vector<DeviceFacts> machine = {
    {"llvmpipe (LLVM 15)", true, ""},
    {"Old GPU", false, "16-bit storage"},
    {"V3D 7.1.7", false, ""},
    {"NVIDIA Something", false, ""},
};

} // namespace

TEST_CASE("a device is chosen by one rule", "[device]") {
    REQUIRE(choose_device(machine, "auto").index == 2);
    REQUIRE(choose_device(machine, "cpu").index == -1);
    REQUIRE(choose_device(machine, "cpu").why == "");
    REQUIRE(choose_device(machine, "llvmpipe").index == 0);
    REQUIRE(choose_device(machine, "v3d").index == 2);
    REQUIRE(choose_device(machine, "NVIDIA").index == 3);
    REQUIRE(choose_device(machine, "0").index == 0);
    REQUIRE(choose_device(machine, "3").index == 3);
    REQUIRE(choose_device(machine, "4").index == -1);
    REQUIRE(choose_device(machine, "4").why != "");
    REQUIRE(choose_device(machine, "Radeon").index == -1);
    REQUIRE(choose_device(machine, "Radeon").why != "");
    REQUIRE(choose_device(machine, "Old").index == -1);
    REQUIRE(choose_device(machine, "Old").why == "Old GPU lacks 16-bit storage");
}

TEST_CASE("a software renderer is never chosen by itself", "[device]") {
    REQUIRE(choose_device({machine.data(), 1}, "auto").index == -1);
    REQUIRE(choose_device({machine.data(), 1}, "auto").why != "");
    REQUIRE(choose_device({machine.data(), 2}, "auto").why == "Old GPU lacks 16-bit storage");
    REQUIRE(choose_device({}, "auto").index == -1);
}

TEST_CASE("plans are read and printed", "[plan]") {
    PlanSpec spec;
    REQUIRE(parse_plan("auto", spec));
    REQUIRE(spec.kind == PlanSpec::Kind::automatic);
    REQUIRE(parse_plan("gpu", spec));
    REQUIRE(spec.kind == PlanSpec::Kind::fixed);
    for (const std::uint8_t side : spec.side)
        REQUIRE(side == DD_SIDE_GPU);
    using Sides = decltype(spec.side);
    REQUIRE(parse_plan("mc=cpu,itx=gpu,lf=gpu", spec));
    REQUIRE(spec.side == Sides{DD_SIDE_CPU, DD_SIDE_GPU, DD_SIDE_GPU, DD_SIDE_CPU, DD_SIDE_CPU});
    REQUIRE(parse_plan("cdef=gpu+lr=gpu", spec));
    REQUIRE(spec.side == Sides{DD_SIDE_CPU, DD_SIDE_CPU, DD_SIDE_CPU, DD_SIDE_GPU, DD_SIDE_GPU});
    REQUIRE(spec.intra);
    REQUIRE(parse_plan("mc=gpu,itx=gpu,intra=cpu", spec));
    REQUIRE(spec.side == Sides{DD_SIDE_GPU, DD_SIDE_GPU, DD_SIDE_CPU, DD_SIDE_CPU, DD_SIDE_CPU});
    REQUIRE_FALSE(spec.intra);
    for (const char *bad : {"intra", "mc=gpu,intra=none", "", "GPU", "mc", "mc=", "mc=gpu,", "mc=gpu,,lf=gpu",
                            "foo=gpu", "mc=both", ",mc=gpu"})
        REQUIRE_FALSE(parse_plan(bad, spec));
    DdPlan plan = {};
    plan.side[DD_STAGE_ITX] = DD_SIDE_GPU;
    REQUIRE(plan_text(plan, 0, codec_stages(DD_CODEC_VP9)) == "mc=cpu,itx=gpu,lf=cpu");
}

namespace {

Scheduler make_scheduler(const char *plan, bool automatic, std::uint64_t seed = 1) {
    PlanSpec spec;
    REQUIRE(parse_plan(plan, spec));
    DeviceTraits traits;
    traits.automatic = automatic;
    return {DD_CODEC_VP9, spec, traits, seed};
}

std::string planned(Scheduler &scheduler, bool intra_only = false, bool filtered = true, bool reaches = true) {
    FrameFacts facts;
    facts.width = 2048;
    facts.height = 1080;
    facts.intra_only = intra_only;
    facts.stages = facts.usable = (intra_only ? 0u : 3u) | (filtered ? 4u : 0u);
    facts.gpu_reaches = reaches;
    PlannedFrame planned;
    const DdPlan plan = scheduler.plan(facts, planned, 1);
    scheduler.ended(planned, {2, 2});
    return plan_text(plan, 0, 3);
}

} // namespace

TEST_CASE("the scheduler plans what a frame has", "[plan]") {
    Scheduler gpu = make_scheduler("gpu", false);
    REQUIRE(planned(gpu) == "mc=gpu,itx=gpu,lf=gpu");
    REQUIRE(planned(gpu, true) == "mc=cpu,itx=cpu,lf=gpu");
    REQUIRE(planned(gpu, false, false) == "mc=gpu,itx=gpu,lf=cpu");
    REQUIRE(planned(gpu, false, true, false) == "mc=cpu,itx=cpu,lf=cpu");
    Scheduler weak = make_scheduler("auto", false), real = make_scheduler("auto", true);
    REQUIRE(planned(weak) == "mc=cpu,itx=cpu,lf=cpu");
    REQUIRE(planned(real) == "mc=gpu,itx=gpu,lf=gpu");
    REQUIRE(planned(real, true) == "mc=cpu,itx=cpu,lf=gpu");
}

TEST_CASE("intra blocks go with predictions and residuals", "[plan]") {
    DdPlan both = {};
    both.side[DD_STAGE_MC] = both.side[DD_STAGE_ITX] = DD_SIDE_GPU;
    DdPlan one = both;
    one.side[DD_STAGE_MC] = DD_SIDE_CPU;
    REQUIRE(make_scheduler("gpu", false).takes_intra(both));
    REQUIRE_FALSE(make_scheduler("gpu", false).takes_intra(one));
    REQUIRE_FALSE(make_scheduler("mc=gpu,itx=gpu,intra=cpu", false).takes_intra(both));
    Scheduler random = make_scheduler("random", false);
    unsigned taken = 0;
    for (unsigned i = 0; i < 100; i++)
        taken += random.takes_intra(both);
    REQUIRE(taken > 20);
    REQUIRE(taken < 80);
}

TEST_CASE("a disabled scheduler stays on the CPU", "[plan]") {
    Scheduler scheduler = make_scheduler("gpu", true);
    REQUIRE(scheduler.disable());
    REQUIRE_FALSE(scheduler.disable());
    REQUIRE(planned(scheduler) == "mc=cpu,itx=cpu,lf=cpu");
}

TEST_CASE("residuals out of range rest on the CPU for a while", "[plan]") {
    Scheduler scheduler = make_scheduler("gpu", true);
    scheduler.out_of_range();
    scheduler.out_of_range();
    scheduler.in_range();
    scheduler.out_of_range();
    scheduler.out_of_range();
    REQUIRE(planned(scheduler) == "mc=gpu,itx=gpu,lf=gpu");
    scheduler.out_of_range();
    unsigned frames = 0;
    while (planned(scheduler) == "mc=gpu,itx=cpu,lf=gpu")
        REQUIRE(++frames < 1000);
    REQUIRE(frames == 32);
    REQUIRE(planned(scheduler) == "mc=gpu,itx=gpu,lf=gpu");
}

TEST_CASE("random plans differ from frame to frame and repeat with their seed", "[plan]") {
    Scheduler a = make_scheduler("random", false, 7), b = make_scheduler("random", false, 7);
    std::vector<std::string> seen;
    for (unsigned i = 0; i < 64; i++) {
        seen.push_back(planned(a));
        REQUIRE(seen.back() == planned(b));
    }
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    REQUIRE(seen.size() == 8);
}

namespace {

VkPhysicalDeviceMemoryProperties memory_of(std::initializer_list<VkMemoryPropertyFlags> types) {
    VkPhysicalDeviceMemoryProperties memory = {};
    for (const VkMemoryPropertyFlags flags : types)
        memory.memoryTypes[memory.memoryTypeCount++].propertyFlags = flags;
    return memory;
}

constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
constexpr VkMemoryPropertyFlags coherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

} // namespace

TEST_CASE("memory strategies fit the device", "[memory]") {
    const auto v3d = memory_of({local | visible | coherent});
    const auto llvmpipe = memory_of({local | visible | coherent | cached});
    const auto discrete =
        memory_of({0, local, visible | coherent, visible | coherent | cached, local | visible | coherent});
    const auto cpu = VK_PHYSICAL_DEVICE_TYPE_CPU;
    const auto integrated = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
    REQUIRE(choose_memory_strategy(llvmpipe, cpu, false) == MemoryStrategy::unified);
    REQUIRE(choose_memory_strategy(llvmpipe, integrated, true) == MemoryStrategy::unified);
    REQUIRE(choose_memory_strategy(v3d, integrated, true) == MemoryStrategy::imported);
    REQUIRE(choose_memory_strategy(v3d, integrated, false) == MemoryStrategy::write_combined);
    REQUIRE(choose_memory_strategy(discrete, VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, false) == MemoryStrategy::discrete);

    REQUIRE(memory_types_for(discrete, MemoryUse::picture, ~0u) == std::vector<std::uint32_t>{3, 2, 4});
    REQUIRE(memory_types_for(discrete, MemoryUse::local, ~0u).front() == 1);
    REQUIRE(memory_types_for(discrete, MemoryUse::upload, ~0u).front() == 4);
    REQUIRE(memory_types_for(discrete, MemoryUse::upload, 0xfu).front() == 2);
    REQUIRE(memory_types_for(v3d, MemoryUse::picture, ~0u) == std::vector<std::uint32_t>{0});
}

TEST_CASE("buffers are kept from frame to frame, and given back when pictures become smaller", "[memory]") {
    constexpr std::uint64_t mib = 1 << 20;
    for (const std::uint64_t needed : {std::uint64_t{1}, mib / 4, mib, 7 * mib, 100 * mib}) {
        REQUIRE(capacity_for(needed) >= needed);
        REQUIRE(capacity_for(needed) % kUploadAlign == 0);
        REQUIRE(keeps_capacity(capacity_for(needed), needed));
        REQUIRE_FALSE(keeps_capacity(needed - 1, needed));
        REQUIRE_FALSE(keeps_capacity(needed - 1, needed, 200 * mib));
    }
    REQUIRE_FALSE(keeps_capacity(100 * mib, mib));
    REQUIRE(keeps_capacity(100 * mib, 10 * mib));
    // A frame after a cut needs 7 MiB for residuals, the next one a fiftieth, at 2160p and at 1080p.
    for (const std::uint64_t most : {25 * mib, 6 * mib})
        REQUIRE(keeps_capacity(capacity_for(7 * mib), mib / 7, most));
    REQUIRE_FALSE(keeps_capacity(capacity_for(25 * mib), mib / 7, mib));
}

TEST_CASE("of what lies idle the one that suits best is taken", "[memory]") {
    struct Thing {
        std::uint64_t capacity;
        unsigned number;
    };
    IdleList<Thing> list;
    const auto capacity = [](const Thing &thing) { return thing.capacity; };
    const auto fitting = [&](std::uint64_t wanted, std::uint64_t most = UINT64_MAX) {
        return list.fitting(wanted, capacity, [most](std::uint64_t has) { return has > most; });
    };
    REQUIRE(fitting(0) == list.end());
    for (const Thing &thing : {Thing{1, 1}, Thing{4, 2}, Thing{4, 3}, Thing{2, 4}, Thing{2, 5}, Thing{8, 6}})
        list.give(Thing(thing));
    REQUIRE(fitting(8)->thing.number == 6);
    REQUIRE(fitting(3)->thing.number == 3);    // the last one given
    REQUIRE(fitting(9)->thing.number == 6);    // none has it: the largest
    REQUIRE(fitting(3, 3)->thing.number == 5); // what has it is too large
    REQUIRE(fitting(1, 0) == list.end());
    REQUIRE(list.take(fitting(1)).number == 1);
    for (unsigned i = 0; i < 1000; i++)
        REQUIRE(list.want().empty());
    list.give({9, 9});
    REQUIRE(list.want().size() == 5);
    REQUIRE(list.take(list.begin()).capacity == 9);
}

TEST_CASE("large frames are recorded in what large frames were recorded in", "[memory]") {
    using Pool = RecordPool<std::vector<int>>;
    constexpr std::uint32_t kib = 1024;
    Pool pool;
    const auto record = [&](std::uint32_t coded) { // says whose records they were, and makes them its own
        Pool::Lease lease = pool.take(coded);
        REQUIRE(lease.capacity >= coded);
        const std::vector<int> before = lease.records;
        lease.records = {static_cast<int>(coded)};
        pool.give(std::move(lease));
        return before.empty() ? 0u : static_cast<std::uint32_t>(before.front());
    };
    {
        Pool::Lease large = pool.take(100 * kib), small = pool.take(0);
        large.records = {1};
        small.records = {2};
        pool.give(std::move(large));
        pool.give(std::move(small));
    }
    REQUIRE(record(5 * kib) == 2);
    REQUIRE(record(90 * kib) == 1);
    REQUIRE(record(6 * kib) == 5 * kib);
    REQUIRE(record(120 * kib) == 90 * kib); // grows
    REQUIRE(pool.made() == 2);
    {
        Pool::Lease first = pool.take(5 * kib);
        REQUIRE(first.records.front() == 6 * kib);
        Pool::Lease second = pool.take(5 * kib); // rather a new one than the large one
        REQUIRE(second.records.empty());
        REQUIRE(pool.made() == 3);
        Pool::Lease third = pool.take(40 * kib); // which suits this frame
        REQUIRE(third.records.front() == 120 * kib);
        pool.give(std::move(third));
        pool.give(std::move(second));
        pool.give(std::move(first));
    }
    for (unsigned i = 0; i < 2000; i++)
        record(5 * kib);
    REQUIRE(pool.made() == 1);
}

TEST_CASE("plan auto may give every stage of an AV1 frame to the GPU", "[plan]") {
    constexpr unsigned recon = 1u << DD_STAGE_MC | 1u << DD_STAGE_ITX;
    DdFrameInfo info{};
    info.filtered = DD_AV1_FILTER_DEBLOCK | DD_AV1_FILTER_CDEF | DD_AV1_FILTER_RESTORATION;
    const auto codec = Codec::make(DD_CODEC_AV1);
    const auto facts = [&] {
        FrameFacts found;
        codec->add_stages(info, found);
        return found;
    };
    REQUIRE(facts().stages == (1u << DD_STAGES) - 1);
    REQUIRE(facts().usable == facts().stages);
    info.one_pass = 1; // blocks are reconstructed as they are parsed
    REQUIRE(facts().usable == (facts().stages & ~recon));
    info.one_pass = 0;
    info.intra_only = 1;
    REQUIRE((facts().stages & recon) == 0);
}

TEST_CASE("V3D and software get their profile, software its patience", "[quirks]") {
    const Quirks v3d = quirks_of(VK_DRIVER_ID_MESA_V3DV, VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU);
    REQUIRE(v3d.profile == Profile::v3d);
    const Quirks llvmpipe = quirks_of(VK_DRIVER_ID_MESA_LLVMPIPE, VK_PHYSICAL_DEVICE_TYPE_CPU);
    REQUIRE(llvmpipe.profile == Profile::v3d);
    REQUIRE(llvmpipe.patience > 10);
    const Quirks nvidia = quirks_of(VK_DRIVER_ID_NVIDIA_PROPRIETARY, VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU);
    REQUIRE(nvidia.profile == Profile::wide);
    // Where workgroups may wait for each other.
    REQUIRE_FALSE(v3d.side_by_side);
    REQUIRE_FALSE(llvmpipe.side_by_side);
    REQUIRE(nvidia.side_by_side);
    const Quirks unknown = quirks_of(VK_DRIVER_ID_MESA_RADV, VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU);
    REQUIRE(unknown.profile == Profile::wide);
    REQUIRE_FALSE(unknown.side_by_side);
}

TEST_CASE("faults hit the n-th call of their kind", "[faults]") {
    REQUIRE(Faults::from_text("") == nullptr);
    const auto faults = Faults::from_text("submit:3,alloc:1");
    REQUIRE(faults->hit(Fault::alloc));
    REQUIRE_FALSE(faults->hit(Fault::alloc));
    REQUIRE_FALSE(faults->hit(Fault::submit));
    REQUIRE_FALSE(faults->hit(Fault::submit));
    REQUIRE(faults->hit(Fault::submit));
    REQUIRE_FALSE(faults->hit(Fault::submit));
    REQUIRE_FALSE(faults->hit(Fault::wait));
}
