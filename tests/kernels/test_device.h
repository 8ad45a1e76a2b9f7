// SPDX-License-Identifier: BSD-2-Clause
//
// The device that the kernels are tested on.
#pragma once
#include "vulkan/gpu.h"

#include <memory>

namespace dd::test {

// The one that DAEDALUS_DEVICE names, or the software one; opened once. Without it the test fails.
const std::shared_ptr<Gpu> &open_gpu();

// V3D has no kernels of profile `wide`; other devices run both.
bool has_kernels_of(Profile profile);

// Submits a job that has begun, whose kernels read no tables, and waits for it. The CPU wrote its picture.
void run_without_tables(GpuJob &job, GpuJobInput input);

} // namespace dd::test
