// SPDX-License-Identifier: BSD-2-Clause
//
// Measures how fast frames come while they run under one plan.
#pragma once
#include <cstdint>
#include <optional>

namespace dd {

class Pace {
  public:
    // Frames that one measurement spans: several of the large hidden ones that encoders put before eight or sixteen small ones.
    static constexpr unsigned kWindow = 64;

    // A frame begins at `now` in nanoseconds, after which `in_flight` frames are on their way. A new `plan` begins a new run.
    // Returns the run, for `ended`.
    unsigned begun(unsigned plan, unsigned in_flight, std::int64_t now);
    // A frame of so many pixels ended. The nanoseconds a pixel once a window is full, or as soon as it is clear that they are
    // far more than the `usual` ones (0: nothing is clear). Time in which no frame was on its way isn't the decoder's.
    std::optional<double> ended(unsigned run, double pixels, double usual, std::int64_t now);
    // A clock that stands still while no frame is on its way.
    std::int64_t clock(std::int64_t now) const { return now - all_idle_; }
    // Frames of the newest run that have begun.
    unsigned length() const { return length_; }

  private:
    void restart(std::int64_t now);

    unsigned run_ = 0, plan_ = ~0u; // the newest
    unsigned length_ = 0;
    unsigned skip_ = 0; // ends of frames until the run before is no longer felt
    unsigned counted_ = 0;
    double pixels_ = 0;
    std::int64_t window_began_ = 0, last_end_ = 0, idle_ = 0, all_idle_ = 0;
};

} // namespace dd
