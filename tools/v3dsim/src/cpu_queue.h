// SPDX-License-Identifier: BSD-2-Clause
//
// Jobs of the kernel's CPU queue, which the kernel does itself in the order of submissions: timestamps, their reset and
// copies, and the sizes of an indirect dispatch.
#pragma once
#include "job.h"
#include "memory.h"
#include "syncobj.h"
#include "v3d_uapi.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace v3dsim {

struct CpuJob {
    // Does what the processor does. `done` is the job's own fence. Sets `dispatch` where one follows. False, with an
    // error, stops the job.
    std::function<bool(const FencePtr &done, std::optional<Dispatch> *dispatch, std::string *error)> work;
    bool indirect = false;         // may dispatch
    std::vector<uint32_t> handles; // buffer objects that it uses
};

// Copies what the arguments point to. Returns 0 or an errno.
int parse_cpu_job(Memory &memory, SyncObjects &syncs, const uapi::SubmitCpuArgs &args, CpuJob *job);

} // namespace v3dsim
