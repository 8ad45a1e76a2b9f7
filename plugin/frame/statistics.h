// SPDX-License-Identifier: BSD-2-Clause
//
// What ran where, over a session.
#pragma once
#include "daedalus/daedalus.h"
#include "util/log.h"

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace dd {

// Of one frame that has ended.
struct FrameRecord {
    DdPlan plan{};
    DdOutcome outcome = DD_OUTCOME_DONE;
    bool intra_only = false, filtered = false;
    bool early = false;                            // the GPU wasn't there yet
    std::uint8_t absent = 0;                       // bit s: the frame has nothing of stage s
    std::array<std::uint64_t, DD_STAGES> blocks{}; // of stages on the GPU
    std::uint32_t submits = 0, dispatches = 0;
    std::uint64_t residuals_kept = 0;    // AV1: by the CPU, of frames whose others were the GPU's
    std::optional<DdAv1Refusal> refusal; // AV1: why the recon phase wasn't the GPU's
};

class Statistics {
  public:
    explicit Statistics(unsigned stages) : stages_(stages) {}
    void count(const FrameRecord &frame);
    void count_out_of_range();
    void count_beyond_limits();
    DdStats get() const;
    // One line in words, then figures. The arguments are names, and what the Scheduler says.
    void tell(const Log &log, const std::string &device, const std::string &plan, bool disabled,
              std::uint64_t itx_backed_off) const;

  private:
    void tell_in_words(const Log &log, const std::string &device, const std::string &plan, bool disabled) const;
    void tell_stage(const Log &log, unsigned stage, const std::string &device) const;

    const unsigned stages_;
    mutable std::mutex mutex_;
    DdStats stats_{};
    std::uint64_t early_ = 0, out_of_range_ = 0, beyond_limits_ = 0, residuals_kept_ = 0;
    std::array<std::uint64_t, DD_AV1_REFUSALS> refusals_{};
};

} // namespace dd
