// SPDX-License-Identifier: BSD-2-Clause
//
// What the handles of the C interface point to.
#pragma once
#include "daedalus/daedalus.h"
#include "debug/batch_saver.h"
#include "frame/codec.h"
#include "frame/device_gpu.h"
#include "frame/opening_cost.h"
#include "frame/picture_pool.h"
#include "frame/picture_progress.h"
#include "frame/statistics.h"
#include "frame/worker.h"
#include "scheduler/scheduler.h"
#include "util/log.h"
#include "util/trace.h"
#include "vulkan/gpu.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dd {

struct UnrefDevice {
    void operator()(DdDevice *device) const { dd_device_unref(&device); }
};

// A counted handle: starts with one reference.
class Counted {
  public:
    void ref() { count_.fetch_add(1, std::memory_order_relaxed); }
    // True: that was the last one.
    bool unref() { return count_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

  private:
    std::atomic<long> count_{1};
};

// What dd_*_unref() do.
template <class Handle>
void unref(Handle **handle) {
    if (!handle || !*handle)
        return;
    if ((*handle)->unref())
        delete *handle;
    *handle = nullptr;
}

} // namespace dd

struct DdDevice : dd::Counted {
    dd::Log log;
    dd::PlanSpec plan;
    std::string plan_name;
    dd::Goal goal = dd::Goal::speed;
    bool late = false; // frames don't wait for the GPU: the worker opens it, and makes pipelines
    DdExport exports = DD_EXPORT_NONE;
    dd::DeviceGpu gpu;
    std::optional<dd::OpeningCost> opening; // where it is `late`; the worker's
    std::string name = "CPU";               // once the GPU is settled
    std::unique_ptr<dd::Trace> trace;       // nullptr: no timeline is wanted
    dd::Worker worker;                      // the last member: it uses the others
};

struct DdPicture : dd::Counted {
    std::shared_ptr<dd::PicturePool> pool;
    std::unique_ptr<dd::PictureMemory> memory;
    dd::PictureProgress progress;
    bool early = false; // it was made before the GPU was there
    std::mutex adopted_mutex;
    std::unique_ptr<dd::GpuPicture> adopted; // plain memory, or a copy of it, for the GPU to read
    std::mutex exported_mutex;
    std::shared_ptr<dd::DmaBuf> exported; // what other devices read: the picture's own, or a copy

    // Whether reach() can be expected to work.
    bool reachable(const dd::Gpu &gpu) const;
    // For kernels that read it: a complete picture in plain memory is the GPU's as well then, or copied.
    dd::GpuStatus reach(dd::Gpu &gpu, const dd::GpuPicture *&reached);

    // The CPU sees the pixels, or will when the frame is complete that is being decoded.
    dd::GpuStatus read();
    // The dma-buf of the complete picture; nullptr: there is none.
    std::shared_ptr<dd::DmaBuf> export_pixels();

    const dd::PictureLayout &layout() const { return memory->layout; }
    ~DdPicture();
};

namespace dd {

// The pipelines of one kind of pictures, which the device's worker makes.
struct Preparation {
    PictureFormat kind;            // without a size
    std::atomic<bool> done{false}; // `status` stays
    GpuStatus status;
};

} // namespace dd

struct DdSession : dd::Counted {
    DdSession(DdDevice *opened, const DdSessionOptions &options);
    ~DdSession();
    DdSession(const DdSession &) = delete;
    DdSession &operator=(const DdSession &) = delete;

    // nullptr: none, or not yet.
    dd::Gpu *gpu() const { return gpu_there.load(std::memory_order_acquire); }
    bool gpu_gone() const { return scheduler.disabled() || (gpu() && gpu()->given_up()); }
    bool gpu_usable() const { return gpu() && !gpu_gone(); }
    // The GPU can't go on: one warning, and the CPU from here on. Returns DD_ERR_DEVICE.
    int give_up_gpu(const char *doing, const dd::GpuStatus &status);
    // Makes the pipelines of a format that hasn't been seen yet, or has them made. True: the GPU may be used for it
    // now.
    bool prepare(const dd::PictureFormat &format);
    void say_hello(const DdPlan &plan, bool intra_only, std::uint64_t frame);
    // What the user is told at the end.
    void say_goodbye();

    std::unique_ptr<DdDevice, dd::UnrefDevice> device;
    const DdCodec codec_id;
    const std::shared_ptr<dd::Codec> codec; // shared with the worker
    dd::Log log;
    dd::Scheduler scheduler;
    dd::Statistics statistics;
    dd::BatchSaver saver;
    std::shared_ptr<dd::PicturePool> pool;
    std::atomic<dd::Gpu *> gpu_there{nullptr}; // the device's
    std::atomic<std::uint64_t> frames_begun{0};

    std::mutex mutex; // of what follows
    std::vector<std::unique_ptr<DdFrame>> idle_frames;
    std::vector<std::shared_ptr<dd::Preparation>> preparations;
    bool hello = false;

  private:
    std::shared_ptr<dd::Preparation> preparation_of(const dd::PictureFormat &format);
    void attach(); // the device's GPU, if there is one; with mutex held
};

struct DdFrame {
    bool on_gpu(DdStage stage) const { return plan.side[stage] == DD_SIDE_GPU; }
    bool any_on_gpu() const {
        return std::ranges::any_of(plan.side, [](std::uint8_t side) { return side == DD_SIDE_GPU; });
    }
    // The CPU sees the references. An error: the GPU is given up.
    int read_by_cpu() const;
    dd::Trace *trace() const { return session->device->trace.get(); }
    // The first error of a frame stays: it must go to the CPU. DD_OK is none.
    int fail(int result) {
        int none = DD_OK;
        error.compare_exchange_strong(none, result);
        return result;
    }

    DdSession *session = nullptr;
    DdPicture *dst = nullptr;
    std::array<DdPicture *, DD_MAX_REFERENCES> ref{};
    DdPlan plan{};
    dd::PlannedFrame planned;
    bool intra_only = false, filtered = false;
    bool takes_intra = false;              // its intra blocks are recorded too
    bool early = false;                    // the GPU wasn't there when it began
    bool unread = false;                   // as DdFrameInfo has it
    std::uint8_t absent = 0;               // bit s: the frame has nothing of stage s
    std::uint64_t number = 0;              // of the session
    std::unique_ptr<dd::CodecFrame> codec; // refers to this frame
    std::array<dd::PhaseWork, 2> work;
    std::optional<dd::GpuJob> job;
    std::atomic<int> error{DD_OK};
    std::uint32_t submits = 0, dispatches = 0;
    bool tells_progress = false; // of `dst`
    unsigned trusted_refs = 0;   // bit s: the GPU hadn't completed the reference when this frame could be submitted
    bool completes = false;      // the last submit leaves nothing to do
    bool writes_p010 = false;    // and makes P010 of the picture
};
