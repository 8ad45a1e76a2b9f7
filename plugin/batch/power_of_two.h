// SPDX-License-Identifier: BSD-2-Clause
#pragma once

namespace dd {

// std::has_single_bit() calls a function where a processor's baseline has no instruction for it.
constexpr bool is_power_of_two(unsigned v) {
    return v && !(v & (v - 1));
}

} // namespace dd
