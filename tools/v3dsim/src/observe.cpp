// SPDX-License-Identifier: BSD-2-Clause
#include "observe.h"

namespace v3dsim {
namespace {

constexpr uint32_t line_bytes = 64;

// Distinct cache lines, in order of first use.
void collect_lines(const Access &a, AccessRecord &r) {
    r.line_count = 0;
    for (unsigned l = 0; l < lanes; l++) {
        if (!(a.enabled >> l & 1))
            continue;
        const uint32_t span = a.element == 4 ? 4u * a.words : a.element;
        const uint32_t last = (a.address[l] + span - 1) / line_bytes;
        for (uint32_t line = a.address[l] / line_bytes; line <= last; line++) {
            unsigned i = 0;
            while (i < r.line_count && r.lines[i] != line)
                i++;
            if (i == r.line_count && i < std::size(r.lines))
                r.lines[r.line_count++] = line;
        }
    }
}

} // namespace

Traffic Classifier::classify(const Access &a, uint32_t address) {
    const auto kind = static_cast<unsigned>(a.type);
    if (a.uniform)
        return Traffic::UniformLoad;
    if (a.prefetch)
        return Traffic::Prefetch;
    if (a.texture)
        return static_cast<Traffic>(static_cast<unsigned>(Traffic::TextureLoad) + kind);
    const uint32_t handle = memory_.owner(address);
    if (scratch_ && handle == scratch_)
        return a.type == Access::Type::Load ? Traffic::ScratchLoad : Traffic::ScratchStore;
    if (layer_) {
        auto known = application_.find(handle);
        if (known == application_.end())
            known = application_.emplace(handle, memory_.at(address).application).first;
        // Memory that the driver allocated for itself, and that a kernel accesses by address: shared variables.
        // (Loads of push constants by a run-time index go to such memory as well.)
        if (!known->second)
            return static_cast<Traffic>(static_cast<unsigned>(Traffic::SharedLoad) + kind);
    }
    return static_cast<Traffic>(kind);
}

void JobObserver::flush(Thread &t, std::string &out) {
    if (t.issued)
        out += " i" + std::to_string(t.issued);
    t.issued = 0;
}

bool JobObserver::access(Thread &t, const Access &a, const LaneMask *stored, LaneMask *undefined) {
    if (a.enabled) {
        AccessRecord r;
        const auto first = static_cast<unsigned>(__builtin_ctz(a.enabled));
        r.traffic = classifier_.classify(a, a.address[first]);
        r.words = a.words;
        r.active = static_cast<unsigned>(__builtin_popcount(a.enabled));
        r.element = a.element;
        collect_lines(a, r);
        TrafficCounters &c = traffic[static_cast<size_t>(r.traffic)];
        c.ops++;
        c.lanes += r.active;
        c.words += uint64_t{r.active} * a.words;
        c.bytes += uint64_t{r.active} * a.words * a.element;
        c.lines += r.line_count;
        if (std::string *out = trace_of(t.batch)) {
            flush(t, *out);
            *out += " " + format_access(r);
        }
    }
    return !checker_ || a.prefetch || checker_->access(t, a, stored, undefined);
}

void JobObserver::event(Thread &t, char kind) {
    std::string *out = trace_of(t.batch);
    if (!out)
        return;
    flush(t, *out);
    if (kind != 'E') {
        *out += ' ';
        *out += kind;
    }
}

} // namespace v3dsim
