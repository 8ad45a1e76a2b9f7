// SPDX-License-Identifier: BSD-2-Clause
//
// What watches a job while it runs: counts its memory traffic, writes its trace, and passes its accesses to the
// checker.
#pragma once
#include "check.h"
#include "execute.h"
#include "memory.h"
#include "trace.h"

namespace v3dsim {

// Which buffer objects are what, for the duration of a job.
class Classifier {
  public:
    Classifier(Memory &memory, uint32_t scratch_handle, bool layer)
        : memory_(memory), scratch_(scratch_handle), layer_(layer) {}
    Traffic classify(const Access &a, uint32_t address);

  private:
    Memory &memory_;
    const uint32_t scratch_;
    const bool layer_;
    std::unordered_map<uint32_t, bool> application_; // by handle
};

class JobObserver : public Observer {
  public:
    // `checker` and `per_instruction` may be nullptr.
    JobObserver(Classifier classifier, Checker *checker) : classifier_(std::move(classifier)), checker_(checker) {}

    bool access(Thread &t, const Access &a, const LaneMask *stored, LaneMask *undefined) override;
    void event(Thread &t, char kind) override;
    bool undefined_use(Thread &t, const char *what, LaneMask lanes_affected) override {
        return !checker_ || checker_->undefined_use(t, what, lanes_affected);
    }

    // Events of a batch go to `out` until called again; nullptr: they are dropped. One place for each batch slot.
    std::string *trace_of(uint32_t batch) { return batch < traces_.size() ? &traces_[batch] : nullptr; }
    void trace_batches(uint32_t count) { traces_.assign(count, {}); }
    std::array<TrafficCounters, traffic_count> traffic{};

  private:
    void flush(Thread &t, std::string &out);

    Classifier classifier_;
    Checker *checker_;
    std::vector<std::string> traces_;
};

} // namespace v3dsim
