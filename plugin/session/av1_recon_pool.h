// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include "batch/av1_recorder.h"

#include <mutex>
#include <utility>
#include <vector>

namespace dd {

// What AV1 frames are recorded in. A frame that the GPU has doesn't need it any more, so that there are as many as frames are recorded at a time,
// and not one for each frame in flight. Any thread may use it.
class Av1ReconPool {
  public:
    Av1Recon take() {
        const std::lock_guard lock(mutex_);
        if (idle_.empty()) {
            idle_.reserve(made_ + 1);
            made_++;
            return {};
        }
        Av1Recon recon = std::move(idle_.back());
        idle_.pop_back();
        return recon;
    }
    // One that take() has given.
    void give(Av1Recon &&recon) noexcept {
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(recon)); // there is room
    }

  private:
    std::mutex mutex_;
    std::vector<Av1Recon> idle_;
    std::size_t made_ = 0;
};

} // namespace dd
