// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include "vulkan/room.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

namespace dd {

// What frames are recorded in, which keeps its memory. A frame that the GPU has doesn't need it any more, so that there are as many as
// frames are recorded at a time, and not one for each frame in flight. Frames that are large in the bitstream, of which there are few, get those
// that had large ones before; what nobody needed for long is given up. Any thread may use it.
template <typename Records>
class RecordPool {
  public:
    struct Lease {
        Records records;
        std::uint32_t room = 0; // bytes in the bitstream of the largest frame that they were for
    };
    // For a frame with so many bytes in the bitstream, 0: unknown.
    Lease take(std::uint32_t coded) {
        coded = std::max(coded, kSmall);
        std::vector<Idle> unneeded; // given up without the lock
        const std::lock_guard lock(mutex_);
        taken_++;
        unneeded = take_unneeded();
        auto found = smallest(coded);
        if (found == idle_.end() || found->lease.room / kTooLarge > coded)
            found = largest_below(coded);
        if (found == idle_.end()) {
            idle_.reserve(made_ + 1);
            made_++;
            return {{}, coded};
        }
        Lease lease = std::move(found->lease);
        lease.room = std::max(lease.room, coded);
        idle_.erase(found);
        return lease;
    }
    // What take() has given.
    void give(Lease &&lease) noexcept {
        const std::lock_guard lock(mutex_);
        idle_.push_back({std::move(lease), taken_}); // there is room
    }
    std::size_t made() const {
        const std::lock_guard lock(mutex_);
        return made_;
    }

  private:
    static constexpr std::uint32_t kSmall = 8 * 1024; // no frame's records take less to speak of
    static constexpr std::uint32_t kTooLarge = 4;

    struct Idle {
        Lease lease;
        std::uint64_t since; // how many had been taken
    };
    using Place = typename std::vector<Idle>::iterator;
    // Of those alike the last one that was in use, which may be in a cache.
    Place smallest(std::uint32_t coded) {
        Place best = idle_.end();
        for (Place at = idle_.begin(); at != idle_.end(); ++at)
            if (at->lease.room >= coded && (best == idle_.end() || at->lease.room <= best->lease.room))
                best = at;
        return best;
    }
    Place largest_below(std::uint32_t coded) {
        Place best = idle_.end();
        for (Place at = idle_.begin(); at != idle_.end(); ++at)
            if (at->lease.room < coded && (best == idle_.end() || at->lease.room >= best->lease.room))
                best = at;
        return best;
    }
    std::vector<Idle> take_unneeded() {
        const auto needed = [this](const Idle &idle) { return !nobody_needs(taken_ - idle.since); };
        const Place end = std::find_if(idle_.begin(), idle_.end(), needed); // those that lie idle longest come first
        std::vector<Idle> unneeded(std::make_move_iterator(idle_.begin()), std::make_move_iterator(end));
        idle_.erase(idle_.begin(), end);
        made_ -= unneeded.size();
        return unneeded;
    }

    mutable std::mutex mutex_;
    std::vector<Idle> idle_; // by `since`
    std::size_t made_ = 0;   // and not given up
    std::uint64_t taken_ = 0;
};

} // namespace dd
