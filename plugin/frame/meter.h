// SPDX-License-Identifier: BSD-2-Clause
//
// Measures what a frame takes of the CPU and of the GPU.
#pragma once
#include <atomic>
#include <cstdint>
#include <thread>

namespace dd {

class Meter {
  public:
    static std::int64_t now(); // nanoseconds

    // The frame begins on this thread.
    void begin();
    // A submit with these stages is about to be made.
    void submit(unsigned stages);
    // It was waited for. Says how many nanoseconds the GPU was busy with it: not before the work of others was done.
    double waited(std::atomic<std::int64_t> &gpu_idle_since);
    unsigned stages() const { return stages_; }

    // CPU time of the thread since the frame began; 0: this is another thread.
    double cpu_ns() const;
    double gpu_ns() const { return gpu_ns_; }

  private:
    std::thread::id thread_;
    std::int64_t cpu_begin_ = 0, submitted_ = 0;
    unsigned stages_ = 0;
    double gpu_ns_ = 0;
};

} // namespace dd
