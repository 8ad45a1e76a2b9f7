// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include <cstdint>

#include <sys/mman.h>
#include <unistd.h>

namespace dd {

// The whole pages between two addresses of private memory take none until they are written again: what was there is gone.
inline void drop_pages(const void *begin, const void *end) noexcept {
    static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t from = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) / page * page;
    const std::uintptr_t to = reinterpret_cast<std::uintptr_t>(end) / page * page;
    if (from < to)
        madvise(reinterpret_cast<void *>(from), to - from, MADV_DONTNEED); // where that fails, they stay
}

} // namespace dd
