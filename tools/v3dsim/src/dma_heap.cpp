// SPDX-License-Identifier: BSD-2-Clause
//
// The dma-heaps of a Raspberry Pi: programs allocate cached memory there and import it into the driver. Opening a
// heap and allocating from it is answered with memory files, the brackets around processor access are accepted on
// them. All other files go to the C library. Not done: noticing processor access outside the brackets. Both names of
// open are defined here, so the headers must not make one of the other. Offsets have 64 bits in any case.
#undef _FILE_OFFSET_BITS
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <mutex>
#include <set>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

template <typename F>
F next(const char *name) {
    return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
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

template <typename Open>
int open_file(Open real, const char *path, int flags, mode_t mode) {
    return is_heap(path) ? new_file("v3dsim-dma-heap", 0, heaps()) : real(path, flags, mode);
}

mode_t mode_argument(int flags, va_list arguments) {
    return flags & (O_CREAT | O_TMPFILE) ? static_cast<mode_t>(va_arg(arguments, unsigned)) : 0;
}

} // namespace

#define V3DSIM_EXPORT __attribute__((visibility("default")))

extern "C" {

V3DSIM_EXPORT int open(const char *path, int flags, ...) {
    static const auto real = next<int (*)(const char *, int, ...)>("open");
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_argument(flags, arguments);
    va_end(arguments);
    return open_file(real, path, flags, mode);
}

V3DSIM_EXPORT int open64(const char *path, int flags, ...) {
    static const auto real = next<int (*)(const char *, int, ...)>("open64");
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_argument(flags, arguments);
    va_end(arguments);
    return open_file(real, path, flags, mode);
}

V3DSIM_EXPORT int ioctl(int fd, unsigned long request, ...) noexcept {
    static const auto real = next<int (*)(int, unsigned long, void *)>("ioctl");
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    const unsigned number = request & 0xffff;
    if (number == heap_alloc && is_known(fd, heaps())) {
        auto *a = static_cast<HeapAllocation *>(argument);
        const int buffer = a->length ? new_file("v3dsim-dma-buf", (a->length + 4095) / 4096 * 4096, buffers()) : -1;
        if (buffer < 0) {
            errno = a->length ? ENOMEM : EINVAL;
            return -1;
        }
        a->fd = static_cast<uint32_t>(buffer);
        return 0;
    }
    if (number == buffer_sync && is_known(fd, buffers()))
        return 0;
    return real(fd, request, argument);
}

} // extern "C"
