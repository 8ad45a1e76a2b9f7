// SPDX-License-Identifier: BSD-2-Clause
//
// A cache of lines by age, without sets.
#pragma once
#include <cstdint>
#include <list>
#include <unordered_map>

namespace v3dtiming {

class LineCache {
  public:
    explicit LineCache(std::size_t capacity) : capacity_(capacity) {}

    // True if the line was there; afterwards it is the youngest one.
    bool touch(std::uint64_t line) {
        const auto found = where_.find(line);
        if (found != where_.end()) {
            order_.splice(order_.begin(), order_, found->second);
            return true;
        }
        if (order_.size() >= capacity_) {
            where_.erase(order_.back());
            order_.pop_back();
        }
        order_.push_front(line);
        where_[line] = order_.begin();
        return false;
    }

  private:
    std::size_t capacity_;
    std::list<std::uint64_t> order_;
    std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> where_;
};

} // namespace v3dtiming
