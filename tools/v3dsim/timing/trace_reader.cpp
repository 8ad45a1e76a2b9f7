// SPDX-License-Identifier: BSD-2-Clause
#include "trace_reader.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <stdexcept>

namespace v3dtiming {
namespace {

struct MemoryLetter {
    char letter;
    Access access;
    Space space;
};
constexpr MemoryLetter kMemoryLetters[] = {
    {'R', Access::Load, Space::Buffer},     {'W', Access::Store, Space::Buffer},  {'A', Access::Atomic, Space::Buffer},
    {'X', Access::Load, Space::Texture},    {'Y', Access::Store, Space::Texture}, {'Z', Access::Atomic, Space::Texture},
    {'r', Access::Load, Space::Scratch},    {'w', Access::Store, Space::Scratch}, {'s', Access::Load, Space::Shared},
    {'t', Access::Store, Space::Shared},    {'a', Access::Atomic, Space::Shared}, {'v', Access::Load, Space::Uniform},
    {'p', Access::Prefetch, Space::Buffer},
};

struct PlainLetter {
    char letter;
    Kind kind;
};
constexpr PlainLetter kPlainLetters[] = {
    {'u', Kind::Uniform}, {'f', Kind::Special}, {'l', Kind::TakeResult}, {'k', Kind::WaitStores},
    {'T', Kind::Switch},  {'P', Kind::Barrier}, {'j', Kind::Branch},
};

template <typename Row, std::size_t N>
const Row *row_of(const Row (&table)[N], char letter) {
    for (const Row &row : table)
        if (row.letter == letter)
            return &row;
    return nullptr;
}

std::uint32_t number(const char *&text, int base) {
    char *end;
    const unsigned long value = std::strtoul(text, &end, base);
    if (end == text)
        throw std::runtime_error("a number is missing");
    text = end;
    return static_cast<std::uint32_t>(value);
}

void expect(const char *&text, char c) {
    if (*text != c)
        throw std::runtime_error(std::string("expected '") + c + "'");
    text++;
}

void widen_scratch(Batch &batch, const Event &event) {
    for (std::uint32_t i = 0; i < event.line_count; i++) {
        const std::uint32_t line = batch.lines[event.first_line + i];
        batch.scratch_line = std::min(batch.scratch_line, line);
        batch.scratch_end = std::max(batch.scratch_end, line);
    }
}

} // namespace

void TraceReader::fail(const std::string &what) const {
    throw std::runtime_error("trace, line " + std::to_string(line_number_) + ": " + what);
}

bool TraceReader::get_line(std::string &line) {
    line_number_++;
    return static_cast<bool>(std::getline(input_, line));
}

Job TraceReader::parse_job(const std::string &line) const {
    std::istringstream words(line.substr(1));
    std::map<std::string, std::string> fields;
    for (std::string word; words >> word;) {
        const auto equals = word.find('=');
        if (equals == std::string::npos)
            fail("expected NAME=VALUE");
        fields[word.substr(0, equals)] = word.substr(equals + 1);
    }
    Job job;
    job.code = fields.at("code");
    job.number = std::stoull(fields.at("job"));
    job.threads = static_cast<unsigned>(std::stoul(fields.at("threads")));
    job.supergroups = std::stoull(fields.at("supergroups"));
    job.batches = std::stoull(fields.at("batches"));
    return job;
}

// "R4x16:4@1a40+3,1a90" behind its letter.
Event TraceReader::parse_memory(const char *&text, Batch &batch) const {
    Event event;
    event.kind = Kind::Memory;
    event.words = static_cast<std::uint8_t>(number(text, 10));
    expect(text, 'x');
    number(text, 10); // lanes
    expect(text, ':');
    number(text, 10); // bytes of an element
    expect(text, '@');
    event.first_line = static_cast<std::uint32_t>(batch.lines.size());
    while (std::isxdigit(static_cast<unsigned char>(*text))) {
        const std::uint32_t line = number(text, 16);
        std::uint32_t more = 0;
        if (*text == '+')
            more = number(++text, 10);
        for (std::uint32_t i = 0; i <= more; i++)
            batch.lines.push_back(line + i);
        if (*text == ',')
            text++;
    }
    event.line_count = static_cast<std::uint32_t>(batch.lines.size()) - event.first_line;
    return event;
}

Batch TraceReader::parse_batch(const char *text) const {
    Batch batch;
    number(text, 10); // index
    while (*text == ' ') {
        const char letter = *++text;
        if (letter == '\0')
            break;
        text++;
        if (letter == 'i') {
            Event issue;
            issue.count = number(text, 10);
            batch.events.push_back(issue);
        } else if (const MemoryLetter *memory = row_of(kMemoryLetters, letter)) {
            Event event = parse_memory(text, batch);
            event.access = memory->access;
            event.space = memory->space;
            if (event.space == Space::Scratch)
                widen_scratch(batch, event);
            batch.events.push_back(event);
        } else if (const PlainLetter *plain = row_of(kPlainLetters, letter)) {
            Event event;
            event.kind = plain->kind;
            batch.events.push_back(event);
        } else {
            fail(std::string("unknown event '") + letter + "'");
        }
    }
    if (*text != '\0')
        fail("text behind the last event");
    return batch;
}

std::optional<Job> TraceReader::next() {
    std::string line;
    do {
        if (!get_line(line))
            return std::nullopt;
    } while (line.empty());
    if (line[0] != 'J')
        fail("expected a job");
    Job job = parse_job(line);
    while (get_line(line) && line != "E") {
        if (line[0] == 'S')
            job.traced.push_back({std::stoull(line.substr(1)), {}});
        else if (line[0] == 'B' && !job.traced.empty())
            try {
                const char *text = line.c_str() + 2;
                job.traced.back().batches.push_back(parse_batch(text));
            } catch (const std::runtime_error &error) {
                fail(error.what());
            }
        else
            fail("expected S, B or E");
    }
    return job;
}

} // namespace v3dtiming
