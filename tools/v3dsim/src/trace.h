// SPDX-License-Identifier: BSD-2-Clause
//
// What the simulator writes about the jobs that it ran: statistics (one JSON object a job) and an event trace for the
// timing model. This comment is the definition of both formats.
//
// V3DSIM_STATS=FILE     appends one line of JSON for each compute job, in the order in which the jobs ran:
//   "v3dsim"            format version, 1
//   "job"               number of the job in this process, from 0
//   "code"              64-bit FNV-1a hash of the program's bytes as 16 hex digits: the same compiled kernel has the
//                       same
//   "threads"           4 or 2, threads of a QPU that may run the program
//   "workgroups"        [x, y, z] of the dispatch
//   "workgroup_size"    invocations of a workgroup
//   "workgroups_per_supergroup", "batches_per_supergroup", "supergroups", "batches"
//   "program"           counted once over the program text (not per execution):
//                         "instructions", "alu" (add- or mul-side operations that are not nop), "nops" (both sides
//                         nop), "multop", "sfu", "thrsw", "branches", "ldunif" (uniforms loaded by signals, wrtmuc,
//                         branches),
//                         "ldtmu", "tmu_writes" (writes that start a memory operation), "barriers",
//                         "partial_spills" (see spills.h)
//   "run"               counted over the whole execution, all batches:
//                         "instructions", "alu", "nops", "multop", "sfu", "thrsw", "branches", "ldunif", "ldtmu",
//                         "tmuwt", "barriers"
//   "tmu"               memory traffic, all batches. Keys "load", "store", "atomic" (buffers), "shared_load",
//                       "shared_store", "shared_atomic" (shared variables), "scratch_load", "scratch_store" (spills and
//                       arrays indexed at run time), "texture_load", "texture_store", "texture_atomic",
//                       "uniform_load" (uniforms read by address, which aren't the memory unit's), "prefetch" (lines
//                       brought into caches). Each is
//                         {"ops": operations of 16 lanes, "lanes": active lanes summed, "words": 32-bit words moved
//                          (an 8- or 16-bit access counts as one), "bytes": bytes asked for, "lines": distinct 64-byte
//                          lines touched by each operation, summed}
//                       A key whose "ops" is 0 is left out. Shared and scratch are told apart from buffers exactly when
//                       the layer of this library is active (see docs/v3dsim.md), otherwise shared accesses count
//                       as buffer accesses; scratch is always told apart.
//   "seconds"           host time that the simulation took (not a statement about the device)
//   "error"             only when the job was stopped: the message
//
// V3DSIM_TRACE=FILE     writes the event trace, text, one record a line. Jobs are traced in the order in which they
//                       run.
// V3DSIM_TRACE_SAMPLE=FIRST[:EVERY]
//                       which supergroups of a job are traced: the first FIRST ones, then every EVERY-th (default:
//                       24:0, 0 means none beyond the first; "all" traces everything)
//   J job=N code=HASH threads=T wgs=X,Y,Z wg_size=S wgs_per_sg=W batches_per_sg=B supergroups=G batches=K
//                       starts a job; the traced supergroups follow
//   S INDEX BATCHES     starts supergroup INDEX (0-based) of BATCHES batches
//   B INDEX EVENT…      one batch, whole, as events in program order, separated by one space:
//       iN              N instructions were issued (one add and one mul each), none of which has an event of its own
//                       between them. An event belongs to the last instruction counted before it.
//       u               the instruction read a word of the uniform stream (ldunif, ldunifrf, wrtmuc, tmuau, branch)
//       f               special function unit (recip, rsqrt, exp, log, sin, ballot, rot, shuffle, …)
//       R W x L : E @ LINES   (no blanks: R4x16:4@1a40+3,1a90)  load: W words for each of L active lanes, elements of
//                       E bytes (1, 2, 4); LINES are the distinct 64-byte lines in order of first use, as hexadecimal
//                       line numbers (address >> 6); "+n" stands for the n following lines as well
//       W… , A…         store and atomic, same syntax. An atomic also returns a word.
//       X… , Y… , Z…    texture or image load, store, atomic, same syntax
//       r W x L : E @…  load from scratch; "w…" store to scratch
//       s W x L : E @…  load from shared memory; "t…" store to; "a…" atomic on shared memory
//       v1x1:4@LINE     a uniform was read by address (ldunifa), through the unit that fetches uniforms
//       p W x L : E @…  prefetch: like a load, without a result
//       l               ldtmu: takes one word (for 16 lanes) from the result queue; stalls until it is there
//       k               tmuwt: waits until all stores of this thread are done
//       T               thread switch (after its delay slots)
//       P               thread switch with a barrier wait: continues when all batches of the supergroup are here
//       j               a branch that was taken
//   E                   ends the job
#pragma once
#include <array>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>

namespace v3dsim {

// What an access of the texture and memory unit touched; index of Counters::tmu and letter of the trace.
enum class Traffic : uint8_t {
    Load,
    Store,
    Atomic,
    SharedLoad,
    SharedStore,
    SharedAtomic,
    ScratchLoad,
    ScratchStore,
    TextureLoad,
    TextureStore,
    TextureAtomic,
    UniformLoad,
    Prefetch,
    Count
};
constexpr size_t traffic_count = static_cast<size_t>(Traffic::Count);

struct TrafficCounters {
    uint64_t ops = 0, lanes = 0, words = 0, bytes = 0, lines = 0;
};

struct OpCounters {
    uint64_t instructions = 0, alu = 0, nops = 0, multop = 0, sfu = 0, thrsw = 0, branches = 0, ldunif = 0, ldtmu = 0,
             tmuwt = 0, tmu_writes = 0, barriers = 0, partial_spills = 0;
    void add(const OpCounters &o, uint64_t times = 1);
};

struct Counters {
    OpCounters ops;
    std::array<TrafficCounters, traffic_count> tmu{};
    void add(const Counters &o);
};

struct Dispatch;
struct Program;

// Everything that a line of statistics says.
struct JobSummary {
    uint64_t number = 0;
    const Dispatch *dispatch = nullptr;
    const Program *program = nullptr;
    Counters counters;
    double seconds = 0;
    std::string error;
};

// The files. Each method writes whole records; any thread may call it.
class TraceFiles {
  public:
    // Empty names: no such file. Exits with a message when a file cannot be opened.
    TraceFiles(const std::string &stats, const std::string &trace);
    ~TraceFiles();
    TraceFiles(const TraceFiles &) = delete;
    TraceFiles &operator=(const TraceFiles &) = delete;

    bool stats() const { return stats_ != nullptr; }
    bool trace() const { return trace_ != nullptr; }
    void write_stats(const JobSummary &job);
    void begin_trace(const JobSummary &job);
    void write_trace(const std::string &lines);

  private:
    std::mutex mutex_;
    std::FILE *stats_ = nullptr, *trace_ = nullptr;
};

// The 64-byte lines that an access touches, and the letter of its kind.
struct AccessRecord {
    Traffic traffic;
    unsigned words, active, element;
    unsigned line_count;
    uint32_t lines[64]; // distinct, in order of first use
};
std::string format_access(const AccessRecord &a);

} // namespace v3dsim
