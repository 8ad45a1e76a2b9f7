// SPDX-License-Identifier: BSD-2-Clause
#include "util/trace.h"

#include "util/clock.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace dd {
namespace {

template <typename Body>
void unless_it_throws(Body &&body) noexcept {
    try {
        body();
    } catch (...) { // nothing depends on a timeline
    }
}

constexpr int kCpu = 1, kGpu = 2; // "processes" of the timeline

struct CloseFile {
    void operator()(std::FILE *file) const { std::fclose(file); }
};

std::string thread_name() {
    std::array<char, 32> name{};
    pthread_getname_np(pthread_self(), name.data(), name.size());
    return name.data();
}

void write_name(std::FILE *file, const char *what, int process, long thread, const std::string &name) {
    std::string plain = name;
    std::ranges::replace_if(
        plain, [](char c) { return c == '"' || c == '\\' || c < ' '; }, '_');
    std::fprintf(file, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%ld,\"args\":{\"name\":\"%s\"}},\n", what,
                 process, thread, plain.c_str());
}

void write_span(std::FILE *file, int process, long thread, std::string_view name, double begin, double end,
                std::uint64_t frame) {
    std::fprintf(file,
                 "{\"ph\":\"X\",\"name\":\"%.*s\",\"pid\":%d,\"tid\":%ld,\"ts\":%.3f,\"dur\":%.3f,"
                 "\"args\":{\"frame\":%" PRIu64 "}},\n",
                 static_cast<int>(name.size()), name.data(), process, thread, begin / 1000, (end - begin) / 1000,
                 frame);
}

} // namespace

std::vector<double> GpuTimeline::dispatch_times() const {
    std::vector<double> times;
    for (std::size_t i = 1; i + 1 < spans.size(); i++)
        times.push_back(spans[i].end - spans[i].begin);
    return times;
}

std::unique_ptr<Trace> Trace::open(const std::string &path) {
    return path.empty() ? nullptr : std::make_unique<Trace>(path);
}

Trace::~Trace() {
    unless_it_throws([&] { write(); });
}

std::int64_t Trace::now() {
    return wall_ns();
}

void Trace::add_span(const char *name, std::int64_t begin, std::uint64_t frame) {
    const std::int64_t end = now();
    static thread_local const long thread = syscall(SYS_gettid);
    const std::lock_guard lock(mutex_);
    if (threads_.find(thread) == threads_.end())
        threads_[thread] = thread_name();
    events_.push_back({name, begin, end, frame, thread});
}

void Trace::span(const char *name, std::int64_t begin, std::uint64_t frame) noexcept {
    unless_it_throws([&] { add_span(name, begin, frame); });
}

void Trace::gpu(GpuTimeline timeline, std::uint64_t frame) noexcept {
    unless_it_throws([&] {
        const std::lock_guard lock(mutex_);
        gpu_.emplace_back(frame, std::move(timeline));
    });
}

// What to add to the GPU's clock: no work begins before it is submitted, and some of it begins at once.
double Trace::gpu_clock() const {
    double offset = 0;
    bool first = true;
    for (const auto &[frame, timeline] : gpu_) {
        if (timeline.spans.empty())
            continue;
        const double earliest = static_cast<double>(timeline.submitted) - timeline.spans.front().begin;
        offset = first ? earliest : std::max(offset, earliest);
        first = false;
    }
    return offset;
}

void Trace::write() const {
    const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path_.c_str(), "w"));
    if (!file)
        return;
    std::fprintf(file.get(), "[\n");
    write_name(file.get(), "process_name", kCpu, 0, "CPU");
    write_name(file.get(), "process_name", kGpu, 0, "GPU");
    write_name(file.get(), "thread_name", kGpu, 1, "queue");
    for (const auto &[thread, name] : threads_)
        write_name(file.get(), "thread_name", kCpu, thread, name);
    for (const Event &event : events_)
        write_span(file.get(), kCpu, event.thread, event.name, static_cast<double>(event.begin),
                   static_cast<double>(event.end), event.frame);
    const double offset = gpu_clock();
    for (const auto &[frame, timeline] : gpu_)
        for (const GpuTimeline::Span &span : timeline.spans)
            write_span(file.get(), kGpu, 1, span.name, span.begin + offset, span.end + offset, frame);
    std::fprintf(file.get(), "{\"ph\":\"M\",\"name\":\"end\",\"pid\":%d,\"tid\":0,\"args\":{}}\n]\n", kCpu);
}

} // namespace dd
