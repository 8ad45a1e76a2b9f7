// SPDX-License-Identifier: BSD-2-Clause
#include "frame/statistics.h"

#include "scheduler/plan.h"

#include <algorithm>
#include <cinttypes>

namespace dd {
namespace {

constexpr std::array<const char *, DD_STAGES> unit = {"predictions", "transforms", "superblocks", "superblocks",
                                                      "superblocks"};

constexpr std::array<const char *, DD_STAGES> stage_words = {"motion compensation", "transforms", "loop filter", "CDEF",
                                                             "restoration"};

constexpr std::array<const char *, DD_AV1_REFUSALS> refusal = {
    "were reconstructed on the CPU: references of another size",
    "were reconstructed on the CPU: references that the GPU can't read",
    "were reconstructed on the CPU: only one pass with these threads",
    "stayed on the CPU: super-resolution",
    "were reconstructed on the CPU: more dispatches than the profile allows",
    "were reconstructed on the CPU: more work than the device may be given at once",
};

bool has_share(unsigned stage, const FrameRecord &frame) {
    if (frame.absent >> stage & 1)
        return false;
    return stage == DD_STAGE_MC || stage == DD_STAGE_ITX ? !frame.intra_only : frame.filtered;
}

} // namespace

void Statistics::count(const FrameRecord &frame) {
    const std::lock_guard lock(mutex_);
    stats_.submits += frame.submits;
    stats_.dispatches += frame.dispatches;
    stats_.max_submits = std::max(stats_.max_submits, frame.submits);
    stats_.max_dispatches = std::max(stats_.max_dispatches, frame.dispatches);
    if (frame.outcome == DD_OUTCOME_DROPPED)
        return;
    stats_.frames++;
    const bool rerun = frame.outcome == DD_OUTCOME_RERUN;
    stats_.rerun_frames += rerun;
    early_ += frame.early;
    bool any = false;
    for (unsigned stage = 0; stage < stages_; stage++) {
        if (!has_share(stage, frame))
            continue;
        const bool on_gpu = frame.plan.side[stage] == DD_SIDE_GPU && !rerun;
        any |= on_gpu;
        (on_gpu ? stats_.gpu_stage_frames : stats_.cpu_frames)[stage]++;
        if (on_gpu)
            stats_.gpu_blocks[stage] += frame.blocks[stage];
    }
    stats_.gpu_frames += any;
    if (!rerun)
        residuals_kept_ += frame.residuals_kept;
    if (frame.refusal)
        refusals_[*frame.refusal]++;
}

void Statistics::count_out_of_range() {
    const std::lock_guard lock(mutex_);
    out_of_range_++;
}

void Statistics::count_beyond_limits() {
    const std::lock_guard lock(mutex_);
    beyond_limits_++;
}

DdStats Statistics::get() const {
    const std::lock_guard lock(mutex_);
    return stats_;
}

void Statistics::tell_in_words(const Log &log, const std::string &device, const std::string &plan,
                               bool disabled) const {
    std::string gpu, cpu;
    const auto add = [](std::string &list, const std::string &item) { list += (list.empty() ? "" : ", ") + item; };
    for (unsigned stage = 0; stage < stages_; stage++) {
        const std::uint64_t on_gpu = stats_.gpu_stage_frames[stage], all = on_gpu + stats_.cpu_frames[stage];
        if (on_gpu)
            add(gpu, std::string(stage_words[stage]) + " of " + std::to_string(on_gpu) + " of " + std::to_string(all) +
                         " frames");
        else if (all)
            add(cpu, stage_words[stage]);
    }
    const std::string why = disabled                  ? "the GPU was given up"
                            : early_ == stats_.frames ? "the GPU wasn't ready"
                                                      : "plan " + plan;
    log.line(DD_LOG_VERBOSE, "on %s: %s%s", device.c_str(), gpu.empty() ? "nothing" : gpu.c_str(),
             cpu.empty() ? "" : ("; on the CPU: " + cpu + " (" + why + ")").c_str());
}

void Statistics::tell_stage(const Log &log, unsigned stage, const std::string &device) const {
    log.line(DD_LOG_VERBOSE, "%s: %" PRIu64 " %s in %" PRIu64 " frames on %s, %" PRIu64 " frames on the CPU",
             stage_name(stage), stats_.gpu_blocks[stage], unit[stage], stats_.gpu_stage_frames[stage], device.c_str(),
             stats_.cpu_frames[stage]);
}

void Statistics::tell(const Log &log, const std::string &device, const std::string &plan, bool disabled,
                      std::uint64_t itx_backed_off) const {
    const std::lock_guard lock(mutex_);
    if (stats_.frames == 0)
        return;
    tell_in_words(log, device, plan, disabled);
    log.line(DD_LOG_VERBOSE, "%" PRIu64 " frames, %" PRIu64 " with work on %s, %" PRIu64 " run again on the CPU%s",
             stats_.frames, stats_.gpu_frames, device.c_str(), stats_.rerun_frames,
             disabled ? "; the GPU was given up" : "");
    for (unsigned stage = 0; stage < stages_; stage++)
        tell_stage(log, stage, device);
    if (early_)
        log.line(DD_LOG_VERBOSE, "%" PRIu64 " frames stayed on the CPU: they began before the GPU was ready", early_);
    if (out_of_range_)
        log.line(DD_LOG_VERBOSE, "%" PRIu64 " frames had residuals out of the range in which all decoders agree",
                 out_of_range_);
    if (beyond_limits_)
        log.line(DD_LOG_VERBOSE, "%" PRIu64 " frames stayed on the CPU: more work than the device may be given at once",
                 beyond_limits_);
    if (itx_backed_off)
        log.line(DD_LOG_VERBOSE, "%" PRIu64 " frames' residuals stayed on the CPU after several such frames in a row",
                 itx_backed_off);
    if (residuals_kept_)
        log.line(DD_LOG_VERBOSE, "itx: of those frames, %" PRIu64 " transforms on the CPU: inter-intra prediction",
                 residuals_kept_);
    for (unsigned why = 0; why < DD_AV1_REFUSALS; why++)
        if (refusals_[why])
            log.line(DD_LOG_VERBOSE, "%" PRIu64 " frames %s", refusals_[why], refusal[why]);
    const double frames = static_cast<double>(std::max<std::uint64_t>(stats_.gpu_frames, 1));
    log.line(DD_LOG_VERBOSE, "%.2f submits and %.2f dispatches a frame with GPU work, at most %u and %u",
             static_cast<double>(stats_.submits) / frames, static_cast<double>(stats_.dispatches) / frames,
             stats_.max_submits, stats_.max_dispatches);
}

} // namespace dd
