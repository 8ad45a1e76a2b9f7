// SPDX-License-Identifier: BSD-2-Clause
//
// Event model of the compute side of a V3D 7.1: twelve QPUs in three slices, their threads, one memory unit (TMU) a
// slice with a queue and a cache, a second cache and DRAM shared by all. Everything is counted in cycles.
#pragma once
#include "trace_reader.h"

#include <map>
#include <string>

namespace v3dtiming {

struct Parameters {
    // Fitted to the measured kernels.
    double latency = 20;  // cycles from a memory operation's end of service to its result
    double operation = 6; // cycles of TMU service for an operation of 16 lanes …
    double word = 3;      // … and for each word that a lane moves
    double resident = 1;  // supergroups in flight
    double launch = 64;   // cycles between two batches starting
    // Assumed: known of the hardware, or not visible in the measured kernels.
    double clock_mhz = 960;
    double issue = 4;           // cycles an instruction: 16 lanes over 4
    double dispatch_us = 33;    // from one dispatch's end to the next one's start, bare
    double line = 1;            // cycles of TMU service for each distinct 64-byte line of an operation
    double dram_bytes = 9;      // a cycle, that DRAM delivers to or takes from the GPU
    double dram_latency = 70;   // cycles that a line from DRAM takes longer
    double queue = 16;          // operations that a TMU's queue holds
    double cache_lines = 128;   // of a slice's TMU cache
    double shared_lines = 4096; // of the cache that all slices share

    static const std::map<std::string, double Parameters::*> &names();
};

struct Outcome {
    double cycles = 0;            // of the whole dispatch, without its overhead
    double cycles_supergroup = 0; // in the steady state
    double issue_busy = 0;        // share of the QPUs' time that is issue slots
    double tmu_busy = 0;          // share of the TMUs' time in service
    double dram_busy = 0;         // share of DRAM's time
    double dram_bytes = 0;        // moved for the traced supergroups
};

// A sample traced as "the first ones, then every n-th": leaves every n-th alone, so that it stands for all.
void keep_even_sample(Job &job);

Outcome simulate(const Job &job, const Parameters &parameters);

} // namespace v3dtiming
