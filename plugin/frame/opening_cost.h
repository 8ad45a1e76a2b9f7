// SPDX-License-Identifier: BSD-2-Clause
//
// When opening the GPU pays. Plan `auto` opens it once the process has spent many times the CPU time that opening
// takes, so that a stream of any length pays a tenth more at most.
#pragma once
#include "frame/device_gpu.h"

#include <cstdint>
#include <stop_token>
#include <string>

namespace dd {

class OpeningCost {
  public:
    // What opening the device of this name took is kept in the user's cache.
    explicit OpeningCost(const std::string &device);
    // Of the process, in nanoseconds, from now on until opening pays.
    std::int64_t work_before() const;
    // Adds CPU time that opening has taken, and keeps the sum.
    void add(std::int64_t ns);

  private:
    std::string path_;                   // empty: nothing is kept
    std::int64_t known_ = 0, spent_ = 0; // nanoseconds; 0: unknown
};

// Until the process has spent so much CPU time, or a caller waits for the GPU. False: told to stop before.
bool await_work(std::int64_t ns, const DeviceGpu &gpu, const std::stop_token &stop);
// Until so much time is over, likewise.
bool await_time(std::int64_t ns, const std::stop_token &stop);

} // namespace dd
