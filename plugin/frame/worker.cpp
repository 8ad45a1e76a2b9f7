// SPDX-License-Identifier: BSD-2-Clause
#include "frame/worker.h"

#include "frame/guard.h"

#include <pthread.h>
#include <utility>

namespace dd {

Worker::~Worker() = default;

void Worker::add(Job job) {
    {
        const std::lock_guard lock(mutex_);
        jobs_.push(std::move(job));
        if (!thread_.joinable())
            thread_ = std::jthread([this](const std::stop_token &stop) { run(stop); });
    }
    added_.notify_one();
}

void Worker::run(const std::stop_token &stop) {
    pthread_setname_np(pthread_self(), "daedalus");
    std::unique_lock lock(mutex_);
    for (;;) {
        added_.wait(lock, stop, [this] { return !jobs_.empty(); });
        if (jobs_.empty())
            return; // told to stop
        const Job job = std::move(jobs_.front());
        jobs_.pop();
        lock.unlock();
        static_cast<void>(guarded([&] {
            job(stop);
            return int{DD_OK};
        }));
        lock.lock();
    }
}

} // namespace dd
