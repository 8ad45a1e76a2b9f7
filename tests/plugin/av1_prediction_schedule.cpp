// SPDX-License-Identifier: BSD-2-Clause
//
// Which dispatch records of AV1's inter prediction go to.
#include "catch.h"

#include "av1/prediction_schedule.h"

#include <algorithm>

using namespace dd;

namespace {

constexpr unsigned kMost = 6;
constexpr std::uint64_t kDear = 1'000'000'000'000;

constexpr Av1RecordKey key(unsigned first, unsigned second = 0, unsigned still = 0) {
    return static_cast<Av1RecordKey>(first | second << 3 | still * kAv1KeyStill);
}

struct Schedule {
    explicit Schedule(unsigned sources) { all.add().reset(sources); }
    Av1PredictionPart &part() { return all.parts()[0]; }
    void add(Av1RecordKey of, std::uint32_t cells) {
        part().count(of, false, av1_bin(2, Av1Halved::everywhere), 1, cells);
        part().count(of, true, av1_bin(3, Av1Halved::in_luma), 1, cells);
    }
    void split(unsigned most = kMost, std::uint64_t worth_ns = 0) {
        all.split(1 + most, worth_ns); // the first one is there anyway
        part().finish();
    }
    unsigned dispatches() {
        const auto used = [](const Av1PredictionPart::Share &share) { return !share.counts.empty(); };
        return static_cast<unsigned>(std::ranges::count_if(part().shares(), used));
    }
    unsigned share_key(Av1RecordKey of) { return part().shares()[part().share_of(of)].key; }
    Av1PredictionSchedule all;
};

} // namespace

TEST_CASE("Predictions from one reference get a dispatch of their own") {
    Schedule schedule(1);
    schedule.add(key(2), 100);
    schedule.split();
    CHECK(schedule.part().share_of(key(2)) != 0);
    CHECK(schedule.share_key(key(2)) == key(2));
    CHECK(schedule.dispatches() == 1); // it takes the other's place
}

TEST_CASE("Still predictions go with the others where a dispatch costs more") {
    Schedule schedule(2);
    schedule.add(key(0, 1), 1000);
    schedule.add(key(0, 1, 1), 10);
    schedule.add(key(0, 1, 3), 1000);
    schedule.split(kMost, 500);
    CHECK(schedule.share_key(key(0, 1, 3)) == key(0, 1, 3));
    CHECK(schedule.share_key(key(0, 1, 1)) == key(0, 1));
    CHECK(schedule.share_key(key(0, 1)) == key(0, 1));
    CHECK(schedule.dispatches() == 2);
}

TEST_CASE("A filtered source isn't taken for a still one") {
    Schedule schedule(2);
    schedule.add(key(0, 1, 1), 1000);
    schedule.add(key(0, 1, 2), 1000);
    schedule.add(key(1, 0, 3), 1);
    schedule.split();
    CHECK(schedule.share_key(key(0, 1, 1)) == key(0, 1, 1));
    CHECK(schedule.share_key(key(0, 1, 2)) == key(0, 1, 2));
    CHECK(schedule.share_key(key(1, 0, 3)) == key(1, 0, 3));
}

TEST_CASE("Dispatches of predictions are few, and all records are in one") {
    for (unsigned most = 0; most <= kMost; most++) {
        Schedule schedule(2);
        for (unsigned first = 0; first < 6; first++)
            for (unsigned second = 0; second < 6; second++)
                for (unsigned still = 0; still < 4; still++)
                    schedule.add(key(first, second, still), 1 + first + 10 * second);
        schedule.split(most);
        CHECK(schedule.dispatches() <= 1 + most);
        std::uint32_t planes = 0, blocks = 0;
        for (const Av1PredictionPart::Share &share : schedule.part().shares()) {
            const bool first = &share == schedule.part().shares().data();
            planes += share.counts.planes[av1_bin(2, first ? Av1Halved::nowhere : Av1Halved::everywhere)];
            blocks += share.counts.blocks[av1_bin(3, first ? Av1Halved::nowhere : Av1Halved::in_luma)];
        }
        CHECK(planes == 6 * 6 * 4);
        CHECK(blocks == 6 * 6 * 4);
    }
}

TEST_CASE("What only the first kernel does stays there") {
    Schedule schedule(2);
    const auto any = static_cast<Av1RecordKey>(key(0, 1) | kAv1KeyAny),
               sharp = static_cast<Av1RecordKey>(any | kAv1KeySharp);
    schedule.add(key(0, 1), 1000);
    schedule.add(any, 1000);
    CHECK(!schedule.part().needs().sharp);
    schedule.add(sharp, 1000);
    CHECK(schedule.part().needs().sharp);
    schedule.split();
    CHECK(schedule.part().share_of(key(0, 1)) != 0);
    CHECK(schedule.part().share_of(any) == 0);
    CHECK(schedule.part().share_of(sharp) == 0);
    CHECK(schedule.dispatches() == 2);
}

TEST_CASE("Predictions stay together where nothing is worth a dispatch, and of kernels that read any reference") {
    for (const unsigned sources : {0u, 2u}) {
        Schedule schedule(sources);
        schedule.add(key(0, 1), 1000);
        schedule.add(key(1, 0), 1000);
        schedule.split(kMost, sources ? kDear : 0);
        CHECK(schedule.dispatches() == 1);
        CHECK(schedule.part().share_of(key(0, 1)) == 0);
    }
}
