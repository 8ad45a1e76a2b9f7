// SPDX-License-Identifier: BSD-2-Clause
//
// The timing model against cases that can be counted by hand.
#include "../fit.h"

#include "catch.h"

#include <sstream>

using namespace v3dtiming;

namespace {

// Round figures; no DRAM time unless a test asks for it.
Parameters simple() {
    Parameters p;
    p.latency = 100;
    p.operation = 10;
    p.word = 2;
    p.line = 2;
    p.resident = 48;
    p.launch = 0;
    p.dram_bytes = 1e9;
    p.dram_latency = 0;
    return p;
}

Job job(const std::string &groups, unsigned threads = 4) {
    std::string text = "J job=0 code=1 threads=" + std::to_string(threads) +
                       " wgs=1,1,1 wg_size=16 wgs_per_sg=1 batches_per_sg=1 supergroups=1 batches=1\n" + groups + "E\n";
    std::istringstream input(text);
    Job parsed = *TraceReader(input).next();
    parsed.supergroups = parsed.traced.size();
    return parsed;
}

std::string repeated(const std::string &batch, unsigned groups) {
    std::string text;
    for (unsigned i = 0; i < groups; i++)
        text += "S " + std::to_string(i) + " 1\nB 0 " + batch + "\n";
    return text;
}

} // namespace

TEST_CASE("a trace is read as it was written") {
    const Job j = job("S 7 1\nB 0 i12 u R4x16:4@1a40+3,1a90 T l i2 w1x16:4@5 P A1x3:4@ff k j\n");
    REQUIRE(j.traced.size() == 1);
    CHECK(j.traced[0].index == 7);
    const Batch &batch = j.traced[0].batches.at(0);
    REQUIRE(batch.events.size() == 11);
    CHECK(batch.events[0].count == 12);
    const Event &load = batch.events[2];
    CHECK(load.kind == Kind::Memory);
    CHECK(load.access == Access::Load);
    CHECK(load.words == 4);
    CHECK(load.line_count == 5);
    CHECK(batch.lines[3] == 0x1a43);
    CHECK(batch.lines[4] == 0x1a90);
    CHECK(batch.events[6].space == Space::Scratch);
    CHECK(batch.events[7].kind == Kind::Barrier);
    CHECK(batch.events[8].access == Access::Atomic);
}

TEST_CASE("what is no trace is refused") {
    CHECK_THROWS(job("S 0 1\nB 0 q5\n"));
    CHECK_THROWS(job("S 0 1\nB 0 R4y16:4@1\n"));
    CHECK_THROWS(job("B 0 i1\n"));
    CHECK_THROWS(simulate(job(""), simple()));
}

TEST_CASE("instructions take four cycles each") {
    const Outcome o = simulate(job("S 0 1\nB 0 i10\n"), simple());
    CHECK(o.cycles == Catch::Approx(40));
}

TEST_CASE("a load costs its service and the latency") {
    // Issue 4, service 10 + 1 word of 2 + 3 lines of 2, latency 100, then one more instruction.
    const Outcome o = simulate(job("S 0 1\nB 0 i1 R1x16:4@10+2 T l i1\n"), simple());
    CHECK(o.cycles == Catch::Approx(4 + 18 + 100 + 4));
}

TEST_CASE("the result of an operation without lanes, which has no event, is there at once") {
    CHECK(simulate(job("S 0 1\nB 0 i1 l i1\n"), simple()).cycles == Catch::Approx(8));
}

TEST_CASE("a memory unit serves operations in the order of time, not of threads") {
    // The first batch's load comes late; the second one's, on another QPU, doesn't wait for it.
    const std::string late = "S 0 1\nB 0 i100 R1x16:4@10 T l i1\n", early = "S 1 1\nB 0 i1 R1x16:4@20 T l i100\n";
    CHECK(simulate(job(late + early), simple()).cycles == Catch::Approx(4 + 14 + 100 + 400));
}

TEST_CASE("threads hide each other's latency up to the memory unit's rate") {
    const std::string batch = "i1 R1x16:4@10 T l i1";
    const double one = simulate(job(repeated(batch, 1)), simple()).cycles;
    const double twelve = simulate(job(repeated(batch, 12)), simple()).cycles;
    CHECK(twelve < one + 12 * 12); // three units work at once
    const Outcome many = simulate(job(repeated(batch, 480)), simple());
    CHECK(many.tmu_busy > 0.9);
    CHECK(many.cycles_supergroup == Catch::Approx(14.0 / 3).epsilon(0.1));
}

TEST_CASE("half the threads hide less") {
    const std::string batch = "i1 R1x16:4@10 T l i1 R1x16:4@11 T l i1";
    Parameters p = simple();
    p.operation = p.word = p.line = 0;
    const double four = simulate(job(repeated(batch, 480), 4), p).cycles;
    const double two = simulate(job(repeated(batch, 480), 2), p).cycles;
    CHECK(two > 1.7 * four);
}

TEST_CASE("a barrier waits for the slowest batch") {
    const Outcome o = simulate(job("S 0 2\nB 0 i1 P i1\nB 1 i50 P i1\n"), simple());
    CHECK(o.cycles == Catch::Approx(204));
    CHECK_THROWS(simulate(job("S 0 2\nB 0 i1 P i1\nB 1 i50\n"), simple()));
}

TEST_CASE("one supergroup at a time where no more are resident") {
    Parameters p = simple();
    p.resident = 1;
    CHECK(simulate(job(repeated("i10", 20)), p).cycles == Catch::Approx(20 * 40));
    p.resident = 12;
    CHECK(simulate(job(repeated("i10", 24)), p).cycles == Catch::Approx(2 * 40));
}

TEST_CASE("DRAM bounds what misses the caches, and only that") {
    Parameters p = simple();
    p.dram_bytes = 1;
    std::string cold, warm;
    for (unsigned i = 0; i < 300; i++) {
        cold += "S " + std::to_string(i) + " 1\nB 0 i1 R1x16:4@" + std::to_string(1000 + i) + " T l\n";
        warm += "S " + std::to_string(i) + " 1\nB 0 i1 R1x16:4@10 T l\n";
    }
    CHECK(simulate(job(cold), p).cycles_supergroup == Catch::Approx(64).epsilon(0.02));
    CHECK(simulate(job(warm), p).cycles_supergroup < 10);
}

TEST_CASE("scratch of one thread is used again by its next batch") {
    Parameters p = simple();
    p.dram_bytes = 1;
    std::string text;
    for (unsigned i = 1000; i < 1300; i++)
        text += "S " + std::to_string(i) + " 1\nB 0 i1 w1x16:4@" + std::to_string(i) + " k\n";
    CHECK(simulate(job(text), p).dram_bytes == Catch::Approx(48 * 64));
}

TEST_CASE("the fit comes near the figures that the model made") {
    Parameters truth = simple();
    truth.latency = 80;
    truth.operation = 12;
    truth.word = 4;
    truth.resident = 3;
    std::vector<Measured> rows;
    for (const char *batch : {"i40 R1x16:4@10 T l i4 R4x16:4@11 T l l l l i9", "i1 R1x16:4@10 T l", "i90",
                              "i2 R1x16:4@10 R1x16:4@10 R1x16:4@10 T l l l i1 W4x16:4@20 k i3"}) {
        Measured row{"", job(repeated(batch, 60)), 1, 0};
        row.ns = modelled_ns(row, truth);
        rows.push_back(row);
    }
    std::vector<const Measured *> all;
    for (const Measured &row : rows)
        all.push_back(&row);
    Parameters start = simple();
    start.operation = start.word = 0;
    const Fit found = Fitter().fit(all, start);
    CHECK(found.rms < 0.05); // a search by steps ends near a best point, not always in it
}

TEST_CASE("a sample stands for the whole dispatch") {
    Job j = job(repeated("i10", 10));
    for (std::size_t i = 4; i < 10; i++)
        j.traced[i].index = 4 * (i - 3);
    j.supergroups = 28;
    keep_even_sample(j);
    REQUIRE(j.traced.size() == 7);
    Parameters p = simple();
    p.resident = 1;
    CHECK(simulate(j, p).cycles == Catch::Approx(28 * 40));
}
