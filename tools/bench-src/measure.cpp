// SPDX-License-Identifier: BSD-2-Clause
#include "measure.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <thread>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// The CPU's side of a work, on a picture of its own.
class CpuSide {
  public:
    CpuSide(const Work &work, bool simd)
        : work_(work), dsp_(work.layout().format.bit_depth, simd), dst_(work.before.size()) {}

    double run() {
        std::memcpy(dst_.data(), work_.before.data(), dst_.size());
        work_.prepare();
        const auto start = Clock::now();
        work_.run(dsp_, dst_.data());
        return since(start);
    }
    const PixelBuffer &picture() const { return dst_; }
    bool equals(const PixelBuffer &other) const { return work_.difference(dst_.data(), other.data()).empty(); }

  private:
    const Work &work_;
    Dsp dsp_;
    PixelBuffer dst_;
};

// Median time of runs over at least `seconds`, the output of each compared with `expected`.
double time_cpu(CpuSide &side, const PixelBuffer &expected, double seconds) {
    std::vector<double> times;
    const auto start = Clock::now();
    do {
        times.push_back(side.run());
        if (!side.equals(expected))
            throw std::runtime_error("the decoder's own functions don't agree with each other");
    } while (since(start) < seconds || times.size() < 3);
    return median(times);
}

void time_gpu(Gpu::Job &job, const PixelBuffer &expected, double seconds, Figures &figures) {
    std::vector<double> walls, kernels;
    const auto start = Clock::now();
    do {
        const Times times = job.run();
        job.check(expected);
        walls.push_back(times.wall);
        kernels.push_back(times.kernel);
    } while (since(start) < seconds || walls.size() < 3);
    figures.runs = static_cast<unsigned>(walls.size());
    const double kernel = median(kernels);
    figures.gpu_clock = kernel > 0;
    figures.gpu_wall = figures.pixels / median(walls);
    figures.gpu = figures.gpu_clock ? figures.pixels / kernel : figures.gpu_wall;
}

// Both sides work on batches of their own for the same time; what each gets done.
void time_both(Gpu::Job &job, CpuSide &side, const PixelBuffer &expected, double seconds, Figures &figures) {
    std::atomic<bool> stop{false};
    std::exception_ptr thrown;
    unsigned gpu_runs = 0;
    double gpu_seconds = 0;
    std::thread gpu_thread([&] {
        try {
            const auto start = Clock::now();
            do {
                job.run();
                job.check(expected);
                gpu_runs++;
            } while (!stop);
            gpu_seconds = since(start);
        } catch (...) {
            thrown = std::current_exception();
        }
    });
    unsigned cpu_runs = 0;
    const auto start = Clock::now();
    do {
        side.run();
        cpu_runs++;
    } while (since(start) < seconds);
    const double cpu_seconds = since(start);
    stop = true;
    gpu_thread.join();
    if (thrown)
        std::rethrow_exception(thrown);
    if (!side.equals(expected))
        throw std::runtime_error("the decoder's functions differ when both sides run");
    figures.both_gpu = gpu_runs * figures.pixels / gpu_seconds;
    figures.both_simd = cpu_runs * figures.pixels / cpu_seconds;
}

} // namespace

Figures measure(Gpu &gpu, const Work &work, double seconds) {
    Figures figures;
    figures.name = work.name;
    figures.pixels = work.pixels;
    figures.blocks = work.blocks;
    try {
        CpuSide plain(work, false), simd(work, true);
        plain.run();
        const PixelBuffer &expected = plain.picture();
        figures.simd = work.pixels / time_cpu(simd, expected, seconds);
        Gpu::Job job(gpu, work);
        figures.dispatches = job.dispatches();
        job.run(); // pipelines are made at the first use
        time_gpu(job, expected, seconds, figures);
        time_both(job, simd, expected, seconds, figures);
        // Last: `expected` lies in its picture.
        PixelBuffer kept(expected.size());
        std::memcpy(kept.data(), expected.data(), kept.size());
        figures.plain_c = work.pixels / time_cpu(plain, kept, 0);
    } catch (const std::exception &error) {
        figures.problem = error.what();
    }
    return figures;
}

Overhead measure_overhead(Gpu &gpu, const Work &small) {
    constexpr unsigned more = 32;
    constexpr int rounds = 40;
    Gpu::Job job(gpu, small);
    job.run();
    std::vector<double> one, many;
    for (int i = 0; i < rounds; i++) {
        one.push_back(job.run(1).wall);
        many.push_back(job.run(1 + more).wall);
    }
    return {median(one), std::max(0.0, median(many) - median(one)) / more};
}

} // namespace bench
