// SPDX-License-Identifier: BSD-2-Clause
//
// Constant tables of AV1's predictions.
#pragma once
#include <cstdint>

namespace dd {

extern const std::int8_t av1_subpel_taps[6][15][8];
extern const std::int8_t av1_warp_taps[193][8];
extern const std::uint8_t av1_overlap_weights[64];

} // namespace dd
