// SPDX-License-Identifier: BSD-2-Clause
//
// The GPU as sessions see it: no type of Vulkan's here.
#pragma once
#include "batch/dispatch.h"
#include "batch/picture_layout.h"
#include "util/trace.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace dd {

class DmaBuf;
class Gpu;
class Slot;
class VulkanDevice;
struct VulkanPicture;

struct GpuOptions {
    std::string device;      // as DdDeviceOptions
    std::string profile;     // "auto", "v3d", "wide"
    bool timestamps = false; // measure every dispatch
    bool robust = false;     // the device checks kernels' accesses
    std::stop_token stop{};  // the GPU isn't needed any more: opening it may end anywhere
};

struct GpuStatus {
    int result = 0;        // DdResult
    const char *text = ""; // what went wrong
    explicit operator bool() const { return result == 0; }
};

struct GpuInfo {
    std::string name;
    std::uint32_t driver_version = 0; // as the driver numbers it
    Profile profile = Profile::wide;
    bool is_cpu_type = false; // a software renderer
    bool is_robust = false;   // as asked for; else kernels' accesses aren't checked
    const char *memory = "";  // in a word
    bool reads_cached = true; // the CPU reads pictures at its usual speed
    // All memory can be such, not pictures alone. Work may read what earlier work of another frame is still to write:
    // nothing has to be done between them.
    bool has_cached_memory = true;
    bool copies_pictures = false; // there is one for the GPU and one for the CPU
};

class GpuPicture {
  public:
    explicit GpuPicture(std::shared_ptr<VulkanPicture> picture) : picture_(std::move(picture)) {}
    std::byte *data() const;
    // What data() is of; nullptr: other memory.
    const std::shared_ptr<DmaBuf> &dma_buf() const;
    // Nothing but this object uses it: it may be given to another frame.
    bool idle() const { return picture_.use_count() == 1; }
    // Kernels have a copy of their own, and data() is as new as the last download.
    bool has_copy() const;
    // The CPU's pixels are the picture, whatever the GPU has.
    void take_cpu_pixels();

    // What becomes of the memory, and what of it the CPU and other devices see (vulkan/cpu_view.h).
    void reuse();
    void begin_frame();
    void rerun();
    void end_frame(bool cpu_wrote);
    GpuStatus read();
    GpuStatus share(bool cpu_wrote);

  private:
    friend class GpuJob;
    std::shared_ptr<VulkanPicture> picture_;
};

class Gpu {
  public:
    // nullptr: none; `why` says why, for the user (empty where "cpu" was asked for).
    static std::shared_ptr<Gpu> open(const GpuOptions &options, std::string &why);

    const GpuInfo &info() const;
    bool given_up() const; // lost or hung

    // Makes the pipelines that don't exist yet, with as many threads. Told to stop, it leaves the rest out.
    GpuStatus prepare(std::span<const unsigned> kernels, unsigned threads = 1, const std::stop_token &stop = {});
    bool is_prepared(std::span<const unsigned> kernels) const;
    // What of the work is more than the device may be asked for, for people; empty: nothing.
    std::string_view exceeded(const std::array<const PhaseWork *, 2> &phases) const;
    // Its buffers are large enough for pictures of this layout.
    bool holds(const PictureLayout &layout) const;
    GpuStatus make_picture(const PictureLayout &layout, std::unique_ptr<GpuPicture> &picture);
    // A picture in plain memory of map_pages(), of picture_bytes(). Fails where the device can't reach such memory,
    // which may be copied then.
    GpuStatus adopt_picture(const PictureLayout &layout, std::shared_ptr<std::byte> memory,
                            std::unique_ptr<GpuPicture> &picture);
    // A picture that only kernels use: it has no data().
    GpuStatus make_scratch(const PictureLayout &layout, std::unique_ptr<GpuPicture> &picture);

  private:
    friend class GpuJob;
    explicit Gpu(std::shared_ptr<VulkanDevice> device) : device_(std::move(device)) {}
    template <typename Make>
    GpuStatus make_picture_by(const PictureLayout &layout, Make &&make, std::unique_ptr<GpuPicture> &picture);
    std::shared_ptr<VulkanDevice> device_;
};

constexpr std::size_t kGpuPictureSlots = 9; // seven references and two scratch pictures

struct SubmitFlags {
    bool cpu_wrote = false;        // the CPU changed pixels of dst since the GPU last saw it
    bool final = false;            // the GPU alone changes dst after this
    bool reads_unfinished = false; // earlier submits may still write the references
    bool cpu_reads = true;         // the CPU reads the complete picture, without a call of GpuPicture::read()
};

struct GpuJobInput : SubmitFlags {
    const GpuPicture *dst = nullptr;
    std::array<const GpuPicture *, kGpuPictureSlots> ref{}; // only those that kernels read
    std::span<const std::uint32_t> tables;
};

// One submit of a frame: begin, write the uploads, submit, wait.
class GpuJob {
  public:
    explicit GpuJob(std::shared_ptr<Gpu> gpu);
    ~GpuJob(); // also with the work in flight
    GpuJob(const GpuJob &) = delete;
    GpuJob &operator=(const GpuJob &) = delete;

    // Phases: recon, filter; nullptr: not in this submit. They must live until submit() is back.
    GpuStatus begin(const std::array<const PhaseWork *, 2> &phases);
    std::byte *upload(unsigned phase) const;
    GpuStatus submit(const GpuJobInput &input);
    // Bounded in time.
    GpuStatus wait();
    // Nothing of what was submitted is needed any more.
    void release();
    bool in_flight() const; // and not waited for
    // What the GPU did for the last submit that was waited for, where the device measures.
    const GpuTimeline &timeline() const { return timeline_; }

  private:
    std::shared_ptr<Gpu> gpu_;
    std::unique_ptr<Slot> slot_;
    bool waited_ = false;
    std::array<const PhaseWork *, 2> phases_{};
    GpuTimeline timeline_;
};

} // namespace dd
