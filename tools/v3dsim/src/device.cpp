// SPDX-License-Identifier: BSD-2-Clause
#include "device.h"

#include "transfer.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>
#include <sys/stat.h>

namespace v3dsim {
namespace {

thread_local bool application_memory = false;
thread_local uint32_t application_handle = 0;

} // namespace

Device &Device::instance() {
    // Never destroyed: threads of the program may still call when it exits.
    static Device *device = new Device;
    return *device;
}

Device::Device()
    : settings_(settings_from_environment()), memory_(settings_.check_undefined),
      node_("/proc/self/fd/" + std::to_string(memory_.fd())), runner_(memory_, settings_) {}

void Device::open_client(int client) {
    std::lock_guard lock(lost_mutex_);
    lost_.erase(client);
    syncs_.regain(client);
}

bool Device::is_lost(int client) {
    std::lock_guard lock(lost_mutex_);
    return lost_.contains(client);
}

void Device::expect_application_memory(bool expected) {
    application_memory = expected;
    if (expected)
        application_handle = 0;
}

uint32_t Device::last_application_handle() {
    return application_handle;
}

// As the kernel answers on a Raspberry Pi 5, whose registers these are, but that revision 1.7 stands for all. It has
// no performance monitors, as there are no cycles to count.
int Device::get_param(uapi::GetParamArgs *a) const {
    // A register's value goes to where there was none.
    static const std::map<uint32_t, uint32_t> registers = {
        {uapi::UifCfg, 0x00000045},    // pages and banks of tiled images
        {uapi::HubIdent1, 0x00081117}, // one core, one host
        {uapi::HubIdent2, 0x00001900}, // with an MMU
        {uapi::HubIdent3, 0x00000700}, // revision 7
        {uapi::Ident0, 0x07443356},    // "V3D", version 7
        {uapi::Ident1, 0x81001431},    // revision 1, 3 slices of 4 QPUs, 64 KiB of vertex memory
        {uapi::Ident2, 0xc0078101},
    };
    static const std::map<uint32_t, uint32_t> features = {
        {uapi::SupportsTfu, 1},     {uapi::SupportsCsd, 1},        {uapi::SupportsCacheFlush, 1},
        {uapi::SupportsPerfmon, 0}, {uapi::SupportsMultisync, 1},  {uapi::SupportsCpuQueue, 1},
        {uapi::MaxPerfCounters, 0}, {uapi::SupportsSuperPages, 0},
    };
    if (a->pad)
        return EINVAL;
    const auto value = registers.find(a->param), feature = features.find(a->param);
    if (value != registers.end() && !a->value)
        a->value = value->second;
    else if (feature != features.end())
        a->value = feature->second;
    else
        return EINVAL;
    return 0;
}

int Device::request(int client, unsigned number, void *argument) {
    switch (number) {
    case uapi::GemClose:
        return memory_.close(static_cast<uapi::CloseArgs *>(argument)->handle) ? 0 : EINVAL;
    case uapi::GetParam:
        return get_param(static_cast<uapi::GetParamArgs *>(argument));
    case uapi::CreateBo: {
        auto *a = static_cast<uapi::CreateBoArgs *>(argument);
        a->handle = memory_.create(a->size, application_memory);
        BufferObject bo;
        if (!a->handle || !memory_.find(a->handle, &bo))
            return ENOMEM;
        a->offset = bo.address;
        if (application_memory)
            application_handle = a->handle;
        return 0;
    }
    case uapi::GetBoOffset: {
        auto *a = static_cast<uapi::GetBoOffsetArgs *>(argument);
        BufferObject bo;
        if (!memory_.find(a->handle, &bo))
            return ENOENT;
        a->offset = bo.address;
        return 0;
    }
    case uapi::MmapBo: {
        auto *a = static_cast<uapi::MmapBoArgs *>(argument);
        BufferObject bo;
        if (!memory_.find(a->handle, &bo))
            return ENOENT;
        a->offset = bo.address;
        return 0;
    }
    case uapi::WaitBo: {
        auto *a = static_cast<uapi::WaitBoArgs *>(argument);
        // Patience that is meant for hardware ends too soon here; every job ends.
        const bool forever = a->timeout_ns >= 1000000000;
        return memory_.wait_idle(a->handle, forever ? -1 : static_cast<int64_t>(a->timeout_ns)) ? 0 : ETIME;
    }
    case uapi::SubmitCsd: {
        auto *a = static_cast<uapi::SubmitCsdArgs *>(argument);
        Job job;
        job.dispatch = parse_dispatch(a->cfg);
        job.handles = uapi::words_at(a->bo_handles, a->bo_handle_count);
        match_expected(job);
        return submit(client, std::move(job), a->extensions, a->out_sync);
    }
    case uapi::SubmitCl: {
        auto *a = static_cast<uapi::SubmitClArgs *>(argument);
        Job job;
        job.kind = Job::Kind::CommandList;
        job.list = *a;
        job.handles = uapi::words_at(a->bo_handles, a->bo_handle_count);
        return submit(client, std::move(job), a->extensions, a->out_sync);
    }
    case uapi::SubmitTfu: {
        auto *a = static_cast<uapi::SubmitTfuArgs *>(argument);
        Job job;
        job.kind = Job::Kind::TextureFormat;
        job.tfu = *a;
        for (uint32_t handle : a->bo_handles)
            if (handle)
                job.handles.push_back(handle);
        return submit(client, std::move(job), a->extensions, a->out_sync);
    }
    case uapi::SubmitCpu:
        return submit_cpu(client, *static_cast<uapi::SubmitCpuArgs *>(argument));
    default:
        std::fprintf(stderr, "v3dsim: request 0x%02x to the kernel is not implemented\n", number);
        return ENOSYS;
    }
}

int Device::import_buffer(int fd, uint32_t *handle) {
    struct stat st;
    if (fstat(fd, &st) != 0)
        return errno;
    if (st.st_size <= 0 || st.st_size > UINT32_MAX)
        return EINVAL;
    *handle = memory_.import(fd, static_cast<uint32_t>(st.st_size));
    if (!*handle)
        return ENOMEM;
    if (application_memory)
        application_handle = *handle;
    return 0;
}

void Device::expect_dispatches(std::vector<ExpectedDispatch> dispatches) {
    std::lock_guard lock(expected_mutex_);
    for (ExpectedDispatch &d : dispatches)
        expected_.push_back(std::move(d));
}

void Device::match_expected(Job &job) {
    std::lock_guard lock(expected_mutex_);
    auto matches = [&](const ExpectedDispatch &e) {
        if (!e.indirect && !std::equal(e.workgroups, e.workgroups + 3, job.dispatch.workgroups))
            return false;
        return std::all_of(e.handles.begin(), e.handles.end(), [&](uint32_t handle) {
            return std::find(job.handles.begin(), job.handles.end(), handle) != job.handles.end();
        });
    };
    const auto it = std::find_if(expected_.begin(), expected_.end(), matches);
    if (it == expected_.end())
        return;
    job.has_ranges = true;
    job.ranges = std::move(it->ranges);
    expected_.erase(it);
}

// Jobs of a lost client are taken too, and fail. To refuse them would end the driver's thread that submits, for which
// vkDestroyDevice may then wait forever: it does not wake who waits for that thread.
int Device::submit(int client, Job job, uint64_t extensions, uint32_t out_sync) {
    job.client = client;
    // What a job waits for belongs to jobs submitted before it, and those have run when it does.
    std::vector<uint32_t> signals;
    if (out_sync)
        signals.push_back(out_sync);
    for (uint64_t at = extensions; at;) {
        const auto *e = reinterpret_cast<const uapi::Extension *>(static_cast<uintptr_t>(at));
        at = e->next;
        if (job.kind == Job::Kind::Processor && e->id != uapi::multi_sync)
            continue; // what the job is
        if (e->id != uapi::multi_sync) {
            std::fprintf(stderr, "v3dsim: submission extension %u is not implemented\n", e->id);
            return EINVAL;
        }
        const auto *m = reinterpret_cast<const uapi::MultiSync *>(e);
        const auto *out = reinterpret_cast<const uapi::Semaphore *>(static_cast<uintptr_t>(m->out_syncs));
        for (uint32_t i = 0; i < m->out_count; i++)
            signals.push_back(out[i].handle);
    }
    job.done = std::make_shared<Fence>();
    memory_.begin_job(job.handles);
    if (settings_.synchronous) {
        for (uint32_t handle : signals)
            syncs_.replace(handle, job.done);
        execute(job);
        return 0;
    }
    std::lock_guard lock(mutex_);
    for (uint32_t handle : signals)
        syncs_.replace(handle, job.done);
    queue_.push_back(std::move(job));
    if (!serving_) {
        serving_ = true;
        std::thread([this] { serve(); }).detach();
    }
    work_.notify_one();
    return 0;
}

void Device::serve() {
    for (;;) {
        std::unique_lock lock(mutex_);
        work_.wait(lock, [this] { return !queue_.empty(); });
        Job job = std::move(queue_.front());
        queue_.pop_front();
        lock.unlock();
        execute(job);
    }
}

int Device::submit_cpu(int client, const uapi::SubmitCpuArgs &args) {
    Job job;
    job.kind = Job::Kind::Processor;
    if (const int error = parse_cpu_job(memory_, syncs_, args, &job.cpu))
        return error;
    job.handles = job.cpu.handles;
    if (job.cpu.indirect)
        match_expected(job);
    return submit(client, std::move(job), args.extensions, 0);
}

bool Device::run_cpu(Job &job, std::string *error) {
    std::optional<Dispatch> dispatch;
    if (!job.cpu.work(job.done, &dispatch, error))
        return false;
    return !dispatch || runner_.run(*dispatch, job.handles, job.has_ranges ? &job.ranges : nullptr, error);
}

bool Device::run(Job &job, std::string *error) {
    if (is_lost(job.client)) {
        *error = "the device is lost";
        return false;
    }
    switch (job.kind) {
    case Job::Kind::Compute:
        return runner_.run(job.dispatch, job.handles, job.has_ranges ? &job.ranges : nullptr, error);
    case Job::Kind::Processor:
        return run_cpu(job, error);
    case Job::Kind::CommandList:
        return run_command_list(memory_, job.list, error);
    default:
        return run_texture_format(memory_, job.tfu, error);
    }
}

void Device::execute(Job &job) {
    std::lock_guard lock(run_mutex_);
    std::string error;
    const bool ok = run(job, &error);
    if (!ok) {
        std::lock_guard lost(lost_mutex_);
        if (lost_.insert(job.client).second) // what follows fails because of it
            std::fprintf(stderr, "v3dsim: job stopped: %s\n", error.c_str());
    }
    memory_.end_job(job.handles);
    syncs_.finish(job.done, !ok);
    if (!ok)
        syncs_.lose(job.client);
}

} // namespace v3dsim
