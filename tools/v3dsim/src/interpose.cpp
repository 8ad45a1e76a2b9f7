// SPDX-License-Identifier: BSD-2-Clause
//
// The functions of libdrm that the driver calls, answered by the simulated device. Loaded ahead of libdrm
// (LD_PRELOAD). The render node is the memory file of the GPU's address space, opened through /proc, so that open,
// fstat and mmap of the driver work on it as they are.
#include "device.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using v3dsim::Device;

namespace {

// Layouts of libdrm's public structures.
struct DrmVersion {
    int major, minor, patch;
    int name_length;
    char *name;
    int date_length;
    char *date;
    int description_length;
    char *description;
};
struct DrmDevice {
    char **nodes;
    int available_nodes, bus_type;
    void *bus_info, *device_info;
};
constexpr int node_render = 2, node_count = 3, bus_platform = 2;
constexpr uint64_t cap_prime = 0x5, cap_syncobj = 0x13;

int result(int error) {
    if (!error)
        return 0;
    errno = error;
    return -1;
}

int refuse(const char *what) {
    std::fprintf(stderr, "v3dsim: %s is not implemented\n", what);
    return result(ENOSYS);
}

} // namespace

extern "C" {

#define V3DSIM_EXPORT __attribute__((visibility("default")))

V3DSIM_EXPORT int drmGetDevices2(uint32_t, DrmDevice **devices, int max) {
    if (!devices || max < 1)
        return 1;
    auto *d = static_cast<DrmDevice *>(std::calloc(1, sizeof(DrmDevice)));
    d->nodes = static_cast<char **>(std::calloc(node_count, sizeof(char *)));
    for (int i = 0; i < node_count; i++)
        d->nodes[i] = strdup(Device::instance().node().c_str());
    d->available_nodes = 1 << node_render;
    d->bus_type = bus_platform;
    devices[0] = d;
    return 1;
}

V3DSIM_EXPORT int drmGetDevices(DrmDevice **devices, int max) {
    return drmGetDevices2(0, devices, max);
}

V3DSIM_EXPORT void drmFreeDevice(DrmDevice **device) {
    if (!device || !*device)
        return;
    for (int i = 0; i < node_count; i++)
        std::free((*device)->nodes[i]);
    std::free((*device)->nodes);
    std::free(*device);
    *device = nullptr;
}

V3DSIM_EXPORT void drmFreeDevices(DrmDevice **devices, int count) {
    for (int i = 0; i < count; i++)
        drmFreeDevice(&devices[i]);
}

V3DSIM_EXPORT int drmGetDevice2(int, uint32_t, DrmDevice **device) {
    return drmGetDevices2(0, device, 1) == 1 ? 0 : -ENODEV;
}

V3DSIM_EXPORT DrmVersion *drmGetVersion(int) {
    auto *v = static_cast<DrmVersion *>(std::calloc(1, sizeof(DrmVersion)));
    v->major = 1;
    v->name = strdup("v3d");
    v->name_length = 3;
    v->date = strdup("");
    v->description = strdup("simulated V3D 7.1");
    v->description_length = static_cast<int>(std::strlen(v->description));
    return v;
}

V3DSIM_EXPORT void drmFreeVersion(DrmVersion *v) {
    if (!v)
        return;
    std::free(v->name);
    std::free(v->date);
    std::free(v->description);
    std::free(v);
}

V3DSIM_EXPORT int drmGetCap(int, uint64_t capability, uint64_t *value) {
    *value = capability == cap_syncobj ? 1 : capability == cap_prime ? 1 /* import */ : 0;
    return 0;
}

V3DSIM_EXPORT int drmIoctl(int fd, unsigned long request, void *argument) {
    return result(Device::instance().request(fd, request & 0xff, argument));
}

V3DSIM_EXPORT int drmSyncobjCreate(int, uint32_t flags, uint32_t *handle) {
    *handle = Device::instance().syncs().create(flags & 1);
    return 0;
}

V3DSIM_EXPORT int drmSyncobjDestroy(int, uint32_t handle) {
    return result(Device::instance().syncs().destroy(handle) ? 0 : EINVAL);
}

V3DSIM_EXPORT int drmSyncobjWait(int fd, uint32_t *handles, unsigned count, int64_t deadline, unsigned flags,
                                 uint32_t *first) {
    const int error = Device::instance().syncs().wait(fd, handles, count, deadline, flags & 1, flags & 2, first);
    if (!error)
        return 0;
    errno = error;
    return -error;
}

V3DSIM_EXPORT int drmSyncobjReset(int, const uint32_t *handles, uint32_t count) {
    return result(Device::instance().syncs().reset(handles, count) ? 0 : EINVAL);
}

V3DSIM_EXPORT int drmSyncobjSignal(int, const uint32_t *handles, uint32_t count) {
    return result(Device::instance().syncs().signal(handles, count) ? 0 : EINVAL);
}

V3DSIM_EXPORT int drmSyncobjExportSyncFile(int, uint32_t handle, int *fd) {
    *fd = Device::instance().syncs().export_fence(handle);
    return result(*fd < 0 ? EINVAL : 0);
}

V3DSIM_EXPORT int drmSyncobjImportSyncFile(int, uint32_t handle, int fd) {
    return result(Device::instance().syncs().import_fence(handle, fd) ? 0 : EINVAL);
}

V3DSIM_EXPORT int drmSyncobjHandleToFD(int, uint32_t handle, int *fd) {
    *fd = Device::instance().syncs().export_object(handle);
    return result(*fd < 0 ? EINVAL : 0);
}

V3DSIM_EXPORT int drmSyncobjFDToHandle(int, int fd, uint32_t *handle) {
    *handle = Device::instance().syncs().import_object(fd);
    return result(*handle ? 0 : EINVAL);
}

V3DSIM_EXPORT int drmSyncobjTransfer(int, uint32_t to, uint64_t to_point, uint32_t from, uint64_t from_point,
                                     uint32_t) {
    if (to_point || from_point)
        return refuse("a timeline of the kernel");
    bool known = false;
    v3dsim::SyncObjects &syncs = Device::instance().syncs();
    v3dsim::FencePtr fence = syncs.fence(from, &known);
    return result(known && syncs.replace(to, std::move(fence)) ? 0 : EINVAL);
}

// The device says that it has no timelines, so the driver builds them out of the binary objects.
V3DSIM_EXPORT int drmSyncobjTimelineWait(int, uint32_t *, uint64_t *, unsigned, int64_t, unsigned, uint32_t *) {
    return refuse("a timeline of the kernel");
}
V3DSIM_EXPORT int drmSyncobjTimelineSignal(int, const uint32_t *, uint64_t *, uint32_t) {
    return refuse("a timeline of the kernel");
}
V3DSIM_EXPORT int drmSyncobjQuery(int, uint32_t *, uint64_t *, uint32_t) {
    return refuse("a timeline of the kernel");
}

V3DSIM_EXPORT int drmPrimeFDToHandle(int, int fd, uint32_t *handle) {
    return result(Device::instance().import_buffer(fd, handle));
}

V3DSIM_EXPORT int drmPrimeHandleToFD(int, uint32_t, uint32_t, int *) {
    return refuse("export of memory");
}

} // extern "C"
