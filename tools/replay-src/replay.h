// SPDX-License-Identifier: BSD-2-Clause
//
// Runs a saved batch on a device and on the scalar reference.
#pragma once
#include "codecs.h"
#include "debug/saved_batch.h"
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
    Counts counts;
    std::string difference; // empty: every run gave the reference's pixels
};

class Replay {
  public:
    // Throws std::runtime_error where the batch doesn't fit the device.
    Replay(std::shared_ptr<dd::Gpu> gpu, const dd::SavedBatch &saved);
    // Throws std::runtime_error where the GPU fails. Every run's pixels are compared.
    Result run(unsigned runs);

  private:
    template <typename Batch>
    void prepare(const Batch &batch);
    std::vector<std::byte> expected(double &milliseconds) const;
    std::vector<double> run_once();
    std::string difference(const std::vector<std::byte> &expected) const;

    std::shared_ptr<dd::Gpu> gpu_;
    const dd::SavedBatch &saved_;
    Phases work_;
    std::array<const dd::PhaseWork *, 2> phases_{};
    std::unique_ptr<dd::GpuPicture> dst_;
    std::array<std::unique_ptr<dd::GpuPicture>, dd::kGpuPictureSlots> ref_;
};

} // namespace replay
