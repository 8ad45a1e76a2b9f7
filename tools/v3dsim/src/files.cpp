// SPDX-License-Identifier: BSD-2-Clause
//
// The C library's open and ioctl for the files of a Raspberry Pi that the simulator stands for: the V3D's card and
// dma-heaps. All other files go to the C library. Both names of open are defined here, so the headers must not make one
// of the other. Offsets have 64 bits in any case.
#undef _FILE_OFFSET_BITS
#include "device.h"
#include "dma_heap.h"

#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>

using v3dsim::Device;

namespace {

// The V3D as programs without libdrm find it, whatever number its card has.
constexpr const char *node_names[] = {"/dev/dri/by-path/platform-1002000000.v3d-card",
                                      "/dev/dri/by-path/platform-1002000000.v3d-render"};
constexpr unsigned drm_type = 'd' << 8; // of requests without direction and size

template <typename F>
F next(const char *name) {
    return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

// Most files are neither, and then the device isn't made.
bool names_node(const char *path) {
    for (const char *name : node_names)
        if (!std::strcmp(path, name))
            return true;
    return !std::strncmp(path, "/proc/self/fd/", 14) && Device::instance().node() == path;
}

// The device's memory file stands for its node.
bool is_node(int fd) {
    struct stat node, st;
    const int saved = errno;
    const bool same = fstat(fd, &st) == 0 && fstat(Device::instance().fd(), &node) == 0 && st.st_ino == node.st_ino &&
                      st.st_dev == node.st_dev;
    errno = saved;
    return same;
}

template <typename Open>
int open_file(Open real, const char *path, int flags, mode_t mode) {
    if (const int heap = v3dsim::dma_heap::open(path); heap >= 0)
        return heap;
    if (!path || !names_node(path))
        return real(path, flags, mode);
    const int fd = real(Device::instance().node().c_str(), flags, mode);
    if (fd >= 0)
        Device::instance().open_client(fd);
    return fd;
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
    int error = 0;
    if ((number & 0xff00) == drm_type && is_node(fd))
        error = Device::instance().request(fd, number & 0xff, argument);
    else if (!v3dsim::dma_heap::request(fd, number, argument, &error))
        return real(fd, request, argument);
    if (!error)
        return 0;
    errno = error;
    return -1;
}

} // extern "C"
