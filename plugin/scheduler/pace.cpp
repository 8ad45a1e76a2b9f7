// SPDX-License-Identifier: BSD-2-Clause
#include "scheduler/pace.h"

#include <algorithm>

namespace dd {
namespace {

// Frames that may meet a cold driver or cold memory, beside those that the run before has left in flight.
constexpr unsigned kSettle = 2;
// A shorter time without any frame is a decoder's own, between one frame and the next; in nanoseconds.
constexpr std::int64_t kIdle = 2000000;
// So many frames tell what takes so many times as long: the fewer, the more it matters how many large ones are among them.
constexpr struct {
    unsigned frames;
    double times;
} kClear[] = {{6, 3}, {24, 1.65}};

} // namespace

unsigned Pace::begun(unsigned plan, unsigned in_flight, std::int64_t now) {
    if (plan != plan_) {
        run_++;
        plan_ = plan;
        length_ = 0;
        skip_ = in_flight + kSettle;
    }
    length_++;
    if (in_flight <= 1 && last_end_ && now - last_end_ > kIdle) {
        idle_ += now - last_end_;
        all_idle_ += now - last_end_;
    }
    return run_;
}

void Pace::restart(std::int64_t now) {
    window_began_ = now;
    counted_ = 0;
    pixels_ = 0;
    idle_ = 0;
}

std::optional<double> Pace::ended(unsigned run, double pixels, double usual, std::int64_t now) {
    last_end_ = now;
    if (run != run_)
        return {};
    if (skip_ > 0) {
        skip_--;
        restart(now);
        return {};
    }
    pixels_ += pixels;
    counted_++;
    const double ns = static_cast<double>(now - window_began_ - idle_) / pixels_;
    const bool clear = usual > 0 && std::ranges::any_of(kClear, [&](const auto &least) {
                           return counted_ >= least.frames && ns > least.times * usual;
                       });
    if (counted_ < kWindow && !clear)
        return {};
    restart(now);
    return ns;
}

} // namespace dd
