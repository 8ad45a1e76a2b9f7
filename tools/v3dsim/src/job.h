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
    uint64_t supergroups() const {
        return (workgroup_count() + workgroups_per_supergroup - 1) / workgroups_per_supergroup;
    }
    // Workgroups of a supergroup that exist.
    uint32_t groups_in(uint32_t supergroup) const;
    // Batches that run of it: the dispatcher starts no more than `batches` of a job.
    uint32_t batches_in(uint32_t supergroup) const;
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
