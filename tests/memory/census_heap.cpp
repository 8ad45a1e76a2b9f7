// SPDX-License-Identifier: BSD-2-Clause
#include "census.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <map>
#include <mutex>
#include <new>
#include <unordered_map>

// The C library's own, by names that nothing replaces.
extern "C" {
void *__libc_malloc(std::size_t size);
void *__libc_calloc(std::size_t count, std::size_t size);
void *__libc_realloc(void *at, std::size_t size);
void *__libc_memalign(std::size_t align, std::size_t size);
void __libc_free(void *at);
}

namespace {

// The tables' own memory must not come from what they count, nor go back there.
template <typename T>
struct Plain {
    using value_type = T;
    Plain() = default;
    template <typename U>
    Plain(const Plain<U> &) {}
    T *allocate(std::size_t n) { return static_cast<T *>(__libc_malloc(n * sizeof(T))); }
    void deallocate(T *at, std::size_t) { __libc_free(at); }
    template <typename U>
    bool operator==(const Plain<U> &) const {
        return true;
    }
};

struct Block {
    std::size_t size;
    std::uintptr_t site;
};
struct Tally {
    std::uint64_t calls = 0, live = 0;
};

struct Table {
    std::mutex mutex;
    std::unordered_map<void *, Block, std::hash<void *>, std::equal_to<>, Plain<std::pair<void *const, Block>>> blocks;
    std::map<std::uintptr_t, Tally, std::less<>, Plain<std::pair<const std::uintptr_t, Tally>>> sites;
    census::Amount all;
};
Table &table() {
    static auto *made =
        new (__libc_malloc(sizeof(Table))) Table; // never destroyed: others free memory until the very end
    return *made;
}

std::atomic<std::uintptr_t> begin{0}, end{0}; // of the watched code

void add(void *at, std::size_t size, std::uintptr_t site) {
    Table &t = table();
    const std::lock_guard lock(t.mutex);
    t.blocks[at] = {size, site};
    Tally &tally = t.sites[site];
    tally.calls++;
    tally.live += size;
    t.all.calls++;
    t.all.live += size;
    if (t.all.live > t.all.peak)
        t.all.peak = t.all.live;
}

void remove(void *at) {
    if (!at || !end.load(std::memory_order_relaxed))
        return;
    Table &t = table();
    const std::lock_guard lock(t.mutex);
    const auto found = t.blocks.find(at);
    if (found == t.blocks.end())
        return;
    t.sites[found->second.site].live -= found->second.size;
    t.all.live -= found->second.size;
    t.blocks.erase(found);
}

void *counted(void *at, std::size_t size, const void *caller) {
    const auto site = reinterpret_cast<std::uintptr_t>(caller);
    if (at && site >= begin.load(std::memory_order_relaxed) && site < end.load(std::memory_order_relaxed))
        add(at, size, site);
    return at;
}

void *allocate(std::size_t size, std::size_t align, const void *caller) {
    constexpr std::size_t usual = alignof(std::max_align_t);
    size += size == 0;
    return counted(align <= usual ? __libc_malloc(size) : __libc_memalign(align, size), size, caller);
}

void *or_throw(void *at) {
    if (!at)
        throw std::bad_alloc();
    return at;
}

void release(void *at) {
    remove(at);
    __libc_free(at);
}

int find_library(dl_phdr_info *info, std::size_t, void *wanted) {
    if (!std::strstr(info->dlpi_name, static_cast<const char *>(wanted)))
        return 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const auto &part = info->dlpi_phdr[i];
        if (part.p_type != PT_LOAD || !(part.p_flags & PF_X))
            continue;
        begin = info->dlpi_addr + part.p_vaddr;
        end = begin + part.p_memsz;
    }
    return 1;
}

} // namespace

namespace census {

void watch(const char *library) {
    dl_iterate_phdr(find_library, const_cast<char *>(library));
}

Amount heap() {
    const std::lock_guard lock(table().mutex);
    return table().all;
}

std::vector<Site> heap_sites() {
    // The lock is free again when memory is asked for and given back.
    const auto copy = [] {
        const std::lock_guard lock(table().mutex);
        return table().sites;
    }();
    std::vector<Site> sites;
    for (const auto &[at, tally] : copy) {
        char name[32];
        std::snprintf(name, sizeof(name), "code+%#zx", static_cast<std::size_t>(at - begin));
        sites.push_back({name, tally.calls, tally.live});
    }
    return sites;
}

} // namespace census

#define CALLER __builtin_return_address(0)
// NOLINTBEGIN: each form that the language has
CENSUS_API void *operator new(std::size_t size) {
    return or_throw(allocate(size, 1, CALLER));
}
CENSUS_API void *operator new[](std::size_t size) {
    return or_throw(allocate(size, 1, CALLER));
}
CENSUS_API void *operator new(std::size_t size, std::align_val_t align) {
    return or_throw(allocate(size, static_cast<std::size_t>(align), CALLER));
}
CENSUS_API void *operator new[](std::size_t size, std::align_val_t align) {
    return or_throw(allocate(size, static_cast<std::size_t>(align), CALLER));
}
CENSUS_API void *operator new(std::size_t size, const std::nothrow_t &) noexcept {
    return allocate(size, 1, CALLER);
}
CENSUS_API void *operator new[](std::size_t size, const std::nothrow_t &) noexcept {
    return allocate(size, 1, CALLER);
}
CENSUS_API void operator delete(void *at) noexcept {
    release(at);
}
CENSUS_API void operator delete[](void *at) noexcept {
    release(at);
}
CENSUS_API void operator delete(void *at, std::size_t) noexcept {
    release(at);
}
CENSUS_API void operator delete[](void *at, std::size_t) noexcept {
    release(at);
}
CENSUS_API void operator delete(void *at, std::align_val_t) noexcept {
    release(at);
}
CENSUS_API void operator delete[](void *at, std::align_val_t) noexcept {
    release(at);
}
CENSUS_API void operator delete(void *at, std::size_t, std::align_val_t) noexcept {
    release(at);
}
CENSUS_API void operator delete[](void *at, std::size_t, std::align_val_t) noexcept {
    release(at);
}
CENSUS_API void operator delete(void *at, const std::nothrow_t &) noexcept {
    release(at);
}
CENSUS_API void operator delete[](void *at, const std::nothrow_t &) noexcept {
    release(at);
}
// And of the C library's functions those that the plugin calls.
extern "C" {
CENSUS_API void *realloc(void *at, std::size_t size) noexcept {
    remove(at); // before another thread can get the same place
    return counted(__libc_realloc(at, size), size, CALLER);
}
CENSUS_API void *calloc(std::size_t count, std::size_t size) noexcept {
    return counted(__libc_calloc(count, size), count * size, CALLER);
}
CENSUS_API void *aligned_alloc(std::size_t align, std::size_t size) noexcept {
    return counted(__libc_memalign(align, size), size, CALLER);
}
CENSUS_API void free(void *at) noexcept {
    release(at);
}
}
// NOLINTEND
