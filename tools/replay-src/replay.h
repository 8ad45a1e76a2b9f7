// SPDX-License-Identifier: BSD-2-Clause
//
// Runs a saved batch on a device and on the scalar reference.
#pragma once
#include "batch/ddb.h"
#include "vulkan/gpu.h"

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace replay {

struct DispatchTime {
    std::string kernel;
    unsigned groups = 0;
    double microseconds = 0; // median of the runs
};

struct Result {
    std::vector<DispatchTime> dispatches;
    double reference_ms = 0; // of the scalar reference
    double upload_kib = 0;
    unsigned runs = 0;
    unsigned long long predictions = 0, residuals = 0, superblocks = 0; // records; predictions as squares
    std::string difference;                                             // empty: every run gave the reference's pixels
};

class Replay {
  public:
    // Throws std::runtime_error where the batch doesn't fit the device.
    Replay(std::shared_ptr<dd::Gpu> gpu, const dd::SavedBatch &saved);
    // Throws std::runtime_error where the GPU fails. Every run's pixels are compared.
    Result run(unsigned runs);

  private:
    std::vector<std::byte> expected(double &milliseconds) const;
    std::vector<double> run_once();
    std::string difference(const std::vector<std::byte> &expected) const;

    std::shared_ptr<dd::Gpu> gpu_;
    const dd::SavedBatch &saved_;
    std::array<dd::PhaseWork, 2> work_;
    std::array<const dd::PhaseWork *, 2> phases_{};
    std::unique_ptr<dd::GpuPicture> dst_;
    std::array<std::unique_ptr<dd::GpuPicture>, dd::DD_MAX_REFS> ref_;
};

} // namespace replay
