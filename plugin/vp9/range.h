// SPDX-License-Identifier: BSD-2-Clause
//
// All implementations of the inverse transform agree only while no intermediate value leaves a range, about BitDepth
// + 8 bits: beyond it SIMD code saturates or wraps, and the 32-bit products of the kernels overflow. Clause 8.7.2
// demands it of streams; broken ones don't obey. Checking when a residual is recorded costs one pass over
// coefficients that are being copied anyway, and nothing on the GPU.
#pragma once
#include <cstdint>

namespace dd {

// Says whether the transform of this block is the same in every implementation. Sound, and exact enough that no
// stream of a real encoder is refused. `coefs`: int16_t (8 bits) or int32_t, column after column, with `stride`
// elements a column, of which the first `corner` rows and columns may be other than zero.
// DC alone (corner class 0) is the same everywhere with 8 bits.
bool vp9_residual_in_range(unsigned kind, unsigned corner, unsigned bit_depth, const void *coefs, unsigned stride);

// The same of an intra block's residual, whose transform may be an ADST. `size`: 4 << size pixels; `how`:
// DD_INTRA_ITX_*.
bool vp9_intra_residual_in_range(unsigned size, std::uint32_t how, unsigned bit_depth, const void *coefs,
                                 unsigned stride);

// Blocks whose magnitudes' sum is no larger are in range, also those of intra blocks of size `kind`.
std::uint64_t vp9_harmless_sum(unsigned kind, unsigned bit_depth);

} // namespace dd
