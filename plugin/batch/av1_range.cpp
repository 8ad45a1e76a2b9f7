// SPDX-License-Identifier: BSD-2-Clause
#include "batch/av1_range.h"
#include "batch/av1_transform.h"

#include <algorithm>
#include <array>
#include <span>

namespace dd {
namespace {

// Bits of values in between, clause 7.13.3. A stream that needs more isn't valid, and then dav1d's C clamps where its SIMD
// code saturates or wraps.
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

bool is_harmless(const Av1Shape &shape, const Bits &bits, std::uint64_t sum) {
    constexpr std::uint64_t rounding = 1024; // of all values of a column
    const std::uint64_t after_rows = sum * gain(shape.horizontal, shape.w) / 2;
    const std::uint64_t after_columns = (after_rows >> shape.shift) * gain(shape.vertical, shape.h) / 2;
    return after_rows + rounding < 1u << (bits.rows - 1) && after_columns + rounding < 1u << (bits.columns - 1);
}

template <typename T>
bool all_values_fit(const Av1Shape &shape, const Av1Corner &corner, unsigned bit_depth, const T *coefs) {
    const Bits bits = bits_of(shape, bit_depth);
    std::array<std::int64_t, 64 * 64> values;
    const std::span<std::int64_t> x(values.data(), std::size_t{shape.w} * shape.h);
    std::ranges::fill(x, 0);
    for (unsigned column = 0; column < 1u << corner.cols; column++)
        for (unsigned row = 0; row < 1u << corner.rows; row++)
            x[row * shape.w + column] = coefs[(column << corner.rows) + row];
    Av1Transform rows, columns;
    av1_inverse_transform(rows, columns, x, shape, bit_depth);
    return rows.fits(bits.rows) && columns.fits(bits.columns);
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
