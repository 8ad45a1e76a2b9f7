// SPDX-License-Identifier: BSD-2-Clause
//
// The simulated device as the kernel would present it: one address space, one queue that runs jobs in the order of
// their submission, requests (ioctls).
#pragma once
#include "check.h"
#include "cpu_queue.h"
#include "job.h"
#include "memory.h"
#include "settings.h"
#include "syncobj.h"
#include "v3d_uapi.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace v3dsim {

// A dispatch that the layer saw being submitted; the job that it becomes is recognised by its size and buffers.
struct ExpectedDispatch {
    bool indirect = false; // sizes not known when it was recorded
    uint32_t workgroups[3] = {};
    BoundRanges ranges;
    std::vector<uint32_t> handles;
};

class Device {
  public:
    // The one device of this process.
    static Device &instance();

    int fd() const { return memory_.fd(); }
    // The path at which the device's file can be opened.
    const std::string &node() const { return node_; }
    // A client is a descriptor of the device. One that is opened again under an old number is a new client.
    void open_client(int client);
    Memory &memory() { return memory_; }
    SyncObjects &syncs() { return syncs_; }
    const Settings &settings() const { return settings_; }

    // Returns 0 or an errno.
    int request(int client, unsigned number, void *argument);
    int import_buffer(int fd, uint32_t *handle);

    // For the layer: the next buffer object that this thread creates belongs to the application …
    static void expect_application_memory(bool expected);
    // … and was this one.
    static uint32_t last_application_handle();
    void expect_dispatches(std::vector<ExpectedDispatch> dispatches);

  private:
    struct Job {
        enum class Kind { Compute, CommandList, TextureFormat, Processor } kind = Kind::Compute;
        int client = -1;
        Dispatch dispatch;
        uapi::SubmitClArgs list{};
        uapi::SubmitTfuArgs tfu{};
        CpuJob cpu;
        std::vector<uint32_t> handles;
        FencePtr done;
        bool has_ranges = false;
        BoundRanges ranges;
    };

    Device();
    int get_param(uapi::GetParamArgs *a) const;
    int submit(int client, Job job, uint64_t extensions, uint32_t out_sync);
    int submit_cpu(int client, const uapi::SubmitCpuArgs &args);
    bool run(Job &job, std::string *error);
    bool run_cpu(Job &job, std::string *error);
    bool is_lost(int client);
    void execute(Job &job);
    void serve();
    void match_expected(Job &job);

    const Settings settings_;
    Memory memory_;
    const std::string node_;
    SyncObjects syncs_;
    JobRunner runner_;
    std::mutex mutex_;
    std::mutex run_mutex_; // jobs run one at a time
    std::condition_variable work_;
    std::deque<Job> queue_;
    bool serving_ = false;
    std::mutex lost_mutex_;
    std::set<int> lost_; // clients of which a job was stopped: their later ones fail, those of others run
    std::mutex expected_mutex_;
    std::deque<ExpectedDispatch> expected_;
};

} // namespace v3dsim
