// SPDX-License-Identifier: BSD-2-Clause
//
// Makes the n-th call of a kind fail, for tests: DAEDALUS_FAULT=submit:3 or alloc:1,hang:7. Kinds: submit, wait,
// alloc, map, sync (of caches), pipeline (the call fails), adopt (a picture in plain memory has to be copied), lost
// (the device is lost from the n-th wait on), hang (the n-th submit never ends), late (the n-th wait runs out of
// patience, but the GPU is still at work). A line on stderr says that the call was reached.
#pragma once
#include <array>
#include <atomic>
#include <memory>
#include <string_view>

namespace dd {

enum class Fault { submit, wait, alloc, map, pipeline, lost, hang, late, adopt, sync };
constexpr std::size_t kFaults = 10;

class Faults {
  public:
    // nullptr: nothing is to fail, which costs one comparison a call.
    static std::unique_ptr<Faults> from_text(std::string_view text);
    // Counts a call; true: it is the one that fails.
    bool hit(Fault fault) {
        const auto i = static_cast<std::size_t>(fault);
        return at_[i] && ++calls_[i] == at_[i] && tell(fault);
    }

  private:
    bool tell(Fault fault) const; // true
    std::array<unsigned long, kFaults> at_{};
    std::array<std::atomic<unsigned long>, kFaults> calls_{};
};

} // namespace dd
