// SPDX-License-Identifier: BSD-2-Clause
//
// Says whether all implementations of AV1's inverse transforms agree on a residual.
#pragma once
#include "av1/residual.h"

#include <cstdint>

namespace dd {

// The largest sum of magnitudes of a block's coefficients at which they surely do.
std::uint64_t av1_harmless_sum(const Av1Shape &shape, unsigned bit_depth);

// `coefs`: those of the corner, column after column; int16_t with 8 bits, else int32_t.
bool av1_residual_in_range(const Av1Shape &shape, const Av1Corner &corner, unsigned bit_depth, const void *coefs);

} // namespace dd
