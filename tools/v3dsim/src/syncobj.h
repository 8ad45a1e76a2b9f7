// SPDX-License-Identifier: BSD-2-Clause
//
// Fences and the sync objects that hold them, as the kernel's binary sync objects behave: a submission takes the
// fences that its wait objects hold at that moment, and puts its own fence into its signal objects.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace v3dsim {

// Nanoseconds of the monotonic clock, by which deadlines and timestamps go.
int64_t monotonic_ns();

struct Fence {
    bool signalled = false;
    bool failed = false; // the job was stopped
};
using FencePtr = std::shared_ptr<Fence>;

class SyncObjects {
  public:
    uint32_t create(bool signalled);
    bool destroy(uint32_t handle);
    bool reset(const uint32_t *handles, unsigned count);
    bool signal(const uint32_t *handles, unsigned count);
    // What the object holds; nullptr when nothing, or when there is no such object (`known` tells).
    FencePtr fence(uint32_t handle, bool *known = nullptr);
    bool replace(uint32_t handle, FencePtr fence);
    bool is_signalled(const FencePtr &fence);
    // Finishes a fence and wakes whoever waits.
    void finish(const FencePtr &fence, bool failed);
    // A client's job was stopped: a submission of its that is still on its way has a second to arrive, waiting for it
    // fails then. The driver may have given it up.
    void lose(int client);
    void regain(int client);
    // Waits on the host. `deadline_ns`: of the monotonic clock. Returns 0 or an errno.
    int wait(int client, const uint32_t *handles, unsigned count, int64_t deadline_ns, bool all, bool for_submit,
             uint32_t *first);

    // Files that stand for a fence (a sync file) or for the object itself. -1 on failure.
    int export_fence(uint32_t handle);
    bool import_fence(uint32_t handle, int fd);
    int export_object(uint32_t handle);
    uint32_t import_object(int fd);

  private:
    struct Object {
        FencePtr fence;
    };
    using ObjectPtr = std::shared_ptr<Object>;
    ObjectPtr lookup(uint32_t handle);
    // Identity of a file, kept while the process lives.
    static bool identity(int fd, uint64_t *id);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::unordered_map<uint32_t, ObjectPtr> objects_;
    std::map<uint64_t, FencePtr> fence_files_;
    std::map<uint64_t, ObjectPtr> object_files_;
    uint32_t next_ = 1;
    std::map<int, std::chrono::steady_clock::time_point> lost_at_;
};

} // namespace v3dsim
