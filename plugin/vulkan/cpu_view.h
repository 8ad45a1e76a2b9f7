// SPDX-License-Identifier: BSD-2-Clause
//
// What the CPU's caches hold of a picture, against what its memory holds. Maintenance of caches goes through a whole
// picture, in the kernel: it is done where one side is to see what the other one wrote, and nowhere else.
#pragma once
#include "vulkan/memory.h"

#include <mutex>

namespace dd {

// Thread-safety: any thread, at any time.
class CpuView {
  public:
    explicit CpuView(const Buffer &buffer) : buffer_(buffer) {}
    CpuView(const CpuView &) = delete;
    CpuView &operator=(const CpuView &) = delete;

    // Another picture takes the memory: its contents are undefined.
    void reuse();
    // The frame begins whose picture this is.
    void begin_frame();
    // Before the GPU works on the frame's picture: what the CPU wrote is in memory.
    VkResult flush(bool cpu_wrote);
    // Before the GPU or other devices read a complete picture, whose frame may be about to end.
    VkResult share(bool cpu_wrote);
    void submitted();
    // The GPU is done. `complete`: the frame writes nothing after that. `reads`: the CPU will, without a call of
    // read().
    VkResult finished(bool complete, bool reads);
    // The GPU failed.
    void failed();
    // The CPU is about to write the whole picture again.
    void rerun();
    // The frame has ended. `cpu_wrote`: the last pixels are the CPU's.
    void end_frame(bool cpu_wrote);
    // The CPU sees the pixels; those of a frame that hasn't ended when they are complete.
    VkResult read();

  private:
    VkResult write_back();
    VkResult invalidate();

    const Buffer &buffer_;
    std::mutex mutex_;
    bool dirty_ = true;    // the CPU may have written since its caches were written back
    bool stale_ = false;   // the GPU has written since they were dropped
    bool decoded_ = false; // by a frame; else a program has drawn it
    bool in_frame_ = false, in_flight_ = false;
    bool wanted_ = false; // by read(), while the frame is decoded
};

} // namespace dd
