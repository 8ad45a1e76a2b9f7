// SPDX-License-Identifier: BSD-2-Clause
//
// Runs one batch (16 invocations in lockstep) instruction by instruction until it ends, waits at a barrier, or switches
// threads.
#pragma once
#include "decode.h"
#include "lanes.h"
#include "trace.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace v3dsim {

class Memory;
struct Thread;

// A compiled program: decoded once, shared by all batches that run it.
struct Program {
    uint32_t address = 0;
    uint64_t hash = 0;
    std::vector<uint64_t> words;
    std::vector<Instruction> code; // one more than words: a sentinel that cannot be executed
    std::vector<OpCounters> per_instruction;
    OpCounters text; // counted over the program text
    // Index in the uniform stream (in words) of the base address of scratch memory, or -1. See find_scratch_uniform().
    int scratch_uniform = -1;
};

// One access of the texture and memory unit, as the observers see it.
struct Access {
    enum class Type : uint8_t { Load, Store, Atomic };
    Type type;
    bool texture;
    uint8_t words;           // 32-bit words for each lane
    uint8_t element;         // bytes of an element: 1, 2 or 4
    LaneMask enabled;        // lanes that access memory
    LaneMask helpers;        // of these, the ones that only fill up a quad
    const uint32_t *address; // 16 byte addresses; word w of a lane lies 4 * w bytes further
    bool uniform = false;    // through the unit that fetches uniforms: one word for all lanes
    bool prefetch = false;   // only brings lines into caches
};

// Sees every access before it is done. Used for tracing and checking; absent otherwise.
class Observer {
  public:
    virtual ~Observer() = default;
    // `undefined[w]` receives, for a load, the lanes whose word w was never written. `stored[w]` holds, for a store
    // or an atomic, the lanes whose operand is undefined. Returning false stops the job (with an error set in the
    // thread).
    virtual bool access(Thread &t, const Access &a, const LaneMask *stored, LaneMask *undefined) = 0;
    // Events of the trace: 'u' 'f' 'l' 'k' 'T' 'P' 'j', with the instructions that were issued since the previous
    // event.
    virtual void event(Thread &, char) {}
    // A value decides something (a branch, an address …) while lanes of it were never written.
    virtual bool undefined_use(Thread &, const char * /*what*/, LaneMask) { return true; }
    virtual void barrier(Thread &) {}
};

enum class RunStatus : uint8_t { Ended, Barrier, Switched, Error };

struct alignas(64) Thread {
    Lanes reg[operand_count]; // register file, then the small immediates
    Lanes flag_a, flag_b;     // 0 or ~0
    Lanes active;             // 0 or ~0: the lane has sample flags
    Lanes msf, rtop;
    Lanes tmu_data[16];
    Lanes tmu_t, tmu_r, tmu_i, tmu_b, tmu_offset, tmu_dref;
    Lanes results[64]; // words that memory operations returned, taken by ldtmu

    uint32_t pc, uniforms, unifa, link;
    uint32_t branch_target;
    uint32_t tmu_general_config;
    uint32_t tmu_config[3];
    uint8_t tmu_config_count, tmu_data_count, result_read, result_write;
    uint8_t tmu_coordinates; // which of t, r, i, b, offset, dref were written, bits in that order
    uint8_t thread_switch_delay, branch_delay;
    bool last_switch, ending, previous_thrsw, barrier_pending;

    uint32_t thread_index; // what tidx reads
    uint32_t supergroup, batch, epoch;
    uint32_t workgroup[lanes];  // linear index of each lane's workgroup
    uint32_t invocation[lanes]; // local index in it
    uint64_t issued;            // instructions since the last event of the trace
    uint64_t budget;            // taken branches left before the batch counts as hung
    uint32_t *counts;           // executions of each instruction of the program

    // Bit n of undefined[r]: lane n of register r holds nothing that was ever written (checked execution only).
    LaneMask undefined[operand_count];
    LaneMask undefined_flag_a, undefined_flag_b, undefined_rtop;
    LaneMask undefined_data[16], undefined_results[64];
    LaneMask undefined_coordinate;

    std::string error;

    Thread();
    // Makes it ready to run a batch from its first instruction.
    void start(uint32_t uniform_address, bool single_segment, uint32_t *counters);
};

// Words of uniform streams that a job has read. The device's cache of them doesn't see what the job stores meanwhile.
struct UniformCache {
    struct Word {
        uint32_t address = 0, value = 0; // no uniform lies at 0
    };
    std::array<Word, 1024> words{};
};

struct RunContext {
    Memory *memory;
    const Program *program;
    Observer *observer; // or nullptr
    bool checked;       // track which lanes were never written
    bool yield;         // return at every thread switch, not only at barriers
    bool concurrent;    // other host threads run batches of the same job
    UniformCache *uniforms = nullptr;
};

using RunFunction = RunStatus (*)(Thread &, const RunContext &);
// The version for this host's vector instructions.
RunFunction select_engine();

// One for each instruction set that the executor is compiled for.
namespace engine_baseline {
RunStatus run(Thread &, const RunContext &);
}
#ifdef V3DSIM_X86_ENGINES
namespace engine_avx2 {
RunStatus run(Thread &, const RunContext &);
}
namespace engine_avx512 {
RunStatus run(Thread &, const RunContext &);
}
#endif

} // namespace v3dsim
