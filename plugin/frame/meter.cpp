// SPDX-License-Identifier: BSD-2-Clause
#include "frame/meter.h"

#include <algorithm>
#include <ctime>

namespace dd {
namespace {

std::int64_t clock_ns(clockid_t clock) {
    timespec time = {};
    clock_gettime(clock, &time);
    return static_cast<std::int64_t>(time.tv_sec) * 1000000000 + time.tv_nsec;
}

} // namespace

std::int64_t Meter::now() {
    return clock_ns(CLOCK_MONOTONIC);
}

void Meter::begin() {
    thread_ = std::this_thread::get_id();
    gpu_ns_ = 0;
    cpu_begin_ = clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void Meter::submit(unsigned stages) {
    stages_ = stages;
    submitted_ = now();
}

double Meter::waited(std::atomic<std::int64_t> &gpu_idle_since) {
    const std::int64_t end = now(), begin = std::max(submitted_, gpu_idle_since.exchange(end));
    const double ns = static_cast<double>(std::max<std::int64_t>(end - begin, 0));
    gpu_ns_ += ns;
    return ns;
}

double Meter::cpu_ns() const {
    if (thread_ != std::this_thread::get_id())
        return 0;
    return static_cast<double>(clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_begin_);
}

} // namespace dd
