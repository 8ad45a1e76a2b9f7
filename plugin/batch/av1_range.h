// SPDX-License-Identifier: BSD-2-Clause
//
// Says whether all implementations of AV1's inverse transforms agree on a residual.
#pragma once
#include "batch/av1_residual.h"

#include <cstdint>

namespace dd {

// `sum`: of the magnitudes of the coefficients. `coefs`: those of the corner, column after column, `stride` from one to the
// next; int16_t with 8 bits, else int32_t.
bool av1_residual_in_range(const Av1Shape &shape, const Av1Corner &corner, unsigned bit_depth, std::uint64_t sum,
                           const void *coefs, unsigned stride);

} // namespace dd
