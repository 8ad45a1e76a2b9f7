// SPDX-License-Identifier: BSD-2-Clause
//
// A set-associative cache of lines; the oldest one of a set gives way.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace v3dtiming {

class LineCache {
  public:
    explicit LineCache(std::size_t lines) : sets_(std::max<std::size_t>(1, lines / kWays)) {}

    // True if the line was there; afterwards it is the youngest one of its set.
    bool touch(std::uint64_t line) { return place(line).first; }
    // Writes to the line. True if it was there and already differed from memory: DRAM takes each such line once.
    bool write(std::uint64_t line) {
        Entry &entry = *place(line).second;
        return std::exchange(entry.dirty, true);
    }

  private:
    static constexpr std::size_t kWays = 8;
    struct Entry {
        std::uint64_t line = UINT64_MAX;
        bool dirty = false;
    };
    using Set = std::array<Entry, kWays>; // youngest first

    std::pair<bool, Entry *> place(std::uint64_t line) {
        Set &set = sets_[line % sets_.size()];
        const auto found = std::find_if(set.begin(), set.end(), [&](const Entry &e) { return e.line == line; });
        const bool hit = found != set.end();
        const Entry entry = hit ? *found : Entry{line, false};
        std::move_backward(set.begin(), hit ? found : set.end() - 1, hit ? found + 1 : set.end());
        set[0] = entry;
        return {hit, &set[0]};
    }

    std::vector<Set> sets_;
};

} // namespace v3dtiming
