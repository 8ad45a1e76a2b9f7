// SPDX-License-Identifier: BSD-2-Clause
#include "dma_heap.h"
#include "settings.h"

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
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

// Flags of a synchronisation (linux/dma-buf.h).
constexpr uint64_t sync_read = 1, sync_write = 2, sync_end = 4;

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
std::set<uint64_t> &full_heaps() {
    static auto *set = new std::set<uint64_t>;
    return *set;
}
std::set<uint64_t> &buffers() {
    static auto *set = new std::set<uint64_t>;
    return *set;
}

// nullptr: it isn't one.
const char *heap_at(const char *path) {
    if (!path || std::strncmp(path, heap_folder, std::strlen(heap_folder)) != 0)
        return nullptr;
    for (const char *name : heap_names)
        if (!std::strcmp(path + std::strlen(heap_folder), name))
            return name;
    return nullptr;
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

// A buffer that the GPU has imported: the same bytes, as the CPU's caches have them and as its memory has them.
struct Views {
    uint8_t *cpu, *device;
    uint64_t size;
};

// By inode: one device imports a buffer.
std::map<uint64_t, Views> &imported() {
    static auto *map = new std::map<uint64_t, Views>;
    return *map;
}

// 0: no file.
uint64_t inode_of(int fd) {
    struct stat st;
    const int saved = errno;
    const uint64_t inode = fstat(fd, &st) == 0 ? st.st_ino : 0;
    errno = saved;
    return inode;
}

bool is_known(int fd, const std::set<uint64_t> &known) {
    const uint64_t inode = inode_of(fd);
    std::lock_guard lock(mutex);
    return inode && known.count(inode);
}

// What the Arm architecture's maintenance of caches does: the end of an access writes back what the CPU wrote, its
// beginning drops what the CPU's caches hold.
int synchronise(int fd, uint64_t flags) {
    if (!(flags & (sync_read | sync_write)))
        return EINVAL;
    std::lock_guard lock(mutex);
    const auto found = imported().find(inode_of(fd));
    if (found == imported().end())
        return 0;
    const Views &views = found->second;
    if (!(flags & sync_end) && flags & sync_read)
        std::memcpy(views.cpu, views.device, views.size);
    else if (flags & sync_end && flags & sync_write)
        std::memcpy(views.device, views.cpu, views.size);
    return 0;
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
    const char *const name = heap_at(path);
    if (!name)
        return -1;
    static const std::string full = settings_from_environment().full_heap;
    return new_file("v3dsim-dma-heap", 0, full == name ? full_heaps() : heaps());
}

bool request(int fd, unsigned number, void *argument, int *error) {
    if (number == heap_alloc && is_known(fd, heaps()))
        *error = allocate(static_cast<HeapAllocation *>(argument));
    else if (number == heap_alloc && is_known(fd, full_heaps()))
        *error = ENOMEM;
    else if (number == buffer_sync && is_known(fd, buffers()))
        *error = synchronise(fd, *static_cast<const uint64_t *>(argument));
    else
        return false;
    return true;
}

bool import(int fd, uint8_t *device, uint64_t size) {
    void *cpu = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (cpu == MAP_FAILED)
        return false;
    std::memcpy(device, cpu, size);
    std::lock_guard lock(mutex);
    if (imported().try_emplace(inode_of(fd), Views{static_cast<uint8_t *>(cpu), device, size}).second)
        return true;
    munmap(cpu, size);
    return false;
}

void release(const uint8_t *device) {
    std::lock_guard lock(mutex);
    std::erase_if(imported(), [&](const auto &entry) {
        if (entry.second.device != device)
            return false;
        munmap(entry.second.cpu, entry.second.size);
        return true;
    });
}

} // namespace v3dsim::dma_heap
