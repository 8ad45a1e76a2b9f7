// SPDX-License-Identifier: BSD-2-Clause
//
// A timeline of what threads and the GPU do, in Chrome's trace format (DAEDALUS_TRACE). Off, it costs a test of a
// pointer.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace dd {

// What the GPU did for one submit, by the GPU's own clock, in nanoseconds.
struct GpuTimeline {
    struct Span {
        std::string_view name;
        double begin, end;
    };
    std::vector<Span> spans;
    std::int64_t submitted = 0; // by Trace::now()

    // Nanoseconds of each dispatch: all but the uploads before and the downloads after them.
    std::vector<double> dispatch_times() const;
};

class Trace {
  public:
    // nullptr: no path.
    static std::unique_ptr<Trace> open(const std::string &path);
    explicit Trace(std::string path) : path_(std::move(path)) {}
    // Writes the file.
    ~Trace();
    Trace(const Trace &) = delete;
    Trace &operator=(const Trace &) = delete;

    static std::int64_t now(); // nanoseconds
    // From `begin` to now, on the calling thread. The name lives as long as the process.
    // What there is no memory for is missing from the file.
    void span(const char *name, std::int64_t begin, std::uint64_t frame) noexcept;
    void gpu(GpuTimeline timeline, std::uint64_t frame) noexcept;

  private:
    struct Event {
        std::string_view name;
        std::int64_t begin, end;
        std::uint64_t frame;
        long thread;
    };
    void add_span(const char *name, std::int64_t begin, std::uint64_t frame);
    double gpu_clock() const;
    void write() const;

    std::string path_;
    mutable std::mutex mutex_; // of what follows
    std::vector<Event> events_;
    std::vector<std::pair<std::uint64_t, GpuTimeline>> gpu_;
    std::map<long, std::string> threads_;
};

// A span of the scope that it lives in.
class TraceScope {
  public:
    TraceScope(Trace *trace, const char *name, std::uint64_t frame)
        : trace_(trace), name_(name), frame_(frame), begin_(trace ? Trace::now() : 0) {}
    ~TraceScope() {
        if (trace_)
            trace_->span(name_, begin_, frame_);
    }
    TraceScope(const TraceScope &) = delete;
    TraceScope &operator=(const TraceScope &) = delete;

  private:
    Trace *trace_;
    const char *name_;
    std::uint64_t frame_;
    std::int64_t begin_;
};

} // namespace dd
