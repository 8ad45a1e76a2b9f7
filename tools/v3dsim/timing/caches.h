// SPDX-License-Identifier: BSD-2-Clause
//
// A set-associative cache of lines; the oldest one of a set gives way.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace v3dtiming {

class LineCache {
  public:
    explicit LineCache(std::size_t lines) : sets_(std::max<std::size_t>(1, lines / kWays)) {
        for (Set &set : sets_)
            set.fill(UINT64_MAX);
    }

    // True if the line was there; afterwards it is the youngest one of its set.
    bool touch(std::uint64_t line) {
        Set &set = sets_[line % sets_.size()];
        const auto found = std::find(set.begin(), set.end(), line);
        const bool hit = found != set.end();
        std::move_backward(set.begin(), hit ? found : set.end() - 1, hit ? found + 1 : set.end());
        set[0] = line;
        return hit;
    }

  private:
    static constexpr std::size_t kWays = 8;
    using Set = std::array<std::uint64_t, kWays>; // youngest first
    std::vector<Set> sets_;
};

} // namespace v3dtiming
