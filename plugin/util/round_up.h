// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include <concepts>
#include <type_traits>

namespace dd {

template <std::unsigned_integral T>
constexpr T div_up(T value, std::type_identity_t<T> by) {
    return (value + by - 1) / by;
}

// To a multiple of `to`.
template <std::unsigned_integral T>
constexpr T round_up(T value, std::type_identity_t<T> to) {
    return div_up(value, to) * to;
}

} // namespace dd
