// SPDX-License-Identifier: BSD-2-Clause
#include "vp9/intra_schedule.h"

#include <algorithm>
#include <numeric>

namespace dd {

void Vp9IntraSchedule::build(const Vp9Batch &batch) {
    levels = {};
    std::size_t count = 0;
    for (const Vp9Recorder &recorder : batch.recorders) {
        for (unsigned p = 0; p < levels.size(); p++)
            levels[p] = std::max(levels[p], recorder.intra_levels[p]);
        count += recorder.intra.size();
    }
    const auto place = [&](const Vp9IntraStep &step) {
        return ((step.record.dst & 1 ? levels[0] : 0) + step.level - 1) * DD_INTRA_SIZES + intra_size(step.record.how);
    };
    table.assign((levels[0] + levels[1]) * DD_INTRA_SIZES + 1, 0);
    for (const Vp9Recorder &recorder : batch.recorders)
        for (const Vp9IntraStep &step : recorder.intra)
            table[place(step)]++;
    std::exclusive_scan(table.begin(), table.end(), table.begin(), 0u);

    // Each record goes to the first free place; the table is moved back by one place then.
    records.resize(count);
    std::uint32_t words = 0;
    for (const Vp9Recorder &recorder : batch.recorders) {
        for (const Vp9IntraStep &step : recorder.intra) {
            DdIntraRecord &record = records[table[place(step)]++];
            record = step.record;
            record.residual += words;
            record.residual_v += words;
        }
        words += recorder.intra_words;
    }
    std::copy_backward(table.begin(), table.end() - 1, table.end());
    table.front() = 0;
}

} // namespace dd
