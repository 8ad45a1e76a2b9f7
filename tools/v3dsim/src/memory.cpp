// SPDX-License-Identifier: BSD-2-Clause
#include "memory.h"

#include "dma_heap.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace v3dsim {
namespace {

// Addresses below are never handed out: units of the GPU take 0 as "none".
constexpr uint32_t first_address = 0x10000;
// Unmapped pages after each buffer object, so that running off its end is seen.
constexpr uint32_t guard = Memory::page;

[[noreturn]] void fail(const char *what) {
    throw std::system_error(errno, std::generic_category(), what);
}

} // namespace

Memory::Memory(bool poison) : poison_(poison) {
    fd_ = memfd_create("v3dsim-memory", MFD_CLOEXEC);
    if (fd_ < 0 || ftruncate(fd_, space) != 0)
        fail("v3dsim: no memory file");
    void *map = mmap(nullptr, space, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_, 0);
    if (map == MAP_FAILED)
        fail("v3dsim: the GPU's address space does not fit");
    base_ = static_cast<uint8_t *>(map);
    void *owners = mmap(nullptr, space / page * sizeof(uint32_t), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (owners == MAP_FAILED)
        fail("v3dsim: no memory for the page table");
    page_owner_ = static_cast<uint32_t *>(owners);
    free_[first_address] = static_cast<uint32_t>(space - first_address - page);
}

Memory::~Memory() {
    munmap(base_, space);
    munmap(page_owner_, space / page * sizeof(uint32_t));
    ::close(fd_);
}

uint32_t Memory::poison_word(uint32_t address) {
    return (address * 0x9e3779b1u) ^ 0xa5c35a3cu;
}

uint32_t Memory::place(uint32_t size) {
    const uint64_t wanted = uint64_t{size} + guard;
    for (auto it = free_.begin(); it != free_.end(); ++it) {
        if (it->second < wanted)
            continue;
        const auto [address, room] = *it;
        free_.erase(it);
        if (room > wanted)
            free_[address + static_cast<uint32_t>(wanted)] = room - static_cast<uint32_t>(wanted);
        return address;
    }
    return 0;
}

void Memory::set_owner(const BufferObject &bo, uint32_t handle) {
    for (uint32_t p = bo.address / page; p < (bo.address + bo.size) / page; p++)
        __atomic_store_n(&page_owner_[p], handle, __ATOMIC_RELAXED);
}

uint32_t Memory::create(uint32_t size, bool application) {
    if (size == 0 || size > space / 2)
        return 0;
    size = (size + page - 1) / page * page;
    std::unique_lock lock(mutex_);
    BufferObject bo;
    bo.address = place(size);
    if (!bo.address)
        return 0;
    bo.handle = next_handle_++;
    bo.size = size;
    bo.application = application;
    set_owner(bo, bo.handle);
    objects_.emplace(bo.handle, bo);
    lock.unlock();
    if (poison_)
        for (uint32_t offset = 0; offset < size; offset += 4) {
            const uint32_t word = poison_word(bo.address + offset);
            std::memcpy(base_ + bo.address + offset, &word, 4);
        }
    return bo.handle;
}

uint32_t Memory::import(int fd, uint32_t size) {
    struct stat st;
    if (size == 0 || fstat(fd, &st) != 0 || static_cast<uint64_t>(st.st_size) < size)
        return 0;
    size = (size + page - 1) / page * page;
    std::lock_guard lock(mutex_);
    BufferObject bo;
    bo.address = place(size);
    if (!bo.address)
        return 0;
    bo.size = size;
    if (!dma_heap::import(fd, base_ + bo.address, size)) {
        release(bo);
        return 0;
    }
    bo.handle = next_handle_++;
    bo.application = bo.imported = true;
    set_owner(bo, bo.handle);
    objects_.emplace(bo.handle, bo);
    return bo.handle;
}

void Memory::release(BufferObject &bo) {
    set_owner(bo, 0);
    if (bo.imported)
        dma_heap::release(base_ + bo.address);
    fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, bo.address, bo.size);
    uint32_t address = bo.address, size = bo.size + guard;
    auto next = free_.lower_bound(address);
    if (next != free_.end() && address + size == next->first) {
        size += next->second;
        next = free_.erase(next);
    }
    if (next != free_.begin()) {
        auto previous = std::prev(next);
        if (previous->first + previous->second == address) {
            previous->second += size;
            return;
        }
    }
    free_[address] = size;
}

BufferObject *Memory::lookup(uint32_t handle) {
    auto it = objects_.find(handle);
    return it == objects_.end() ? nullptr : &it->second;
}

bool Memory::close(uint32_t handle) {
    std::lock_guard lock(mutex_);
    BufferObject *bo = lookup(handle);
    if (!bo || !bo->open)
        return false;
    bo->open = false;
    if (bo->jobs == 0) {
        release(*bo);
        objects_.erase(handle);
    }
    return true;
}

bool Memory::find(uint32_t handle, BufferObject *out) {
    std::lock_guard lock(mutex_);
    BufferObject *bo = lookup(handle);
    if (bo)
        *out = *bo;
    return bo != nullptr;
}

BufferObject Memory::at(uint32_t address) {
    std::lock_guard lock(mutex_);
    BufferObject *bo = lookup(owner(address));
    return bo ? *bo : BufferObject{};
}

void Memory::begin_job(const std::vector<uint32_t> &handles) {
    std::lock_guard lock(mutex_);
    for (uint32_t handle : handles)
        if (BufferObject *bo = lookup(handle))
            bo->jobs++;
}

void Memory::end_job(const std::vector<uint32_t> &handles) {
    std::lock_guard lock(mutex_);
    for (uint32_t handle : handles) {
        BufferObject *bo = lookup(handle);
        if (!bo || --bo->jobs > 0 || bo->open)
            continue;
        release(*bo);
        objects_.erase(handle);
    }
    idle_.notify_all();
}

bool Memory::wait_idle(uint32_t handle, int64_t timeout_ns) {
    std::unique_lock lock(mutex_);
    auto idle = [&] {
        BufferObject *bo = lookup(handle);
        return !bo || bo->jobs == 0;
    };
    // A day stands for "forever": deadlines further away overflow the clock.
    constexpr int64_t day = int64_t{86400} * 1000000000;
    const int64_t limit = timeout_ns < 0 || timeout_ns > day ? day : timeout_ns;
    return idle_.wait_for(lock, std::chrono::nanoseconds(limit), idle);
}

bool Memory::read_word(uint32_t address, uint32_t *value) const {
    if (!mapped(address, 4))
        return false;
    std::memcpy(value, base_ + address, 4);
    return true;
}

} // namespace v3dsim
