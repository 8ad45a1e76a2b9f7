// SPDX-License-Identifier: BSD-2-Clause
//
// Plan `auto`. One candidate of the table is the incumbent. A probe takes its place for a window of frames now and
// then, between two windows of the incumbent, so that a change of content isn't taken for the probe's doing. What is
// clearly better becomes the incumbent.
#pragma once
#include "scheduler/plan.h"
#include "scheduler/plan_table.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace dd {

// Nanoseconds of the clock on the wall, and of CPU time of the process.
struct Instant {
    std::int64_t wall = 0, cpu = 0;
};

// What frames take, in nanoseconds a luma pixel; of a candidate, relative to the incumbent. 0: not measured.
struct Pace {
    double wall = 0, cpu = 0;
};

// What is known of frames of one size class: up to 480p, 1080p, 2160p, and above.
struct Standing {
    unsigned incumbent = 0;
    std::array<Pace, kMostCandidates> pace{};
};
constexpr unsigned kSizes = 4;
using Standings = std::array<Standing, kSizes>;
unsigned size_class(double pixels);

// Measures the frames of one run of a plan. Time in which no frame is on its way isn't the decoder's.
class Window {
  public:
    // Several times the group of sixteen frames that encoders hide large frames in.
    static constexpr unsigned kFrames = 48;

    // Ends of `skip` frames are of the run before, or meet cold memory.
    void restart(unsigned skip);
    void begun(unsigned in_flight, std::int64_t now);
    // The pace, once the window is full. Another window begins then.
    std::optional<Pace> ended(double pixels, const Instant &now);
    // So far; 0 before the first few frames.
    Pace so_far() const;

  private:
    unsigned skip_ = 0, frames_ = 0;
    double pixels_ = 0;
    std::int64_t idle_ = 0, last_end_ = 0;
    Instant began_, ended_;
};

// A frame that is to be planned.
struct PlanQuery {
    double pixels = 0;       // luma
    bool intra_only = false; // no inter blocks
    unsigned usable = 0;     // stages that the GPU can run; bit s: stage s
};

struct Choice {
    unsigned on_gpu = 0;
    unsigned run = 0;
};

class Planner {
  public:
    // `known`: of this table.
    Planner(std::span<const Candidate> table, Goal goal, const Standings &known);

    // `in_flight`: frames that have begun and not ended, this one included.
    Choice plan(const PlanQuery &query, unsigned in_flight, std::int64_t now);
    void ended(const Choice &choice, double pixels, const Instant &now);

    const Standings &standings() const { return standings_; }
    unsigned probes() const { return probes_; } // that have ended
    // What was decided since the last call, for people; empty: nothing.
    std::string take_news() { return std::exchange(news_, {}); }

  private:
    Standing &standing() { return standings_[size_]; }
    const Standing &standing() const { return standings_[size_]; }
    unsigned running() const { return probe_.value_or(standing().incumbent); }
    Candidate effective(unsigned candidate) const;
    void start_run(std::optional<unsigned> probe);
    void change_size(unsigned size);
    bool is_distinct(unsigned candidate) const;
    bool is_beyond_hope(unsigned candidate) const;
    std::optional<unsigned> next_probe(std::int64_t now) const;
    void incumbent_measured(const Pace &pace, std::int64_t now);
    void judge(unsigned candidate, const Pace &pace, const Pace &before, const Pace &after);
    bool is_better(const Pace &pace) const;
    void decide(const char *what, unsigned candidate);
    std::string name_of(unsigned candidate) const;

    std::span<const Candidate> table_;
    Goal goal_;
    Standings standings_;
    unsigned size_ = kSizes;  // class of the newest frame
    unsigned usable_ = 0;     // by frames with inter blocks since the run or its newest window began
    double frame_pixels_ = 0; // of the newest of those
    std::uint64_t inter_frames_ = 0;
    unsigned in_flight_ = 0;
    unsigned run_ = 0;
    Window window_;
    std::optional<unsigned> probe_;                   // which runs
    Pace incumbent_;                                  // by the newest window of the incumbent
    std::optional<std::pair<unsigned, Pace>> probed_; // which has ended, until the incumbent's next window
    std::optional<unsigned> second_look_;             // at a candidate that was better once
    std::int64_t probe_began_ = 0, next_probe_ = 0;
    double probe_pixels_ = 0;                       // of frames that ended since it began
    std::array<unsigned, kMostCandidates> turns_{}; // when each was probed last
    unsigned probes_ = 0;
    unsigned unclear_ = 0; // probes in a row that content has spoilt
    std::string news_;
};

} // namespace dd
