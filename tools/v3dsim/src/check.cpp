// SPDX-License-Identifier: BSD-2-Clause
#include "check.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace v3dsim {
namespace {

// More findings than this stop the job; until then it goes on, so that one run shows several.
constexpr unsigned finding_limit = 8;

std::string hex(uint32_t value) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", value);
    return text;
}

std::string who(const Thread &t, unsigned lane) {
    return "workgroup " + std::to_string(t.workgroup[lane]) + ", invocation " + std::to_string(t.invocation[lane]);
}

const char *name(Access::Type type) {
    return type == Access::Type::Load ? "load" : type == Access::Type::Store ? "store" : "atomic access";
}

} // namespace

Checker::Checker(Memory &memory, const Settings &settings) : memory_(memory), settings_(settings) {}

void Checker::begin_job(const BoundRanges *ranges, uint32_t scratch_handle) {
    ranges_ = ranges;
    scratch_handle_ = scratch_handle;
    job_++;
    findings_ = 0;
    first_.clear();
    last_unwritten_.clear();
    places_.clear();
}

std::string Checker::origin() const {
    return last_unwritten_.empty() ? " (a register)" : " (last load of such a word: " + last_unwritten_ + ")";
}

std::string Checker::summary() const {
    return first_ + (findings_ > 1 ? " (and " + std::to_string(findings_ - 1) + " more)" : "");
}

bool Checker::report(Thread &t, unsigned lane, const std::string &what) {
    const std::string text = what + " (" + who(t, lane) + ", instruction " + std::to_string(t.pc) + ")";
    if (findings_++ == 0)
        first_ = text;
    std::fprintf(stderr, "v3dsim: check: %s\n", text.c_str());
    if (findings_ < finding_limit)
        return true;
    t.error = summary();
    return false;
}

Checker::Place Checker::place(uint32_t address) {
    const uint32_t handle = memory_.owner(address);
    auto known = places_.find(handle);
    if (known == places_.end())
        known =
            places_.emplace(handle, Place{memory_.at(address).application, handle == scratch_handle_ && handle}).first;
    return known->second;
}

Checker::ByteState &Checker::state(uint32_t address) {
    std::unique_ptr<PageState> &page = pages_[address / Memory::page];
    if (!page)
        page = std::make_unique<PageState>();
    return page->bytes[address % Memory::page];
}

bool Checker::check_bounds(Thread &t, const Access &a, unsigned lane) {
    const uint32_t first = a.address[lane], bytes = a.element == 4 ? 4u * a.words : a.element;
    for (const BoundRange &r : *ranges_)
        if (first >= r.address && uint64_t{first} + bytes <= uint64_t{r.address} + r.size)
            return true;
    return report(t, lane, std::string(name(a.type)) + " at " + hex(first) + " outside the ranges that are bound");
}

bool Checker::check_race(Thread &t, const Access &a, unsigned lane, uint32_t address, unsigned bytes, uint32_t run,
                         bool application) {
    const bool writes = a.type != Access::Type::Load, atomic = a.type == Access::Type::Atomic;
    const uint32_t group = t.workgroup[lane], me = t.invocation[lane] + 1;
    const auto epoch = static_cast<uint16_t>(t.epoch);
    for (unsigned i = 0; i < bytes; i++) {
        ByteState &s = state(address + i);
        if (s.run != run)
            s = ByteState{run};
        const bool other_writer = s.writer && (s.writer != me || s.writer_group != group);
        const bool writer_ordered = s.writer_group == group && s.writer_epoch != epoch;
        const char *conflict = nullptr;
        if (other_writer && !writer_ordered && !(atomic && s.write_atomic))
            conflict = writes ? "written by two invocations without an order: also by"
                              : "read, and written without an order by";
        uint32_t other = s.writer, other_group = s.writer_group;
        if (!conflict && writes && s.reader && !(atomic && s.read_atomic)) {
            const bool other_reader = s.many_readers || s.reader != me || s.reader_group != group;
            const bool reader_ordered = !s.many_groups && s.reader_group == group && s.reader_epoch != epoch;
            if (other_reader && !reader_ordered) {
                conflict = "written, and read without an order by";
                other = s.reader;
                other_group = s.reader_group;
            }
        }
        if (conflict)
            return report(t, lane,
                          std::string(application ? "race: " : "race on shared memory: ") + hex(address + i) + " is " +
                              conflict + " workgroup " + std::to_string(other_group) + ", invocation " +
                              std::to_string(other - 1));
        if (writes) {
            s.writer = me;
            s.writer_group = group;
            s.writer_epoch = epoch;
            s.write_atomic = atomic;
            s.reader = 0;
            s.many_readers = s.many_groups = false;
        } else if (s.reader && s.reader_group == group && s.reader_epoch == epoch) {
            s.many_readers |= s.reader != me;
            s.read_atomic = false;
        } else {
            // Readers of an earlier epoch of the same workgroup are ordered before whatever comes now.
            s.many_groups = s.reader && s.reader_group != group;
            s.many_readers = s.many_groups;
            s.reader = me;
            s.reader_group = group;
            s.reader_epoch = epoch;
            s.read_atomic = false;
        }
    }
    return true;
}

LaneMask Checker::check_undefined(Thread &t, unsigned lane, uint32_t address, unsigned bytes, const Place &where) {
    // Whole words only: bytes that are written one at a time cannot be told from the pattern.
    const uint32_t word = address & ~3u;
    uint32_t value;
    std::memcpy(&value, memory_.base() + word, 4);
    (void)bytes;
    if (value == Memory::poison_word(word))
        return static_cast<LaneMask>(1u << lane);
    if (where.application)
        return 0;
    // The driver's own memory: shared and scratch memory lives as long as a supergroup. What the processor wrote
    // there (push constants) has never been written by a kernel.
    const ByteState &s = state(address);
    const bool stale = s.run != 0 && s.run != t.supergroup + 1 + job_ * 0x01000193u;
    return stale && s.writer ? static_cast<LaneMask>(1u << lane) : 0;
}

bool Checker::access(Thread &t, const Access &a, const LaneMask *stored, LaneMask *undefined) {
    const LaneMask real = a.enabled & static_cast<LaneMask>(~a.helpers);
    for (unsigned lane = 0; lane < lanes; lane++) {
        if (!(real >> lane & 1))
            continue;
        const Place where = place(a.address[lane]);
        if (settings_.check_bounds && ranges_ && where.application && !a.texture && !check_bounds(t, a, lane))
            return false;
        const uint32_t group_run = t.supergroup + 1 + job_ * 0x01000193u;
        const uint32_t run = where.application ? job_ : group_run;
        for (unsigned w = 0; w < a.words; w++) {
            const uint32_t address = a.address[lane] + 4 * w;
            if (settings_.check_undefined && a.type != Access::Type::Store) {
                const LaneMask u = check_undefined(t, lane, address, a.element, where);
                if (undefined)
                    undefined[w] |= u;
                if (u)
                    last_unwritten_ = std::string(where.application ? ""
                                                  : where.scratch   ? "scratch memory "
                                                                    : "the driver's memory ") +
                                      hex(address) + ", " + who(t, lane) + ", instruction " + std::to_string(t.pc);
                if (u && a.type == Access::Type::Atomic &&
                    !report(t, lane, "atomic access to " + hex(address) + ", which was never written"))
                    return false;
            }
            if (settings_.check_undefined && a.type != Access::Type::Load && stored && (stored[w] >> lane & 1)) {
                if (where.application &&
                    !report(t, lane, "a value that was never written is stored at " + hex(address) + origin()))
                    return false;
            }
            const bool track = settings_.check_race || (settings_.check_undefined && !where.application);
            if (track && !a.texture && !(where.scratch && !settings_.check_undefined)) {
                if (settings_.check_race && !where.scratch) {
                    if (!check_race(t, a, lane, address, a.element, run, where.application))
                        return false;
                } else if (a.type != Access::Type::Load) {
                    for (unsigned i = 0; i < a.element; i++) {
                        ByteState &s = state(address + i);
                        s = ByteState{run};
                        s.writer = t.invocation[lane] + 1;
                    }
                }
            }
        }
    }
    return true;
}

bool Checker::undefined_use(Thread &t, const char *what, LaneMask affected) {
    if (!settings_.check_undefined || !affected)
        return true;
    return report(t, static_cast<unsigned>(__builtin_ctz(affected)),
                  std::string("a value that was never written decides: ") + what + origin());
}

} // namespace v3dsim
