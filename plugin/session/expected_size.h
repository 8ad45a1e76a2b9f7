// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>

namespace dd {

// How large the next one of a stream's varying sizes may be, judged by the largest ones so far. Any thread may ask and tell.
class ExpectedSize {
  public:
    void met(std::size_t bytes) {
        constexpr std::size_t memory = 256; // times that it is told until what it knew counts a third
        const std::size_t known = bytes_.load(std::memory_order_relaxed);
        bytes_.store(std::max(bytes, known - known / memory), std::memory_order_relaxed);
    }
    // Room that the next one will nearly always fit into.
    std::size_t room() const {
        constexpr std::size_t least = 64 * 1024;
        const std::size_t known = bytes_.load(std::memory_order_relaxed);
        return (known + known / 16 + least) / least * least;
    }

  private:
    std::atomic<std::size_t> bytes_{0};
};

} // namespace dd
