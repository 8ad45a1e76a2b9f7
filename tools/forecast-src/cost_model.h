// SPDX-License-Identifier: BSD-2-Clause
//
// What a frame costs on the CPU and on the GPU of a Raspberry Pi 5 under a plan. The unit of work is a luma pixel of
// the frame.
#pragma once
#include "daedalus/daedalus.h"

#include <array>
#include <cstdint>

namespace dd {

constexpr unsigned kCostStages = DD_STAGES;

// All but the submits' are nanoseconds a luma pixel.
enum Cost : unsigned {
    kCostParse,                              // of a frame with inter blocks: all that no stage is
    kCostParseIntra,                         // of a frame without
    kCostCpu,                                // a stage on the CPU
    kCostRecord = kCostCpu + kCostStages,    // a stage on the GPU, on the CPU: recording, uploads
    kCostGpu = kCostRecord + kCostStages,    // a stage on the GPU, there
    kCostSubmitCpu = kCostGpu + kCostStages, // nanoseconds of the CPU a submit
    kCostSubmitGpu,                          // nanoseconds that a submit takes beside its stages
    kCosts
};

using Costs = std::array<double, kCosts>;

// By the simulator's model, and measured rates of NEON.
Costs board_costs(DdCodec codec);

// A frame and where its stages run: bit s: stage s.
struct CostQuery {
    double pixels = 0;       // luma
    bool intra_only = false; // no inter blocks
    unsigned stages = 0;     // that the frame has
    unsigned on_gpu = 0;     // among them
    bool with_intra = false; // intra blocks go to the GPU with predictions and residuals

    // Submits of such a frame; where the CPU has intra blocks the filter follows in a second one.
    unsigned submits() const;
};

struct CostEstimate {
    double cpu_ns = 0, gpu_ns = 0;
    // Frames are parsed one after the other, for each adapts the probabilities of the next.
    double in_order_ns = 0;
    // From the end of its references to the end of a frame with inter blocks, of which the GPU does a part. Frames of
    // the CPU alone follow each other row by row.
    double chain_ns = 0;
};

CostEstimate predict(const Costs &costs, const CostQuery &query);

} // namespace dd
