// SPDX-License-Identifier: BSD-2-Clause
#include "av1/range.h"
#include "av1/transform.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <type_traits>

namespace dd {
namespace {

// Bits of values in between, clause 7.13.3. A stream that needs more isn't valid, and then dav1d's C clamps where its
// SIMD code saturates or wraps.
struct Bits {
    unsigned rows, columns;
};
constexpr Bits bits_of(const Av1Shape &shape, unsigned bit_depth) {
    if (shape.horizontal == Av1Kind::wht)
        return {15, 15}; // SIMD code adds the prediction in 16 bits
    return {bit_depth + 8, std::max(bit_depth + 6, 16u)};
}

// How much larger than the sum of its inputs' magnitudes a value in between can be, in halves.
constexpr std::uint64_t gain(Av1Kind kind, unsigned n) {
    switch (kind) {
    case Av1Kind::identity:
        return n == 4 ? 3 : n == 8 ? 4 : n == 16 ? 6 : 8;
    case Av1Kind::wht:
        return 4;
    default:
        return 3; // sqrt(2) for sums before a turn by 45 degrees
    }
}

constexpr std::uint64_t kRounding = 1024; // of all values of a column

// `sum`: of the magnitudes in a column, or of bounds of them.
bool is_harmless_column(const Av1Shape &shape, const Bits &bits, std::uint64_t sum) {
    return sum * gain(shape.vertical, shape.h) / 2 + kRounding < 1u << (bits.columns - 1);
}

bool is_harmless(const Av1Shape &shape, const Bits &bits, std::uint64_t sum) {
    const std::uint64_t after_rows = sum * gain(shape.horizontal, shape.w) / 2;
    return after_rows + kRounding < 1u << (bits.rows - 1) && is_harmless_column(shape, bits, after_rows >> shape.shift);
}

// Many blocks are beyond the harmless sum, and hardly any is out of range: its rows share the sum. What is left of a
// row is no larger than the sum of its magnitudes, and some for rounding; only values on the way are.
template <typename T>
bool has_harmless_rows(const Av1Shape &shape, const Bits &bits, const Av1Corner &corner, const T *coefs) {
    using Sum = std::conditional_t<sizeof(T) == 2, std::int32_t, std::int64_t>;
    // What the halves add up to by which each step of the longest transform rounds.
    constexpr std::uint64_t rounding = 80;
    std::array<Sum, 32> sums{};
    const std::size_t cols = std::size_t{1} << corner.cols, rows = std::size_t{1} << corner.rows;
    for (std::size_t column = 0; column < cols; column++, coefs += rows)
        for (std::size_t row = 0; row < rows; row++)
            sums[row] += std::abs(Sum{coefs[row]});
    const bool is_turned = shape.horizontal == Av1Kind::dct || shape.horizontal == Av1Kind::adst;
    const std::uint64_t most = gain(shape.horizontal, shape.w), left = is_turned ? 2 : most; // in halves
    std::uint64_t column = 0;
    for (std::size_t row = 0; row < rows; row++) {
        const auto sum = static_cast<std::uint64_t>(sums[row]);
        if (sum * most / 2 + kRounding >= 1u << (bits.rows - 1))
            return false;
        if (sum) // factors are rounded as well, to 4096ths
            column += ((sum * left / 2 + sum / 256 + rounding) >> shape.shift) + 1;
    }
    return is_harmless_column(shape, bits, column);
}

// What the rows leave of column `i`.
bool column_fits(const Av1Shape &shape, const Bits &bits, std::span<const std::int64_t> x, std::size_t i,
                 std::size_t rows) {
    std::array<std::int64_t, 64> values{};
    std::uint64_t sum = 0;
    for (std::size_t y = 0; y < rows; y++) {
        values[y] = x[y * shape.w + i];
        sum += static_cast<std::uint64_t>(std::abs(values[y]));
    }
    if (is_harmless_column(shape, bits, sum)) // most are: rows spread what is large
        return true;
    Av1Transform pass;
    av1_transform_column(pass, std::span(values).first(shape.h), shape);
    return pass.fits(bits.columns);
}

template <typename T>
bool all_values_fit(const Av1Shape &shape, const Av1Corner &corner, unsigned bit_depth, const T *coefs) {
    const Bits bits = bits_of(shape, bit_depth);
    if (has_harmless_rows(shape, bits, corner, coefs))
        return true;
    const std::size_t cols = std::size_t{1} << corner.cols, rows = std::size_t{1} << corner.rows;
    std::array<std::int64_t, 32 * 64> values;
    const std::span<std::int64_t> x(values.data(), rows * shape.w);
    std::ranges::fill(x, 0);
    for (std::size_t column = 0; column < cols; column++)
        for (std::size_t row = 0; row < rows; row++)
            x[row * shape.w + column] = coefs[(column << corner.rows) + row];
    Av1Transform pass;
    av1_transform_rows(pass, x, shape, bit_depth, rows);
    if (!pass.fits(bits.rows))
        return false;
    for (std::size_t i = 0; i < shape.w; i++)
        if (!column_fits(shape, bits, x, i, rows))
            return false;
    return true;
}

} // namespace

std::uint64_t av1_harmless_sum(const Av1Shape &shape, unsigned bit_depth) {
    const Bits bits = bits_of(shape, bit_depth);
    std::uint64_t harmless = 0;
    for (std::uint64_t step = 1u << 20; step; step /= 2)
        if (is_harmless(shape, bits, harmless + step))
            harmless += step;
    return harmless;
}

bool av1_residual_in_range(const Av1Shape &shape, const Av1Corner &corner, unsigned bit_depth, const void *coefs) {
    if (bit_depth == 8)
        return all_values_fit(shape, corner, bit_depth, static_cast<const std::int16_t *>(coefs));
    return all_values_fit(shape, corner, bit_depth, static_cast<const std::int32_t *>(coefs));
}

} // namespace dd
