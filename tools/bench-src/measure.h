// SPDX-License-Identifier: BSD-2-Clause
//
// The figures of one kernel. Every timed run's return codes and output bytes are checked; a wrong one throws.
#pragma once
#include "gpu.h"

#include <optional>

namespace bench {

struct Figures {
    std::string name;
    double pixels = 0, blocks = 0;      // of one run
    unsigned runs = 0;                  // M1: runs on the GPU whose every byte was the decoder's
    double gpu = 0;                     // M2: pixels a second while the GPU computes
    double gpu_wall = 0;                // the same, from the submit to the end of the wait
    double simd = 0;                    // M3: pixels a second of the decoder's functions on one core
    double plain_c = 0;                 // the same without SIMD
    double both_gpu = 0, both_simd = 0; // M4: at the same time
    std::size_t dispatches = 0;
    bool gpu_clock = false; // M2 comes from the GPU's own clock
    std::string problem;    // empty: exact

    double ratio() const { return simd > 0 ? gpu / simd : 0; }
};

struct Overhead {        // M5, seconds
    double submit = 0;   // one submit of one small dispatch, to the end of the wait
    double dispatch = 0; // each further one in the same submit
};

Figures measure(Gpu &gpu, const Work &work, double seconds);
Overhead measure_overhead(Gpu &gpu, const Work &small);

} // namespace bench
