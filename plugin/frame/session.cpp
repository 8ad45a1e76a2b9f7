// SPDX-License-Identifier: BSD-2-Clause
//
// The session of the C interface.
#include "batch/p010.h"
#include "frame/guard.h"
#include "frame/objects.h"
#include "scheduler/plan_cache.h"
#include "util/cache_file.h"
#include "util/clock.h"
#include "util/environment.h"

#include <algorithm>
#include <sched.h>

using namespace dd;

namespace {

unsigned usable_cores() {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 1;
}

const char *profile_name(Profile profile) {
    return profile == Profile::v3d ? "v3d" : "wide";
}

// All that the pace of plans depends on.
std::string identity_of(const Gpu &gpu, const Codec &codec, unsigned cores) {
    const GpuInfo &info = gpu.info();
    return info.name + '-' + std::to_string(info.driver_version) + '-' + profile_name(info.profile) + '-' +
           std::to_string(cores) + "cores-" + codec.traits.name + '-' + dd_version();
}

DeviceTraits traits_of(const DdDevice &device, const Codec &codec) {
    DeviceTraits traits;
    const auto gpu = device.gpu.get();
    if (!gpu || device.plan.kind != PlanSpec::Kind::automatic)
        return traits;
    traits.automatic = true;
    traits.kind = gpu->info().profile == Profile::v3d ? DeviceKind::v3d : DeviceKind::fast;
    traits.goal = device.goal;
    traits.plan_cache = cache_path(identity_of(*gpu, codec, usable_cores()), kPlanCacheExtension);
    return traits;
}

std::uint64_t seed() {
    return static_cast<std::uint64_t>(test_hook_number("DAEDALUS_SEED", 1));
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

bool is_exported_as_p010(const DdDevice &device, const PictureFormat &format) {
    return device.exports == DD_EXPORT_P010 && has_p010_form(format);
}

std::vector<unsigned> kernels_for(const DdDevice &device, const Codec &codec, const PictureFormat &kind,
                                  const Gpu &gpu) {
    std::vector<unsigned> kernels = codec.kernels(kind, gpu);
    if (is_exported_as_p010(device, kind))
        kernels.push_back(p010_kernel());
    return kernels;
}

int alloc_picture(DdSession &session, const DdPictureFormat &wanted, DdPicture **out) {
    PictureFormat format;
    if (!read_format(wanted, format))
        return DD_ERR_INVALID;
    PictureLayout layout = make_picture_layout(format, session.codec->traits.superblock);
    if (layout.size == 0)
        return DD_ERR_INVALID;
    if (is_exported_as_p010(*session.device, format))
        layout = with_p010(layout);
    const bool on_gpu = session.prepare(format);
    auto picture = std::make_unique<DdPicture>();
    picture->pool = session.pool;
    picture->early = !on_gpu && !session.gpu_gone();
    GpuStatus status;
    picture->memory = session.pool->take(layout, on_gpu, status);
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
    : device(dd_device_ref(opened)), codec_id(options.codec), codec(Codec::make(options.codec)),
      log(options.log ? Log(options.log, options.log_opaque) : opened->log),
      scheduler(codec_id, opened->plan, {}, seed()), statistics(codec_stages(codec_id)),
      pool(std::make_shared<PicturePool>(opened->exports != DD_EXPORT_NONE)) {
    if (device->gpu.settled())
        attach();
}

DdSession::~DdSession() {
    contained([this] { say_goodbye(); });
    idle_frames.clear();
    pool->close();
}

void DdSession::attach() {
    const auto gpu = device->gpu.get();
    if (!gpu || gpu_there)
        return;
    pool->use(gpu);
    scheduler.use(traits_of(*device, *codec));
    gpu_there.store(gpu.get(), std::memory_order_release);
}

int DdSession::give_up_gpu(const char *doing, const GpuStatus &status) {
    if (scheduler.disable())
        log.line(DD_LOG_WARNING, "%s failed while %s (%s): the rest of the stream is decoded on the CPU",
                 device->name.c_str(), doing, status.text);
    return DD_ERR_DEVICE;
}

namespace {

// What the worker does for a kind of pictures, after it has opened the device. Where all pipelines are there, nothing
// is left to do. A compiler may run for seconds; a caller that waits gives it several `threads`.
void prepare_kind(DdDevice &device, const Codec &codec, Preparation &preparation, unsigned threads,
                  const std::stop_token &stop) {
    if (const auto gpu = device.gpu.get()) {
        const TraceScope scope(device.trace.get(), "make pipelines", 0);
        const int result = guarded([&] {
            preparation.status = gpu->prepare(kernels_for(device, codec, preparation.kind, *gpu), threads, stop);
            return int{DD_OK};
        });
        if (result != DD_OK)
            preparation.status = {result, dd_result_text(result)};
    }
    preparation.done.store(true, std::memory_order_release);
}

bool is_prepared(const DdDevice &device, const Codec &codec, const PictureFormat &kind) {
    const auto gpu = device.gpu.get();
    return gpu && gpu->is_prepared(kernels_for(device, codec, kind, *gpu));
}

} // namespace

std::shared_ptr<Preparation> DdSession::preparation_of(const PictureFormat &format) {
    PictureFormat kind = format;
    kind.width = kind.height = 0;
    const std::lock_guard lock(mutex);
    const auto found = std::ranges::find(preparations, kind, [](const auto &p) { return p->kind; });
    if (found != preparations.end())
        return *found;
    auto made = std::make_shared<Preparation>();
    made->kind = kind;
    if (device->late && !is_prepared(*device, *codec, kind))
        device->worker.add([device = device.get(), codec = codec, made](const std::stop_token &stop) {
            const std::int64_t begin = thread_cpu_ns();
            prepare_kind(*device, *codec, *made, 1, stop);
            if (device->gpu.get())
                device->opening->add(thread_cpu_ns() - begin);
        });
    else
        prepare_kind(*device, *codec, *made, usable_cores(), {});
    preparations.push_back(made);
    return made;
}

bool DdSession::prepare(const PictureFormat &format) {
    if (gpu_gone())
        return false;
    const auto preparation = preparation_of(format);
    if (!preparation->done.load(std::memory_order_acquire))
        return false;
    if (!gpu()) {
        const std::lock_guard lock(mutex);
        attach();
    }
    if (!preparation->status && gpu_usable())
        give_up_gpu("making pipelines", preparation->status);
    return gpu_usable();
}

void DdSession::say_hello(const DdPlan &plan, bool intra_only, std::uint64_t frame) {
    {
        const std::lock_guard lock(mutex);
        if (std::exchange(hello, true))
            return;
    }
    // A frame without inter blocks has no share in the stages before the loop filter, whatever the plan.
    const std::string first = plan_text(plan, intra_only ? DD_STAGE_LF : 0, codec_stages(codec_id));
    const std::string which = device->late && frame ? "ready at frame " + std::to_string(frame) : "first frame";
    log.line(DD_LOG_INFO, "%s, profile %s, %s memory, plan %s (%s: %s%s)", device->name.c_str(),
             profile_name(gpu()->info().profile), gpu()->info().memory, device->plan_name.c_str(), which.c_str(),
             intra_only ? "intra, " : "", first.c_str());
}

void DdSession::say_goodbye() {
    if (gpu())
        statistics.tell(log, device->name, device->plan_name, scheduler.disabled(), scheduler.itx_backed_off());
    else if (device->late && (!device->gpu.settled() || device->gpu.get()) && statistics.get().frames)
        log.line(DD_LOG_INFO, "plan %s: all of the stream was decoded on the CPU before the GPU was ready",
                 device->plan_name.c_str());
}

extern "C" {

int dd_session_open(DdSession **session, DdDevice *device, const DdSessionOptions *options) {
    DdSessionOptions all;
    if (!session || !device || !take(options, all) || all.codec < DD_CODEC_VP9 || all.codec > DD_CODEC_AV1)
        return DD_ERR_INVALID;
    *session = nullptr;
    return guarded([&] {
        *session = new DdSession(device, all);
        return int{DD_OK};
    });
}

DdSession *dd_session_ref(DdSession *session) {
    session->ref();
    return session;
}

void dd_session_unref(DdSession **session) {
    unref(session);
}

int dd_session_stats(DdSession *session, DdStats *stats) {
    if (!session)
        return DD_ERR_INVALID;
    return guarded([&] {
        DdStats all = session->statistics.get();
        all.disabled = session->scheduler.disabled();
        return int{give(all, stats) ? DD_OK : DD_ERR_INVALID};
    });
}

int dd_picture_alloc(DdSession *session, const DdPictureFormat *format, DdPicture **picture) {
    DdPictureFormat all;
    if (!session || !picture || !take(format, all))
        return DD_ERR_INVALID;
    *picture = nullptr;
    return guarded([&] { return alloc_picture(*session, all, picture); });
}

} // extern "C"
