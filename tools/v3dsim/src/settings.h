// SPDX-License-Identifier: BSD-2-Clause
//
// What the environment asks of the simulator.
#pragma once
#include <cstdint>
#include <string>

namespace v3dsim {

enum class Order : uint8_t { Forward, Reverse, Random };

struct Settings {
    // V3DSIM_CHECK: list of undefined, bounds, race, order; or all. (Barriers are always checked.)
    bool check_undefined = false, check_bounds = false, check_race = false, check_order = false;
    // V3DSIM_ORDER: forward, reverse, random[:SEED]. Order of supergroups and of the batches in each.
    Order order = Order::Forward;
    uint64_t seed = 1;
    // V3DSIM_YIELD=1: another batch goes on at every thread switch, not only at barriers.
    bool yield = false;
    // V3DSIM_THREADS: host threads that run supergroups (default: one for each processor).
    unsigned threads = 1;
    // V3DSIM_SYNC=1: a job runs inside the call that submits it, which then reports its failure.
    bool synchronous = false;
    // V3DSIM_IDLE=1: jobs end at once and do nothing, to count what programs do around them.
    bool idle = false;
    // V3DSIM_FULL_HEAP=NAME: the dma-heap of this name has no memory left.
    std::string full_heap;
    // V3DSIM_VERBOSE=1: a line for each job on stderr.
    bool verbose = false;
    // V3DSIM_LISTING=FILE: the disassembly of every program that runs, with executions of each instruction by each job.
    std::string listing_file;
    // V3DSIM_STATS, V3DSIM_TRACE: files, see trace.h. V3DSIM_TRACE_SAMPLE=FIRST[:EVERY] or all.
    std::string stats_file, trace_file;
    uint64_t trace_first = 24, trace_every = 0;

    bool needs_layer() const { return checks() || check_order || !stats_file.empty() || !trace_file.empty(); }
    bool checks() const { return check_undefined || check_bounds || check_race; }
};

// Exits with a message when the environment asks for something unknown.
Settings settings_from_environment();

} // namespace v3dsim
