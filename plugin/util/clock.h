// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include <cstdint>
#include <ctime>

namespace dd {

// All in nanoseconds.
inline std::int64_t clock_ns(clockid_t clock) {
    timespec time = {};
    clock_gettime(clock, &time);
    return static_cast<std::int64_t>(time.tv_sec) * 1000000000 + time.tv_nsec;
}
inline std::int64_t wall_ns() {
    return clock_ns(CLOCK_MONOTONIC);
}
inline std::int64_t process_cpu_ns() {
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}
inline std::int64_t thread_cpu_ns() {
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

} // namespace dd
