// SPDX-License-Identifier: BSD-2-Clause
#include "batch/coefficient_moves.h"

#include "catch.h"

#include <cstdint>
#include <limits>
#include <vector>

using namespace dd;

namespace {

// Every value of a block of 32 columns is another one, and the corner's are moved.
template <typename T, unsigned rows>
void check_corner(unsigned stride, unsigned cols) {
    std::vector<T> block(32 * stride);
    for (std::size_t i = 0; i < block.size(); i++)
        block[i] = static_cast<T>(i + 1);
    std::vector<T> expected, left = block;
    for (unsigned column = 0; column < cols; column++)
        for (unsigned row = 0; row < rows; row++) {
            expected.push_back(block[column * stride + row]);
            left[column * stride + row] = 0;
        }
    std::vector<T> moved(expected.size());
    move_corner<T, rows>(block.data(), stride, cols, moved.data());
    REQUIRE(moved == expected);
    REQUIRE(block == left);
}

// One column of such values, whose sum is compared with what may be harmless.
template <typename T>
void check_sum(std::vector<T> column) {
    std::uint64_t sum = 0;
    for (const T value : column)
        sum += value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    CAPTURE(sum, column);
    column.resize(32);
    std::vector<T> moved(32);
    const Magnitudes<T> all = move_corner<T, 32>(column.data(), 32, 1, moved.data());
    constexpr std::uint64_t largest = std::numeric_limits<T>::max();
    for (const std::uint64_t most : {sum - 1, sum, sum + 1, std::uint64_t{1}, largest})
        if (most <= largest)
            REQUIRE(all.within(harmless_sum(most, sizeof(T) == 2 ? 8 : 10)) == (sum <= most));
}

template <typename T>
void check_sums() {
    constexpr T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    for (const T value : {T{1}, T{-1}, T{100}, T{-1000}, high, low, static_cast<T>(low + 1)}) {
        check_sum<T>({value});
        check_sum<T>({0, 0, 0, value, T{1}});
        check_sum<T>(std::vector<T>(32, value));
    }
    std::vector<T> mixed(32, T{3});
    mixed[17] = low;
    check_sum<T>(mixed);
}

} // namespace

TEST_CASE("the corner of a block is moved and zeros stay", "[coefficients]") {
    for (const unsigned cols : {4u, 8u, 32u}) {
        check_corner<std::int16_t, 4>(4, cols);
        check_corner<std::int16_t, 4>(32, cols);
        check_corner<std::int16_t, 8>(16, cols);
        check_corner<std::int16_t, 16>(16, cols);
        check_corner<std::int16_t, 32>(32, cols);
        check_corner<std::int32_t, 4>(8, cols);
        check_corner<std::int32_t, 8>(8, cols);
        check_corner<std::int32_t, 32>(32, cols);
    }
}

// The lowest value has a magnitude that its type hasn't.
TEST_CASE("sums of magnitudes are exact up to what is harmless", "[coefficients]") {
    check_sums<std::int16_t>();
    check_sums<std::int32_t>();
}
