// SPDX-License-Identifier: BSD-2-Clause
//
// The session of the C interface, and its pictures.
#include "environment.h"
#include "scheduler/calibration.h"
#include "session/guard.h"
#include "session/objects.h"
#include "vulkan/av1_dispatch.h"
#include "vulkan/vp9_dispatch.h"

#include <algorithm>
#include <sched.h>

using namespace dd;

namespace {

unsigned usable_cores() {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 1;
}

// All that costs depend on.
std::string identity_of(const Gpu &gpu, DdCodec codec, unsigned cores) {
    return gpu.name() + '-' + gpu.driver_version() + '-' + (gpu.profile() == Profile::v3d ? "v3d" : "wide") + '-' +
           std::to_string(cores) + "cores-" + (codec == DD_CODEC_AV1 ? "av1" : "vp9") + '-' + dd_version();
}

CostSeed seed_of(const Gpu &gpu) {
    return gpu.profile() == Profile::v3d ? CostSeed::v3d : CostSeed::discrete;
}

DeviceTraits traits_of(const DdDevice &device, DdCodec codec) {
    DeviceTraits traits;
    if (!device.gpu || device.plan.kind != PlanSpec::Kind::automatic)
        return traits;
    const Gpu &gpu = *device.gpu;
    traits.worth_it = true;
    traits.planner = {device.goal, usable_cores()};
    traits.seed = seed_of(gpu);
    traits.calibration = calibration_path(identity_of(gpu, codec, traits.planner.cores));
    return traits;
}

std::uint64_t seed() {
    return static_cast<std::uint64_t>(environment_number("DAEDALUS_SEED", 1));
}

const char *profile_name(Profile profile) {
    return profile == Profile::v3d ? "v3d" : "wide";
}

bool read_format(const DdPictureFormat &from, PictureFormat &to) {
    if (from.bit_depth > 12 || from.ss_h > 1 || from.ss_v > 1)
        return false;
    to.width = from.width;
    to.height = from.height;
    to.bit_depth = static_cast<std::uint8_t>(from.bit_depth);
    to.ss_h = static_cast<std::uint8_t>(from.ss_h);
    to.ss_v = static_cast<std::uint8_t>(from.ss_v);
    to.planes = from.monochrome ? 1 : 3;
    return true;
}

int alloc_picture(DdSession &session, const DdPictureFormat &wanted, DdPicture **out) {
    PictureFormat format;
    if (!read_format(wanted, format))
        return DD_ERR_INVALID;
    const PictureLayout layout = make_picture_layout(format, session.codec == DD_CODEC_VP9 ? 64 : 128);
    if (layout.size == 0)
        return DD_ERR_INVALID;
    session.prepare(format);
    auto picture = std::make_unique<DdPicture>();
    picture->pool = session.pool;
    GpuStatus status;
    picture->memory = session.pool->take(layout, session.gpu_usable(), status);
    if (!picture->memory)
        return DD_ERR_NO_MEMORY;
    if (status.result == DD_ERR_UNSUPPORTED)
        session.log.line(DD_LOG_VERBOSE, "%s", status.text);
    else if (!status)
        session.give_up_gpu("allocating a picture", status);
    *out = picture.release();
    return DD_OK;
}

} // namespace

DdSession::DdSession(DdDevice *opened, const DdSessionOptions &options)
    : device(dd_device_ref(opened)), codec(options.codec),
      log(options.log ? Log(options.log, options.log_opaque) : opened->log),
      scheduler(codec, opened->plan, traits_of(*opened, codec), seed()), statistics(codec_stages(codec)),
      pool(std::make_shared<PicturePool>(opened->gpu)) {}

DdSession::~DdSession() {
    if (device->gpu)
        statistics.tell(log, device->name, scheduler.latched(), scheduler.itx_rested());
    idle_frames.clear();
    pool.reset();
    dd_device_unref(&device);
}

int DdSession::give_up_gpu(const char *doing, const GpuStatus &status) {
    if (scheduler.latch())
        log.line(DD_LOG_WARNING, "%s failed while %s (%s): the rest of the stream is decoded on the CPU",
                 device->name.c_str(), doing, status.text);
    return DD_ERR_DEVICE;
}

void DdSession::prepare(const PictureFormat &format) {
    if (!gpu_usable())
        return;
    PictureFormat kind = format;
    kind.width = kind.height = 0;
    {
        const std::lock_guard lock(mutex);
        if (std::ranges::find(prepared, kind) != prepared.end())
            return;
        prepared.push_back(kind);
    }
    const TraceScope scope(device->trace.get(), "make pipelines", 0);
    const auto kernels = codec == DD_CODEC_AV1 ? av1_kernels(format) : vp9_kernels(format, device->gpu->profile());
    if (const GpuStatus status = device->gpu->prepare(kernels); !status)
        give_up_gpu("making pipelines", status);
}

void DdSession::say_hello(const DdPlan &plan, bool intra_only) {
    {
        const std::lock_guard lock(mutex);
        if (std::exchange(hello, true))
            return;
    }
    if (!device->gpu)
        return;
    // A frame without inter blocks has no share in the stages before the loop filter, whatever the plan.
    const std::string first = plan_text(plan, intra_only ? DD_STAGE_LF : 0, codec_stages(codec));
    log.line(DD_LOG_INFO, "%s, profile %s, %s memory, plan %s (first frame: %s%s)", device->name.c_str(),
             profile_name(device->gpu->profile()), device->gpu->memory_text(), device->plan_name.c_str(),
             intra_only ? "intra, " : "", first.c_str());
}

extern "C" {

int dd_session_open(DdSession **session, DdDevice *device, const DdSessionOptions *options) {
    if (!session || !device || !has_size(options) || options->codec < DD_CODEC_VP9 || options->codec > DD_CODEC_AV1)
        return DD_ERR_INVALID;
    *session = nullptr;
    return guarded([&] {
        *session = new DdSession(device, *options);
        return int{DD_OK};
    });
}

DdSession *dd_session_ref(DdSession *session) {
    session->ref();
    return session;
}

void dd_session_unref(DdSession **session) {
    if (!session || !*session)
        return;
    if ((*session)->unref())
        delete *session;
    *session = nullptr;
}

int dd_session_stats(DdSession *session, DdStats *stats) {
    if (!session || !has_size(stats))
        return DD_ERR_INVALID;
    return guarded([&] {
        const std::size_t size = stats->size;
        *stats = session->statistics.get();
        stats->size = size;
        stats->latched = session->scheduler.latched();
        return int{DD_OK};
    });
}

int dd_picture_alloc(DdSession *session, const DdPictureFormat *format, DdPicture **picture) {
    if (!session || !picture || !has_size(format))
        return DD_ERR_INVALID;
    *picture = nullptr;
    return guarded([&] { return alloc_picture(*session, *format, picture); });
}

DdPicture *dd_picture_ref(DdPicture *picture) {
    picture->ref();
    return picture;
}

void dd_picture_unref(DdPicture **picture) {
    if (!picture || !*picture)
        return;
    if ((*picture)->unref())
        delete *picture;
    *picture = nullptr;
}

void dd_picture_planes(const DdPicture *picture, uint8_t *data[3], ptrdiff_t stride[3]) {
    const PictureLayout &layout = picture->layout();
    auto *base = reinterpret_cast<std::uint8_t *>(picture->memory->data());
    for (unsigned p = 0; p < 3; p++) {
        const bool there = p < layout.format.planes;
        data[p] = there ? base + layout.plane[p].offset : nullptr;
        stride[p] = there ? static_cast<std::ptrdiff_t>(layout.plane[p].stride) : 0;
    }
}

} // extern "C"
