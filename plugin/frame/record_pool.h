// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include "util/idle_list.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace dd {

// What frames are recorded in, which keeps its memory. A frame that the GPU has doesn't need it any more, so that
// there are as many as frames are recorded at a time, and not one for each frame in flight. Frames that are large in
// the bitstream, of which there are few, get those that had large ones before; what was idle for long is given
// up. Any thread may use it.
template <typename Records>
class RecordPool {
  public:
    struct Lease {
        Records records;
        std::uint32_t capacity = 0; // bytes in the bitstream of the largest frame that they were for
    };
    // For a frame with so many bytes in the bitstream, 0: unknown.
    Lease take(std::uint32_t coded) {
        coded = std::max(coded, kSmall);
        std::vector<Lease> unneeded; // given up without the lock
        const std::lock_guard lock(mutex_);
        unneeded = idle_.want();
        made_ -= unneeded.size();
        const auto capacity = [](const Lease &lease) { return lease.capacity; };
        const auto is_too_much = [coded](std::uint32_t bytes) { return bytes / kTooLarge > coded; };
        const auto found = idle_.fitting(coded, capacity, is_too_much);
        if (found == idle_.end()) {
            idle_.reserve(made_ + 1);
            made_++;
            return {{}, coded};
        }
        Lease lease = idle_.take(found);
        lease.capacity = std::max(lease.capacity, coded);
        return lease;
    }
    // What take() has given.
    void give(Lease &&lease) noexcept {
        const std::lock_guard lock(mutex_);
        idle_.give(std::move(lease)); // there is capacity
    }
    std::size_t made() const {
        const std::lock_guard lock(mutex_);
        return made_;
    }

  private:
    static constexpr std::uint32_t kSmall = 8 * 1024; // no frame's records take less to speak of
    static constexpr std::uint32_t kTooLarge = 4;

    mutable std::mutex mutex_;
    IdleList<Lease> idle_;
    std::size_t made_ = 0; // and not given up
};

} // namespace dd
