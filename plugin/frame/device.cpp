// SPDX-License-Identifier: BSD-2-Clause
//
// The device of the C interface.
#include "frame/guard.h"
#include "frame/objects.h"
#include "util/clock.h"
#include "util/environment.h"

#include <algorithm>

using namespace dd;

namespace {

constexpr std::int64_t kMs = 1'000'000;

bool is_profile(const std::string &name) {
    return name == "auto" || name == "v3d" || name == "wide";
}

// Whether plan `auto` may find the GPU the better side. A renderer that runs on the CPU's own cores has nothing to
// add to them, and pictures in memory that the CPU can't read at speed cost more than a GPU gains.
bool may_gain(const Gpu &gpu, const PlanSpec &plan) {
    return plan.kind != PlanSpec::Kind::automatic ||
           (gpu.info().reads_cached && (!gpu.info().is_cpu_type || plan.measures_all));
}

// Opens the GPU and tells the user what there is to tell. nullptr: everything on the CPU.
std::shared_ptr<Gpu> open_gpu(DdDevice &device, const GpuOptions &options) {
    const TraceScope scope(device.trace.get(), "open the device", 0);
    std::string why;
    auto gpu = Gpu::open(options, why);
    if (!gpu) {
        if (!why.empty())
            device.log.line(DD_LOG_WARNING, "%s: decoding on the CPU", why.c_str());
        return nullptr;
    }
    if (!gpu->info().reads_cached)
        device.log.line(DD_LOG_WARNING,
                        "%s has no memory that the CPU reads through its cache, and there is no dma-heap (%s): "
                        "everything that the CPU does with pictures will be slow",
                        gpu->info().name.c_str(), DmaBuf::why_unavailable().c_str());
    if (options.robust && !gpu->info().is_robust)
        device.log.line(DD_LOG_WARNING, "%s can't check kernels' accesses to buffers (robust=1)",
                        gpu->info().name.c_str());
    if (may_gain(*gpu, device.plan)) {
        device.name = gpu->info().name;
        return gpu;
    }
    device.log.line(DD_LOG_INFO, "%s: plan %s leaves everything to the CPU", gpu->info().name.c_str(),
                    device.plan_name.c_str());
    return nullptr;
}

// `delay_ms`: of a test; negative: once it pays.
void open_late(DdDevice &device, GpuOptions options, long delay_ms) {
    device.late = true;
    device.opening.emplace(options.device);
    device.worker.add([&device, options, delay_ms](const std::stop_token &stop) mutable {
        options.stop = stop;
        std::shared_ptr<Gpu> gpu;
        const int result = guarded([&] {
            if (delay_ms < 0 ? await_work(device.opening->work_before(), device.gpu, stop)
                             : await_time(delay_ms * kMs, stop)) {
                const std::int64_t begin = thread_cpu_ns();
                gpu = open_gpu(device, options);
                device.opening->add(thread_cpu_ns() - begin);
            }
            return int{DD_OK};
        });
        if (result != DD_OK)
            device.log.line(DD_LOG_WARNING, "the GPU can't be opened (%s): decoding on the CPU",
                            dd_result_text(result));
        device.gpu.settle(std::move(gpu)); // whatever happens: others wait for it
    });
}

bool never_uses_gpu(const PlanSpec &plan) {
    return plan.kind == PlanSpec::Kind::fixed &&
           std::ranges::all_of(plan.side, [](std::uint8_t side) { return side == DD_SIDE_CPU; });
}

// Plan `auto` promises never to be the slower choice, so decoding begins without the driver, and what is over in a
// moment never meets it. Other plans give each frame the sides that they name, from the first one on. For tests,
// DAEDALUS_OPEN_LATE opens any plan's device like that, after so many milliseconds.
void open_by_plan(DdDevice &device, const GpuOptions &options) {
    constexpr long kUnset = -1;
    const long asked = test_hook_number("DAEDALUS_OPEN_LATE", kUnset);
    if (never_uses_gpu(device.plan)) {
        device.log.line(DD_LOG_INFO, "plan %s leaves everything to the CPU", device.plan_name.c_str());
        device.gpu.settle(nullptr);
        return;
    }
    const bool decides = device.plan.kind == PlanSpec::Kind::automatic && !device.plan.measures_all;
    if (options.device != "cpu" && (decides || asked > kUnset))
        open_late(device, options, asked);
    else
        device.gpu.settle(open_gpu(device, options));
}

int open_device(DdDevice **out, const DdDeviceOptions &options) {
    auto device = std::make_unique<DdDevice>();
    device->log = Log(options.log, options.log_opaque);
    device->plan_name = option_or_environment(options.plan, "DAEDALUS_PLAN", "auto");
    GpuOptions gpu;
    gpu.device = option_or_environment(options.device, "DAEDALUS_DEVICE", "auto");
    gpu.profile = option_or_environment(options.profile, "DAEDALUS_PROFILE", "auto");
    if (!parse_plan(device->plan_name, device->plan)) {
        device->log.line(DD_LOG_ERROR, "plan '%s' is not auto, gpu, cpu or a list such as mc=gpu,itx=gpu,lf=cpu",
                         device->plan_name.c_str());
        return DD_ERR_INVALID;
    }
    if (!is_profile(gpu.profile)) {
        device->log.line(DD_LOG_ERROR, "profile '%s' is not auto, v3d or wide", gpu.profile.c_str());
        return DD_ERR_INVALID;
    }
    const std::string goal = option_or_environment(options.goal, "DAEDALUS_GOAL", "speed");
    if (!parse_goal(goal, device->goal)) {
        device->log.line(DD_LOG_ERROR, "goal '%s' is not speed or cpu", goal.c_str());
        return DD_ERR_INVALID;
    }
    device->trace = Trace::open(environment("DAEDALUS_TRACE"));
    gpu.timestamps = device->trace != nullptr;
    gpu.robust = options.robust != 0;
    if (options.dma_buf && DmaBuf::available())
        device->exports = option_or_environment(options.p010, "DAEDALUS_P010") ? DD_EXPORT_P010 : DD_EXPORT_PLANAR;
    else if (options.dma_buf)
        device->log.line(DD_LOG_WARNING, "pictures stay in system memory: there is no dma-heap (%s)",
                         DmaBuf::why_unavailable().c_str());
    open_by_plan(*device, gpu);
    *out = device.release();
    return DD_OK;
}

} // namespace

extern "C" {

const char *dd_result_text(int result) {
    switch (result) {
    case DD_OK:
        return "success";
    case DD_ERR_INVALID:
        return "invalid argument";
    case DD_ERR_NO_MEMORY:
        return "out of memory";
    case DD_ERR_DEVICE:
        return "the GPU failed";
    case DD_ERR_RANGE:
        return "values out of the range in which all decoders agree";
    case DD_ERR_UNSUPPORTED:
        return "not supported by the GPU";
    default:
        return "unknown result";
    }
}

#define DD_TEXT_OF(x) #x
#define DD_TEXT(x) DD_TEXT_OF(x)
const char *dd_version(void) {
    return DD_TEXT(DD_VERSION_MAJOR) "." DD_TEXT(DD_VERSION_MINOR) "." DD_TEXT(DD_VERSION_PATCH);
}

int dd_device_open(DdDevice **device, const DdDeviceOptions *options) {
    DdDeviceOptions all;
    if (!device || !take(options, all))
        return DD_ERR_INVALID;
    *device = nullptr;
    return guarded([&] { return open_device(device, all); });
}

DdDevice *dd_device_ref(DdDevice *device) {
    device->ref();
    return device;
}

void dd_device_unref(DdDevice **device) {
    unref(device);
}

const char *dd_device_name(const DdDevice *device) {
    contained([&] { device->gpu.wait(); });
    return device->name.c_str();
}

int dd_device_opening(const DdDevice *device) {
    return !device->gpu.settled();
}

int dd_device_has_gpu(const DdDevice *device) {
    bool usable = false;
    contained([&] {
        device->gpu.wait();
        const auto gpu = device->gpu.get();
        usable = gpu && !gpu->given_up();
    });
    return usable;
}

DdExport dd_device_exports(const DdDevice *device) {
    return device->exports;
}

} // extern "C"
