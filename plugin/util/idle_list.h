// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace dd {

// Of what lay idle while so many others of its kind were taken: some ten seconds of a stream with a frame or two in
// each.
constexpr bool is_unneeded(std::uint64_t passed_over) {
    return passed_over > 1000;
}

// What is kept for reuse, and freed when it was idle for long. Things differ by the capacity that they have. Callers
// lock.
template <typename T>
class IdleList {
    struct Idle {
        T thing;
        std::uint64_t since; // how many had been wanted
    };

  public:
    using Place = typename std::vector<Idle>::iterator;

    Place begin() { return idle_.begin(); }
    Place end() { return idle_.end(); }
    void reserve(std::size_t count) { idle_.reserve(count); }
    void clear() { idle_.clear(); }
    // Allocates nothing where capacity was reserved.
    void give(T &&thing) { idle_.push_back({std::move(thing), wanted_}); }
    T take(Place at) {
        T thing = std::move(at->thing);
        idle_.erase(at);
        return thing;
    }
    // One is wanted, whether it comes from here or not. Returns what is given up.
    std::vector<T> want() {
        wanted_++;
        const auto needed = [this](const Idle &idle) { return !is_unneeded(wanted_ - idle.since); };
        const Place end = std::find_if(idle_.begin(), idle_.end(), needed); // those that lie idle longest come first
        std::vector<T> unneeded;
        std::transform(idle_.begin(), end, std::back_inserter(unneeded),
                       [](Idle &idle) { return std::move(idle.thing); });
        idle_.erase(idle_.begin(), end);
        return unneeded;
    }
    // Of those with so much capacity the one that has least, and of those alike the last one given, which may be in a
    // cache. Where none has it, or what it has `is_too_much`: of those with less the one that has most, likewise;
    // end(): there is none.
    template <typename Capacity, typename TooMuch>
    Place fitting(std::uint64_t capacity, Capacity &&capacity_of, TooMuch &&is_too_much) {
        const Place found =
            best([&](const T &thing) { return capacity_of(thing) >= capacity; },
                 [&](const T &thing, const T &other) { return capacity_of(thing) <= capacity_of(other); });
        if (found != end() && !is_too_much(capacity_of(found->thing)))
            return found;
        return best([&](const T &thing) { return capacity_of(thing) < capacity; },
                    [&](const T &thing, const T &other) { return capacity_of(thing) >= capacity_of(other); });
    }
    template <typename Capacity>
    Place fitting(std::uint64_t capacity, Capacity &&capacity_of) {
        return fitting(capacity, capacity_of, [](std::uint64_t) { return false; });
    }

  private:
    template <typename Fits, typename Better>
    Place best(Fits &&fits, Better &&better) {
        Place best = end();
        for (Place at = begin(); at != end(); ++at)
            if (fits(at->thing) && (best == end() || better(at->thing, best->thing)))
                best = at;
        return best;
    }

    std::vector<Idle> idle_; // by `since`
    std::uint64_t wanted_ = 0;
};

} // namespace dd
