// SPDX-License-Identifier: BSD-2-Clause
//
// What the scheduler itself costs: plan `auto`, without a GPU or a decoder.
#pragma once

namespace bench {

struct SchedulerCost {
    double mean_ns = 0;  // CPU time of a frame's calls: its plan, its end
    double worst_ns = 0; // the most expensive of a thousand frames, median of such thousands
    unsigned frames = 0;
};

SchedulerCost measure_scheduler(double seconds);

} // namespace bench
