// SPDX-License-Identifier: BSD-2-Clause
//
// A register: one 32-bit word for each of the 16 lanes, as a vector type that the compiler maps to whatever the host
// has.
#pragma once
#include "isa.h"

#include <cstdint>

namespace v3dsim {

typedef uint32_t Lanes __attribute__((vector_size(64)));
typedef int32_t IntLanes __attribute__((vector_size(64)));
typedef float FloatLanes __attribute__((vector_size(64)));

// A set of lanes, bit n for lane n.
using LaneMask = uint16_t;
constexpr LaneMask all_lanes = 0xffff;

} // namespace v3dsim
