// SPDX-License-Identifier: BSD-2-Clause
#include "cpu_queue.h"

#include <cerrno>
#include <cstring>

namespace v3dsim {
namespace {

// A place in a buffer object, or nullptr where it isn't wholly in there.
uint8_t *place(Memory &memory, uint32_t handle, uint64_t offset, uint64_t bytes) {
    BufferObject bo;
    if (!memory.find(handle, &bo) || offset > bo.size || bytes > bo.size - offset)
        return nullptr;
    return memory.base() + bo.address + offset;
}

bool outside(std::string *error) {
    *error = "a job of the CPU queue outside its buffer object";
    return false;
}

// The first query gets the time, the others, which multiview has, nothing.
void parse(Memory &memory, SyncObjects &syncs, const uapi::TimestampQueryExtension &e, CpuJob *job) {
    job->work = [&memory, &syncs, handle = job->handles[0], offsets = uapi::words_at(e.offsets, e.count),
                 objects = uapi::words_at(e.syncs, e.count)](const FencePtr &done, std::optional<Dispatch> *,
                                                             std::string *error) {
        for (size_t i = 0; i < offsets.size(); i++) {
            uint8_t *value = place(memory, handle, offsets[i], 8);
            if (!value)
                return outside(error);
            const int64_t time = i == 0 ? monotonic_ns() : 0;
            std::memcpy(value, &time, 8);
            syncs.replace(objects[i], done);
        }
        return true;
    };
}

void parse(Memory &memory, SyncObjects &syncs, const uapi::ResetTimestampQueryExtension &e, CpuJob *job) {
    job->work = [&memory, &syncs, handle = job->handles[0], offset = e.offset,
                 objects = uapi::words_at(e.syncs, e.count)](const FencePtr &, std::optional<Dispatch> *,
                                                             std::string *error) {
        uint8_t *values = place(memory, handle, offset, 8 * uint64_t{objects.size()});
        if (!values)
            return outside(error);
        std::memset(values, 0, 8 * objects.size());
        for (const uint32_t object : objects)
            syncs.replace(object, nullptr);
        return true;
    };
}

void parse(Memory &memory, SyncObjects &syncs, const uapi::CopyTimestampQueryExtension &e, CpuJob *job) {
    job->work = [&memory, &syncs, e, target = job->handles[0], source = job->handles[1],
                 offsets = uapi::words_at(e.offsets, e.count), objects = uapi::words_at(e.syncs, e.count)](
                    const FencePtr &, std::optional<Dispatch> *, std::string *error) {
        const uint32_t bytes = e.do_64bit ? 8 : 4;
        for (size_t i = 0; i < offsets.size(); i++) {
            const FencePtr fence = syncs.fence(objects[i]);
            const bool available = syncs.is_signalled(fence);
            const uint8_t *value = place(memory, source, offsets[i], 8);
            uint8_t *to =
                place(memory, target, e.offset + uint64_t{e.stride} * i, bytes * (e.availability_bit ? 2 : 1));
            if (!value || !to)
                return outside(error);
            const uint64_t flag = available;
            if (available || e.do_partial)
                std::memcpy(to, value, bytes);
            if (e.availability_bit)
                std::memcpy(to + bytes, &flag, bytes);
        }
        return true;
    };
}

// The job's buffer object has the counts of workgroups; where the program reads them, they go into its uniforms, which
// are in the extension's.
void parse(Memory &memory, const uapi::IndirectCsdExtension &e, CpuJob *job) {
    job->indirect = true;
    const uint32_t handle = job->handles[0];
    job->handles = uapi::words_at(e.submit.bo_handles, e.submit.bo_handle_count);
    job->handles.insert(job->handles.end(), {handle, e.indirect});
    job->work = [&memory, e, handle](const FencePtr &, std::optional<Dispatch> *dispatch, std::string *error) {
        const uint8_t *counts = place(memory, handle, e.offset, 12);
        if (!counts)
            return outside(error);
        uint32_t groups[3], cfg[7];
        std::memcpy(groups, counts, sizeof groups);
        std::memcpy(cfg, e.submit.cfg, sizeof cfg);
        if (!groups[0] || !groups[1] || !groups[2])
            return true;
        for (unsigned i = 0; i < 3; i++) {
            cfg[i] = groups[i] << 16;
            if (e.uniform_offsets[i] == ~0u)
                continue;
            uint8_t *uniform = place(memory, e.indirect, 4 * uint64_t{e.uniform_offsets[i]}, 4);
            if (!uniform)
                return outside(error);
            std::memcpy(uniform, &groups[i], 4);
        }
        cfg[4] = (e.workgroup_size + lanes - 1) / lanes * groups[0] * groups[1] * groups[2];
        *dispatch = parse_dispatch(cfg);
        return true;
    };
}

} // namespace

int parse_cpu_job(Memory &memory, SyncObjects &syncs, const uapi::SubmitCpuArgs &args, CpuJob *job) {
    job->handles = uapi::words_at(args.bo_handles, args.bo_handle_count);
    for (uint64_t at = args.extensions; at;) {
        const auto *e = reinterpret_cast<const uapi::Extension *>(static_cast<uintptr_t>(at));
        at = e->next;
        if (e->id == uapi::multi_sync)
            continue;
        const size_t wanted = e->id == uapi::CopyTimestampQuery ? 2 : 1;
        if (job->work || job->handles.size() != wanted)
            return EINVAL;
        if (e->id == uapi::IndirectCsd)
            parse(memory, *reinterpret_cast<const uapi::IndirectCsdExtension *>(e), job);
        else if (e->id == uapi::TimestampQuery)
            parse(memory, syncs, *reinterpret_cast<const uapi::TimestampQueryExtension *>(e), job);
        else if (e->id == uapi::ResetTimestampQuery)
            parse(memory, syncs, *reinterpret_cast<const uapi::ResetTimestampQueryExtension *>(e), job);
        else if (e->id == uapi::CopyTimestampQuery)
            parse(memory, syncs, *reinterpret_cast<const uapi::CopyTimestampQueryExtension *>(e), job);
        else
            return EINVAL; // performance monitors: the device says that it has none
    }
    return job->work ? 0 : EINVAL;
}

} // namespace v3dsim
