// SPDX-License-Identifier: BSD-2-Clause
#include "av1/intra_schedule.h"

#include <algorithm>
#include <numeric>

namespace dd {

void Av1IntraSchedule::move_record(DdAv1IntraRecord &record, const First &first) {
    for (unsigned plane = 0; plane < 2; plane++)
        if (!(record.how & DD_AV1_INTRA_DC_ALONE << plane))
            record.residual[plane] += first.word;
    const unsigned mode = av1_intra_mode(record);
    record.extra += mode == DD_AV1_DO_CFL || mode == DD_AV1_DO_SUMS ? first.word : first.mask;
}

// The places of each level and class are known.
void Av1IntraSchedule::make_groups(std::size_t levels) {
    groups.clear();
    first_group.clear();
    for (std::size_t level = 0; level < levels; level++) {
        first_group.push_back(static_cast<std::uint32_t>(groups.size()));
        for (std::uint32_t c = 0; c < DD_AV1_INTRA_CLASSES; c++) {
            const std::size_t at = level * DD_AV1_INTRA_CLASSES + c;
            const std::uint32_t lanes = (next_[at + 1] - next_[at]) << c;
            for (std::uint32_t lane = 0; lane < lanes; lane += DD_AV1_INTRA_LANES)
                groups.push_back({next_[at] * DD_AV1_INTRA_RECORD_WORDS, lane, lanes, c});
        }
    }
    first_group.push_back(static_cast<std::uint32_t>(groups.size()));
}

void Av1IntraSchedule::build(const Av1Recon &recon) {
    const std::size_t levels = recon.highest_intra_level();
    const auto place = [](const Av1IntraStep &step) {
        return (step.level - 1) * std::size_t{DD_AV1_INTRA_CLASSES} + av1_intra_class(step.record);
    };
    next_.clear();
    next_.extend(levels * DD_AV1_INTRA_CLASSES + 1);
    std::ranges::fill(next_, 0u);
    std::size_t count = 0;
    for (const Av1Recorder &recorder : recon.recorders) {
        count += recorder.intra_steps.size();
        for (const Av1IntraStep &step : recorder.intra_steps)
            next_[place(step)]++;
    }
    std::exclusive_scan(next_.begin(), next_.end(), next_.begin(), 0u);
    make_groups(levels);

    // Each step goes to the first free place of its own.
    order_.resize(count);
    first_.clear();
    words = 0;
    std::uint32_t masks = 0;
    for (std::uint32_t r = 0; r < recon.recorders.size(); r++) {
        const Av1Recorder &recorder = recon.recorders[r];
        for (std::uint32_t step = 0; step < recorder.intra_steps.size(); step++)
            order_[next_[place(recorder.intra_steps[step])]++] = {r, step};
        first_.push_back({words, masks});
        words += recorder.intra_words;
        masks += static_cast<std::uint32_t>(recorder.masks.size());
    }
}

} // namespace dd
