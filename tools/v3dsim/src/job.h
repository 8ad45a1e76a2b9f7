// SPDX-License-Identifier: BSD-2-Clause
//
// A compute job: which workgroups there are, how they are put together to batches and supergroups, and in which order
// those run.
#pragma once
#include "check.h"
#include "execute.h"
#include "memory.h"
#include "program.h"
#include "settings.h"
#include "trace.h"

#include <memory>
#include <string>

namespace v3dsim {

struct Dispatch {
    uint32_t workgroups[3] = {};
    uint32_t workgroup_size = 0, workgroups_per_supergroup = 0, batches_per_supergroup = 0, batches = 0;
    uint32_t code = 0, uniforms = 0;
    bool four_threads = false, single_segment = false;

    uint64_t workgroup_count() const { return uint64_t{workgroups[0]} * workgroups[1] * workgroups[2]; }
    // Batches that the device holds at once.
    uint32_t resident() const;
    // The dispatcher starts as many batches as a job says, and fills supergroups with them. A driver's jobs have as
    // many as their workgroups need; where a job says more, workgroups go on beyond the last one, in z.
    uint64_t supergroups() const { return (uint64_t{batches} + batches_per_supergroup - 1) / batches_per_supergroup; }
    uint32_t batches_in(uint32_t supergroup) const;
    // Does the invocation, counted in its supergroup, belong to one of the workgroups that there are?
    bool has_invocation(uint32_t supergroup, uint32_t invocation) const;
};

// From the seven configuration registers of the compute shader dispatcher.
Dispatch parse_dispatch(const uint32_t cfg[7]);

// Runs jobs, one at a time. Keeps the host threads and the programs that it decoded.
class JobRunner {
  public:
    JobRunner(Memory &memory, const Settings &settings);
    ~JobRunner();
    // False when the job was stopped; `error` says why. `handles`: the buffer objects that it uses. `ranges`: what it
    // may touch of the application's memory, or nullptr when that is not known.
    bool run(const Dispatch &dispatch, const std::vector<uint32_t> &handles, const BoundRanges *ranges,
             std::string *error);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace v3dsim
