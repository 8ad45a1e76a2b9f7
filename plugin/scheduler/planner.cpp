// SPDX-License-Identifier: BSD-2-Clause
#include "scheduler/planner.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace dd {
namespace {

// The incumbent is left for a candidate that is faster by so much, or about as fast with so much less CPU time.
constexpr double kFaster = 0.96, kAsFast = 1.02, kLessCpu = 0.85;
constexpr double kClear = 0.75; // one look is enough
// With the goal of little CPU time: by so much less of it. 60 frames a second are always enough.
constexpr double kLittleCpu = 0.95, kRealTime = 1e9 / 60;
// Share of all time that probes of candidates that were measured before may cost, and frames between them at least.
constexpr double kProbeShare = 0.01;
constexpr std::int64_t kProbeFrames = 512;
// A probe ends early when it takes so many times as long as the incumbent. What does more of a slow candidate isn't
// tried at first.
constexpr double kHopeless = 2, kSlow = 1.25;
constexpr unsigned kFewFrames = 8;
// Windows of the incumbent before and after a probe that differ by more had different content.
constexpr double kSameContent = 1.2;
constexpr unsigned kMostUnclear = 3; // probes in a row
constexpr unsigned kSettle = 2;      // frames that may meet a cold driver
// A shorter time without any frame is a decoder's own, between one frame and the next; in nanoseconds.
constexpr std::int64_t kIdle = 2000000;

} // namespace

unsigned size_class(double pixels) {
    constexpr std::array most = {854.0 * 480, 1920.0 * 1088, 3840.0 * 2176};
    return static_cast<unsigned>(std::ranges::upper_bound(most, pixels) - most.begin());
}

void Window::restart(unsigned skip) {
    skip_ = skip;
    frames_ = 0;
    pixels_ = 0;
    idle_ = 0;
}

void Window::begun(unsigned in_flight, std::int64_t now) {
    if (in_flight <= 1 && last_end_ && now - last_end_ > kIdle)
        idle_ += now - last_end_;
}

std::optional<Pace> Window::ended(double pixels, const Instant &now) {
    last_end_ = now.wall;
    if (skip_ > 0) {
        skip_--;
        restart(skip_);
        began_ = now;
        return {};
    }
    pixels_ += pixels;
    ended_ = now;
    if (++frames_ < kFrames)
        return {};
    const Pace pace = so_far();
    restart(0);
    began_ = now;
    return pace;
}

Pace Window::so_far() const {
    if (frames_ < kFewFrames)
        return {};
    return {static_cast<double>(std::max<std::int64_t>(ended_.wall - began_.wall - idle_, 1)) / pixels_,
            static_cast<double>(std::max<std::int64_t>(ended_.cpu - began_.cpu, 1)) / pixels_};
}

Planner::Planner(std::span<const Candidate> table, Goal goal, const Standings &known)
    : table_(table), goal_(goal), standings_(known) {}

void Planner::start_run(std::optional<unsigned> probe) {
    probe_ = probe;
    usable_ = 0;
    run_++;
    window_.restart(in_flight_ + kSettle);
}

void Planner::change_size(unsigned size) {
    size_ = size;
    incumbent_ = {};
    probed_.reset();
    second_look_.reset();
    start_run({});
}

Choice Planner::plan(const PlanQuery &query, unsigned in_flight, std::int64_t now) {
    in_flight_ = in_flight;
    if (const unsigned size = size_class(query.pixels); size != size_)
        change_size(size);
    window_.begun(in_flight, now);
    if (!query.intra_only) {
        usable_ |= query.usable;
        frame_pixels_ = query.pixels;
        inter_frames_++;
    }
    const Candidate &candidate = table_[running()];
    const bool in_turn = inter_frames_ % candidate.every == 0;
    return {(in_turn ? candidate.on_gpu : candidate.between) & query.usable, run_};
}

void Planner::ended(const Choice &choice, double pixels, const Instant &now) {
    probe_pixels_ += pixels;
    if (choice.run != run_)
        return;
    std::optional<Pace> pace = window_.ended(pixels, now);
    if (!pace && probe_ && window_.so_far().wall > kHopeless * incumbent_.wall)
        pace = window_.so_far();
    if (!pace)
        return;
    if (!probe_) {
        incumbent_measured(*pace, now.wall);
        usable_ = 0;
        return;
    }
    probed_ = {*probe_, *pace};
    turns_[*probe_] = ++probes_;
    start_run({});
}

// Without the stages that frames of this stream don't have.
Candidate Planner::effective(unsigned candidate) const {
    const Candidate &c = table_[candidate];
    const unsigned on_gpu = c.on_gpu & usable_, between = c.between & usable_;
    return on_gpu == between ? Candidate{on_gpu} : Candidate{on_gpu, c.every, between};
}

bool Planner::is_distinct(unsigned candidate) const {
    const Candidate own = effective(candidate);
    for (unsigned other = 0; other < candidate; other++)
        if (effective(other) == own)
            return false;
    return own != effective(standing().incumbent);
}

// It does all that another one does, as often, which is clearly slower than it may be: than the CPU alone, or than 60
// frames a second where that is enough.
bool Planner::is_beyond_hope(unsigned candidate) const {
    const auto cpu = std::ranges::find(table_, 0u, &Candidate::on_gpu);
    const double alone = standing().pace[static_cast<std::size_t>(cpu - table_.begin())].wall;
    const double enough = goal_ == Goal::cpu ? kRealTime / (incumbent_.wall * frame_pixels_) : 0;
    const Candidate own = effective(candidate);
    const auto is_part = [&own](const Candidate &other) {
        return other.on_gpu != 0 && (other.on_gpu & ~own.on_gpu) == 0 && (other.between & ~own.between) == 0 &&
               (other.every >= own.every || (other.on_gpu & ~own.between) == 0);
    };
    for (unsigned other = 0; other < table_.size(); other++)
        if (other != candidate && alone > 0 && is_part(effective(other)) &&
            standing().pace[other].wall > std::max(kSlow * alone, enough))
            return true;
    return false;
}

// A second look first. Those that weren't measured yet at once, in the table's order; then the one whose turn was
// longest ago, when probes are paid for.
std::optional<unsigned> Planner::next_probe(std::int64_t now) const {
    if (second_look_)
        return second_look_;
    std::optional<unsigned> oldest;
    for (unsigned candidate = 0; candidate < table_.size(); candidate++) {
        if (candidate == standing().incumbent || !is_distinct(candidate))
            continue;
        if (standing().pace[candidate].wall <= 0 && !is_beyond_hope(candidate))
            return candidate;
        if (!oldest || turns_[candidate] < turns_[*oldest])
            oldest = candidate;
    }
    return now >= next_probe_ ? oldest : std::nullopt;
}

void Planner::incumbent_measured(const Pace &pace, std::int64_t now) {
    const Pace before = std::exchange(incumbent_, pace);
    const double least_pause = kProbeFrames * frame_pixels_ * pace.wall;
    if (!next_probe_) // of a machine that is known already
        next_probe_ = now + static_cast<std::int64_t>(least_pause);
    if (probed_) {
        const double spent = static_cast<double>(now - probe_began_),
                     usual = probe_pixels_ * std::max(before.wall, pace.wall);
        const double pause = std::max(least_pause, (spent - usual) / kProbeShare);
        next_probe_ = now + static_cast<std::int64_t>(pause);
        const auto [candidate, probed] = *std::exchange(probed_, {});
        judge(candidate, probed, before, pace);
    }
    if (incumbent_.wall <= 0) // another one has just been chosen
        return;
    if (const auto probe = next_probe(now)) {
        probe_began_ = now;
        probe_pixels_ = 0;
        start_run(*probe);
    }
}

// Where content changed meanwhile, it may be clear all the same. Where it changes all the time, the mean has to do.
void Planner::judge(unsigned candidate, const Pace &pace, const Pace &before, const Pace &after) {
    double wall = (before.wall + after.wall) / 2;
    const double most = std::max(before.wall, after.wall), least = std::min(before.wall, after.wall);
    if (most > kSameContent * least && unclear_ < kMostUnclear) {
        const bool slower = pace.wall > most, faster = pace.wall < kFaster * least;
        unclear_ += !slower && !faster;
        if (!slower && !faster)
            return decide("saw its content change with", candidate);
        wall = slower ? most : least;
    }
    unclear_ = 0;
    standing().pace[standing().incumbent] = {1, 1};
    const Pace measured = {pace.wall / wall, pace.cpu / ((before.cpu + after.cpu) / 2)};
    Pace &known = standing().pace[candidate];
    known = known.wall > 0 ? Pace{(known.wall + measured.wall) / 2, (known.cpu + measured.cpu) / 2} : measured;
    const bool better = is_better(known), looked_twice = std::exchange(second_look_, {}) == candidate;
    if (!better)
        return decide("stays before", candidate);
    if (known.wall > kClear && !looked_twice) {
        second_look_ = candidate;
        return decide("looks again at", candidate);
    }
    decide("gives way to", candidate);
    const Pace unit = known;
    for (Pace &other : standing().pace)
        other = {other.wall / unit.wall, other.cpu / unit.cpu};
    standing().incumbent = candidate;
    incumbent_ = {};
    start_run({});
}

bool Planner::is_better(const Pace &pace) const {
    const bool faster = pace.wall <= kFaster || (pace.wall <= kAsFast && pace.cpu <= kLessCpu);
    if (goal_ == Goal::speed)
        return faster;
    const double frame_ns = incumbent_.wall * frame_pixels_;
    if (frame_ns * pace.wall > kRealTime)
        return frame_ns > kRealTime && faster;
    return frame_ns > kRealTime || pace.cpu <= kLittleCpu;
}

std::string Planner::name_of(unsigned candidate) const {
    const auto names = [](unsigned stages) {
        std::string text;
        for (unsigned stage = 0; stage < DD_STAGES; stage++)
            if (stages >> stage & 1)
                text.append(text.empty() ? "" : "+").append(stage_name(stage));
        return text.empty() ? "cpu" : text;
    };
    const Candidate c = effective(candidate);
    std::string text = names(c.on_gpu);
    if (c.every > 1)
        text += " every " + std::to_string(c.every) + " frames";
    if (c.between)
        text += " (else " + names(c.between) + ")";
    return text;
}

void Planner::decide(const char *what, unsigned candidate) {
    const Pace &pace = standing().pace[candidate];
    char text[256];
    std::snprintf(text, sizeof(text), "plan auto: %s, %.2f ms a frame, %s %s: %.2f of its time, %.2f of its CPU time",
                  name_of(standing().incumbent).c_str(), incumbent_.wall * frame_pixels_ / 1e6, what,
                  name_of(candidate).c_str(), pace.wall, pace.cpu);
    news_ = text;
}

} // namespace dd
