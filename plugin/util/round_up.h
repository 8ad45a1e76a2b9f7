// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include <concepts>
#include <type_traits>

namespace dd {

// To a multiple of `to`.
template <std::unsigned_integral T>
constexpr T round_up(T value, std::type_identity_t<T> to) {
    return (value + to - 1) / to * to;
}

} // namespace dd
