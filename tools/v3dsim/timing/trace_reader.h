// SPDX-License-Identifier: BSD-2-Clause
//
// Reads the event traces that the simulator writes; the format is defined in ../src/trace.h.
#pragma once
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

namespace v3dtiming {

enum class Kind : std::uint8_t { Issue, Uniform, Special, Memory, TakeResult, WaitStores, Switch, Barrier, Branch };
enum class Access : std::uint8_t { Load, Store, Atomic, Prefetch };
enum class Space : std::uint8_t { Buffer, Texture, Scratch, Shared, Uniform };

struct Event {
    Kind kind = Kind::Issue;
    Access access = Access::Load;
    Space space = Space::Buffer;
    std::uint8_t words = 0;       // words that each lane moves
    std::uint32_t count = 0;      // instructions of Issue
    std::uint32_t first_line = 0; // of Batch::lines
    std::uint32_t line_count = 0;
};

struct Batch {
    std::vector<Event> events;
    std::vector<std::uint32_t> lines;        // 64-byte line numbers
    std::uint32_t scratch_line = UINT32_MAX; // the lowest and the highest one of the batch's scratch
    std::uint32_t scratch_end = 0;
};

struct Supergroup {
    std::uint64_t index = 0;
    std::vector<Batch> batches;
};

struct Job {
    std::string code; // hash of the program
    std::uint64_t number = 0;
    unsigned threads = 4;
    std::uint64_t supergroups = 0; // of the whole dispatch; not all of them need be traced
    std::uint64_t batches = 0;
    std::vector<Supergroup> traced;
};

class TraceReader {
  public:
    explicit TraceReader(std::istream &input) : input_(input) {}
    std::optional<Job> next();

  private:
    std::istream &input_;
    std::uint64_t line_number_ = 0;

    bool get_line(std::string &line);
    [[noreturn]] void fail(const std::string &what) const;
    Job parse_job(const std::string &line) const;
    Batch parse_batch(const char *text) const;
    Event parse_memory(const char *&text, Batch &batch) const;
};

} // namespace v3dtiming
