// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include "util/round_up.h"

#include <cstddef>
#include <cstdint>
#include <memory>

#include <sys/mman.h>
#include <unistd.h>

namespace dd {

inline std::uintptr_t page_size() noexcept {
    static const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    return size;
}
inline std::size_t whole_pages(std::size_t bytes) noexcept {
    return round_up(bytes, page_size());
}

// For munmap(), all zeros. nullptr: there are none.
inline void *fresh_pages(std::size_t whole) noexcept {
    void *pages = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? nullptr : pages;
}

// Pages that go back to the system with their last user; nullptr: there are none. An allocator would keep
// what many large pictures leave.
inline std::shared_ptr<std::byte> map_pages(std::size_t bytes) {
    const std::size_t size = whole_pages(bytes);
    void *pages = fresh_pages(size);
    if (!pages)
        return nullptr;
    return {static_cast<std::byte *>(pages), [size](std::byte *at) { munmap(at, size); }};
}

// The whole pages between two addresses of private memory take none until they are written again: what was there is
// gone.
inline void drop_pages(const void *begin, const void *end) noexcept {
    const std::uintptr_t page = page_size(), from = round_up(reinterpret_cast<std::uintptr_t>(begin), page);
    const std::uintptr_t to = reinterpret_cast<std::uintptr_t>(end) / page * page;
    if (from < to)
        madvise(reinterpret_cast<void *>(from), to - from, MADV_DONTNEED); // where that fails, they stay
}

} // namespace dd
