// SPDX-License-Identifier: BSD-2-Clause
//
#include "dma_heap.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <set>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace v3dsim::dma_heap {
namespace {

constexpr const char *heap_folder = "/dev/dma_heap/";
// Heaps that a Pi has and that matter here.
constexpr const char *heap_names[] = {"vidbuf_cached", "system"};

// ioctl numbers without direction and size: type and number.
constexpr unsigned heap_alloc = 'H' << 8 | 0, buffer_sync = 'b' << 8 | 0;

struct HeapAllocation {
    uint64_t length;
    uint32_t fd, fd_flags;
    uint64_t heap_flags;
};

std::mutex mutex;
// Inodes of the files that stand for heaps and for their buffers: descriptors may be duplicated.
std::set<uint64_t> &heaps() {
    static auto *set = new std::set<uint64_t>;
    return *set;
}
std::set<uint64_t> &buffers() {
    static auto *set = new std::set<uint64_t>;
    return *set;
}

bool is_heap(const char *path) {
    if (!path || std::strncmp(path, heap_folder, std::strlen(heap_folder)) != 0)
        return false;
    for (const char *name : heap_names)
        if (!std::strcmp(path + std::strlen(heap_folder), name))
            return true;
    return false;
}

int new_file(const char *name, uint64_t size, std::set<uint64_t> &known) {
    const int fd = memfd_create(name, MFD_CLOEXEC);
    struct stat st;
    if (fd < 0 || (size && ftruncate(fd, static_cast<off_t>(size)) != 0) || fstat(fd, &st) != 0)
        return -1;
    std::lock_guard lock(mutex);
    known.insert(st.st_ino);
    return fd;
}

bool is_known(int fd, const std::set<uint64_t> &known) {
    struct stat st;
    const int saved = errno;
    const bool ok = fstat(fd, &st) == 0;
    errno = saved;
    std::lock_guard lock(mutex);
    return ok && known.count(st.st_ino);
}

int allocate(HeapAllocation *a) {
    if (!a->length)
        return EINVAL;
    const int buffer = new_file("v3dsim-dma-buf", (a->length + 4095) / 4096 * 4096, buffers());
    if (buffer < 0)
        return ENOMEM;
    a->fd = static_cast<uint32_t>(buffer);
    return 0;
}

} // namespace

int open(const char *path) {
    return is_heap(path) ? new_file("v3dsim-dma-heap", 0, heaps()) : -1;
}

bool request(int fd, unsigned number, void *argument, int *error) {
    if (number == heap_alloc && is_known(fd, heaps()))
        *error = allocate(static_cast<HeapAllocation *>(argument));
    else if (number == buffer_sync && is_known(fd, buffers()))
        *error = 0;
    else
        return false;
    return true;
}

} // namespace v3dsim::dma_heap
