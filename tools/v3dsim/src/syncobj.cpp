// SPDX-License-Identifier: BSD-2-Clause
#include "syncobj.h"

#include <cerrno>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

namespace v3dsim {

int64_t monotonic_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

uint32_t SyncObjects::create(bool signalled) {
    std::lock_guard lock(mutex_);
    auto object = std::make_shared<Object>();
    if (signalled)
        object->fence = std::make_shared<Fence>(Fence{true, false});
    objects_[next_] = std::move(object);
    return next_++;
}

SyncObjects::ObjectPtr SyncObjects::lookup(uint32_t handle) {
    auto it = objects_.find(handle);
    return it == objects_.end() ? nullptr : it->second;
}

bool SyncObjects::destroy(uint32_t handle) {
    std::lock_guard lock(mutex_);
    return objects_.erase(handle) != 0;
}

bool SyncObjects::reset(const uint32_t *handles, unsigned count) {
    std::lock_guard lock(mutex_);
    for (unsigned i = 0; i < count; i++) {
        ObjectPtr object = lookup(handles[i]);
        if (!object)
            return false;
        object->fence = nullptr;
    }
    return true;
}

bool SyncObjects::signal(const uint32_t *handles, unsigned count) {
    std::lock_guard lock(mutex_);
    for (unsigned i = 0; i < count; i++) {
        ObjectPtr object = lookup(handles[i]);
        if (!object)
            return false;
        object->fence = std::make_shared<Fence>(Fence{true, false});
    }
    changed_.notify_all();
    return true;
}

FencePtr SyncObjects::fence(uint32_t handle, bool *known) {
    std::lock_guard lock(mutex_);
    ObjectPtr object = lookup(handle);
    if (known)
        *known = object != nullptr;
    return object ? object->fence : nullptr;
}

bool SyncObjects::replace(uint32_t handle, FencePtr fence) {
    std::lock_guard lock(mutex_);
    ObjectPtr object = lookup(handle);
    if (!object)
        return false;
    object->fence = std::move(fence);
    changed_.notify_all();
    return true;
}

bool SyncObjects::is_signalled(const FencePtr &fence) {
    std::lock_guard lock(mutex_);
    return fence && fence->signalled;
}

void SyncObjects::finish(const FencePtr &fence, bool failed) {
    std::lock_guard lock(mutex_);
    fence->signalled = true;
    fence->failed = failed;
    changed_.notify_all();
}

void SyncObjects::lose(int client) {
    std::lock_guard lock(mutex_);
    lost_at_.try_emplace(client, std::chrono::steady_clock::now());
    changed_.notify_all();
}

void SyncObjects::regain(int client) {
    std::lock_guard lock(mutex_);
    lost_at_.erase(client);
}

int SyncObjects::wait(int client, const uint32_t *handles, unsigned count, int64_t deadline_ns, bool all,
                      bool for_submit, uint32_t *first) {
    std::unique_lock lock(mutex_);
    std::vector<ObjectPtr> objects;
    for (unsigned i = 0; i < count; i++) {
        objects.push_back(lookup(handles[i]));
        if (!objects.back())
            return ENOENT;
    }
    for (;;) {
        unsigned done = 0;
        bool failed = false, unsubmitted = false;
        for (unsigned i = 0; i < count; i++) {
            const FencePtr &fence = objects[i]->fence;
            if (!fence && !for_submit)
                return EINVAL;
            unsubmitted |= !fence;
            if (!fence || !fence->signalled)
                continue;
            if (done++ == 0 && first)
                *first = i;
            failed |= fence->failed;
        }
        if (failed)
            return EIO;
        if (all ? done == count : done > 0)
            return 0;
        const auto lost = lost_at_.find(client);
        if (unsubmitted && lost != lost_at_.end() &&
            std::chrono::steady_clock::now() - lost->second > std::chrono::seconds(1))
            return EIO;
        const int64_t left = deadline_ns - monotonic_ns();
        if (left <= 0)
            return ETIME;
        changed_.wait_for(lock, std::chrono::nanoseconds(left < 100000000 ? left : 100000000));
    }
}

bool SyncObjects::identity(int fd, uint64_t *id) {
    struct stat st;
    if (fstat(fd, &st) != 0)
        return false;
    *id = static_cast<uint64_t>(st.st_dev) << 40 ^ st.st_ino;
    return true;
}

int SyncObjects::export_fence(uint32_t handle) {
    std::lock_guard lock(mutex_);
    ObjectPtr object = lookup(handle);
    if (!object || !object->fence)
        return -1;
    const int fd = memfd_create("v3dsim-fence", MFD_CLOEXEC);
    uint64_t id;
    if (fd >= 0 && identity(fd, &id))
        fence_files_[id] = object->fence;
    return fd;
}

bool SyncObjects::import_fence(uint32_t handle, int fd) {
    std::lock_guard lock(mutex_);
    ObjectPtr object = lookup(handle);
    uint64_t id;
    if (!object || !identity(fd, &id))
        return false;
    auto file = fence_files_.find(id);
    if (file == fence_files_.end())
        return false;
    object->fence = file->second;
    changed_.notify_all();
    return true;
}

int SyncObjects::export_object(uint32_t handle) {
    std::lock_guard lock(mutex_);
    ObjectPtr object = lookup(handle);
    if (!object)
        return -1;
    const int fd = memfd_create("v3dsim-syncobj", MFD_CLOEXEC);
    uint64_t id;
    if (fd >= 0 && identity(fd, &id))
        object_files_[id] = object;
    return fd;
}

uint32_t SyncObjects::import_object(int fd) {
    std::lock_guard lock(mutex_);
    uint64_t id;
    if (!identity(fd, &id))
        return 0;
    auto file = object_files_.find(id);
    if (file == object_files_.end())
        return 0;
    objects_[next_] = file->second;
    return next_++;
}

} // namespace v3dsim
