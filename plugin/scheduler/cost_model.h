// SPDX-License-Identifier: BSD-2-Clause
//
// What a frame costs on the CPU and on the GPU under a plan, learned from frames that ended. A plan is made before its frame
// is parsed, so the unit of work is a luma pixel of the frame: how many predictions and transforms come with one is part
// of what is learned, and follows the stream.
#pragma once
#include "daedalus/daedalus.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dd {

constexpr unsigned kCostStages = DD_STAGES;
// Bit s: stage s on the GPU.
constexpr unsigned kPlans = 1u << kCostStages;

// Costs that are learned. All but the submits' are nanoseconds a luma pixel.
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

// Names of the costs, in files.
std::string_view cost_name(unsigned cost);

// Where to start from while nothing has been measured.
enum class CostSeed {
    discrete, // a GPU of its own
    v3d,      // a Raspberry Pi 5: the simulator's model, and measured rates of NEON
};
Costs seed_costs(DdCodec codec, CostSeed seed);

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
    // From the end of its references to the end of a frame with inter blocks, of which the GPU does a part. Frames of the CPU alone
    // follow each other row by row.
    double chain_ns = 0;
};

class CostModel {
  public:
    explicit CostModel(const Costs &costs) : costs_(costs) {}

    CostEstimate predict(const CostQuery &query) const;
    // A frame took so much of a CPU, with so many submits.
    void learn_cpu(const CostQuery &query, unsigned submits, double ns);
    // The stages in query.on_gpu ran with `submits` submits, and the GPU was busy for so long.
    void learn_gpu(const CostQuery &query, unsigned submits, double ns);
    const Costs &costs() const { return costs_; }

  private:
    // The usual size of the errors of a side under a plan, against which outliers are told.
    struct Spread {
        double error = 0;
        unsigned samples = 0;
    };
    using Features = Costs;    // how much of each cost a measurement has in it
    using Set = std::uint32_t; // bit c: cost c
    // Corrects the costs in `open` by what the measurement says of their sum.
    void learn(const Features &features, Set open, double measured, Spread &spread);

    Costs costs_;
    std::array<Spread, kPlans> cpu_spread_, gpu_spread_;
};

} // namespace dd
