// SPDX-License-Identifier: BSD-2-Clause
#include "scheduler_cost.h"

#include "scheduler/scheduler.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <deque>
#include <random>
#include <stdexcept>
#include <vector>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kInFlight = 4, kBlock = 1000;
constexpr unsigned kRecon = 1u << DD_STAGE_MC | 1u << DD_STAGE_ITX, kFilter = 1u << DD_STAGE_LF;
constexpr std::int64_t kFrameTime = 1'000'000'000 / 60;

double cpu_ns() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

dd::FrameFacts inter_frame() {
    dd::FrameFacts facts;
    facts.width = 1920;
    facts.height = 1080;
    facts.stages = facts.usable = kRecon | kFilter;
    facts.gpu_reaches = true;
    return facts;
}

// A stream of frames whose measured times vary as those of a real one do.
class Stream {
  public:
    Stream() : scheduler_(DD_CODEC_VP9, automatic(), traits(), 1) {}

    // CPU time of the scheduler's calls.
    double next() {
        const std::int64_t now = kFrameTime * ++frames_;
        const double noise = spread_(random_);
        const double begin = cpu_ns();
        dd::PlannedFrame planned;
        scheduler_.plan(facts_, planned, now);
        flying_.push_back(planned);
        if (flying_.size() >= kInFlight)
            end_oldest(now, noise);
        return cpu_ns() - begin;
    }

  private:
    static dd::PlanSpec automatic() {
        dd::PlanSpec spec;
        if (!dd::parse_plan("auto", spec))
            throw std::runtime_error("no plan auto");
        return spec;
    }
    static dd::DeviceTraits traits() {
        dd::DeviceTraits traits;
        traits.automatic = true;
        return traits;
    }
    void end_oldest(std::int64_t now, double noise) {
        const dd::PlannedFrame planned = flying_.front();
        flying_.pop_front();
        cpu_ += static_cast<std::int64_t>(4e6 * noise);
        scheduler_.ended(planned, {now, cpu_});
    }

    dd::Scheduler scheduler_;
    const dd::FrameFacts facts_ = inter_frame();
    std::deque<dd::PlannedFrame> flying_;
    std::mt19937 random_{1};
    std::normal_distribution<double> spread_{1.0, 0.05};
    std::int64_t frames_ = 0, cpu_ = 0;
};

} // namespace

SchedulerCost measure_scheduler(double seconds) {
    Stream stream;
    std::vector<double> worst;
    SchedulerCost cost;
    double sum = 0;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    do {
        double most = 0;
        for (unsigned i = 0; i < kBlock; i++) {
            const double ns = stream.next();
            sum += ns;
            most = std::max(most, ns);
        }
        worst.push_back(most);
        cost.frames += kBlock;
    } while (Clock::now() < end);
    cost.mean_ns = sum / cost.frames;
    const auto middle = worst.begin() + static_cast<std::ptrdiff_t>(worst.size() / 2);
    std::nth_element(worst.begin(), middle, worst.end());
    cost.worst_ns = *middle;
    return cost;
}

} // namespace bench
