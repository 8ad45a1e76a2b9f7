// SPDX-License-Identifier: BSD-2-Clause
#include "frame/opening_cost.h"

#include "util/cache_file.h"
#include "util/clock.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>

namespace dd {
namespace {

constexpr std::int64_t kShare = 20;            // opening may take one of so many parts, and closing another
constexpr std::int64_t kUnknown = 200'000'000; // what a desktop's driver takes
constexpr std::int64_t kMost = 1'000'000'000;  // more is a driver's compiler, whose own cache keeps what it makes
constexpr std::int64_t kInterval = 20'000'000; // between looks at the clock
constexpr std::size_t kLargest = 64;           // bytes of the file

} // namespace

OpeningCost::OpeningCost(const std::string &device) : path_(cache_path("opening-" + device, ".ns")) {
    if (!path_.empty())
        known_ = std::atoll(read_cache_file(path_, kLargest).c_str());
}

std::int64_t OpeningCost::work_before() const {
    return kShare * std::min(known_ > 0 ? known_ : kUnknown, kMost);
}

void OpeningCost::add(std::int64_t ns) {
    spent_ += ns;
    if (!path_.empty())
        replace_cache_file(path_, std::to_string(spent_));
}

bool await_time(std::int64_t ns, const std::stop_token &stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, std::chrono::nanoseconds(ns), [] { return false; });
    return !stop.stop_requested();
}

bool await_work(std::int64_t ns, const DeviceGpu &gpu, const std::stop_token &stop) {
    const std::int64_t begin = process_cpu_ns();
    while (!gpu.awaited() && process_cpu_ns() - begin < ns)
        if (!await_time(kInterval, stop))
            return false;
    return true;
}

} // namespace dd
