// SPDX-License-Identifier: BSD-2-Clause
//
// A thread for what would take its caller too long: one job after the other.
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <stop_token>
#include <thread>

namespace dd {

class Worker {
  public:
    // Told to stop, a job returns as soon as it can.
    using Job = std::function<void(const std::stop_token &)>;

    Worker() = default;
    // Waits for the job that runs. Those that wait run too, told to stop.
    ~Worker();
    Worker(const Worker &) = delete;
    Worker &operator=(const Worker &) = delete;

    // The thread begins with the first job.
    void add(Job job);

  private:
    void run(const std::stop_token &stop);

    std::mutex mutex_; // of what follows
    std::condition_variable_any added_;
    std::queue<Job> jobs_;
    std::jthread thread_; // the last member: it ends before the others do
};

} // namespace dd
