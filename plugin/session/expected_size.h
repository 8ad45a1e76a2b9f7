// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>

namespace dd {

// How large most of a stream's varying sizes are: four of five, as it goes up four times as fast as down. Few are much larger, those
// of frames after a cut a hundred times. Any thread may ask and tell.
class ExpectedSize {
  public:
    // 0: one that says nothing.
    void met(std::size_t bytes) {
        if (!bytes)
            return;
        const std::size_t known = bytes_.load(std::memory_order_relaxed);
        const std::size_t up = std::min(bytes, known + known / 4 + kLeast), down = std::max(bytes, known - known / 16);
        bytes_.store(bytes > known ? up : down, std::memory_order_relaxed);
    }
    // Room that most fit into.
    std::size_t room() const {
        const std::size_t known = bytes_.load(std::memory_order_relaxed);
        return (known + known / 4 + kLeast) / kLeast * kLeast;
    }

  private:
    static constexpr std::size_t kLeast = 64 * 1024;
    std::atomic<std::size_t> bytes_{0};
};

} // namespace dd
