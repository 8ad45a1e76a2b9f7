// SPDX-License-Identifier: BSD-2-Clause
#include "vp9/range.h"
#include "vp9/batch.h"
#include "vp9/transform.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <type_traits>

namespace dd {
namespace {

// Bits of the numbers in which all implementations agree. The specification allows BitDepth + 8; FFmpeg's x86 code
// has less in places: 4x4 with 10 bits is 16 bits wide as it is with 8, 4x4 with 12 bits has products of 32 bits, and
// the lossless transform adds the prediction in 16 bits.
constexpr unsigned bits_in_common(unsigned kind, unsigned bit_depth) {
    if (kind == DD_ITX_WHT)
        return 15;
    if (kind == 0)
        return bit_depth == 12 ? 18 : 16;
    return bit_depth + 8;
}

// A value in between is at most sqrt(2) times the sum of the magnitudes of the inputs, and some for rounding.
constexpr std::int64_t harmless_sum(unsigned bits) {
    return (std::int64_t{23170} << bits >> 16) - 512;
}

// 1024 coefficients of 16 bits don't overflow 32; a narrow type and a constant side are what vectors need.
template <unsigned side, typename T>
std::int64_t sum_of_corner(const T *coefs, unsigned stride) {
    using Sum = std::conditional_t<sizeof(T) == 2, std::int32_t, std::int64_t>;
    Sum sum = 0;
    for (unsigned column = 0; column < side; column++)
        for (unsigned row = 0; row < side; row++)
            sum += std::abs(Sum{coefs[column * stride + row]});
    return sum;
}

template <typename T>
std::int64_t sum_of_magnitudes(const T *coefs, unsigned side, unsigned stride) {
    switch (side) {
    case 1:
        return sum_of_corner<1>(coefs, stride);
    case 4:
        return sum_of_corner<4>(coefs, stride);
    case 8:
        return sum_of_corner<8>(coefs, stride);
    case 16:
        return sum_of_corner<16>(coefs, stride);
    default:
        return sum_of_corner<32>(coefs, stride);
    }
}

// Whether no column of `x`, n x n values of which the first `rows` rows may be other than zero, has a larger sum of
// magnitudes.
bool columns_within(std::span<const std::int64_t> x, unsigned n, unsigned rows, std::int64_t most) {
    std::array<std::int64_t, 32> sums{};
    for (unsigned y = 0; y < rows; y++)
        for (unsigned i = 0; i < n; i++)
            sums[i] += std::abs(x[y * n + i]);
    return *std::max_element(sums.begin(), sums.end()) <= most;
}

// The transforms of both steps of a block.
struct Kind {
    unsigned kind;
    bool adst_rows = false, adst_columns = false;

    void rows(Vp9Transform &transform, std::span<std::int64_t> x, unsigned n, unsigned count) const {
        if (adst_rows)
            vp9_intra_inverse_rows(transform, x, n, count, true);
        else
            vp9_inverse_rows(transform, x, n, count, kind == DD_ITX_WHT);
    }
    void columns(Vp9Transform &transform, std::span<std::int64_t> x, unsigned n) const {
        if (adst_columns)
            vp9_intra_inverse_columns(transform, x, n, true);
        else
            vp9_inverse_columns(transform, x, n, kind == DD_ITX_WHT);
    }
};

template <typename T>
bool all_values_fit(const Kind &kind, unsigned side, unsigned bits, const T *coefs, unsigned stride) {
    const unsigned n = itx_size(kind.kind);
    Vp9Transform transform;
    std::array<std::int64_t, 32 * 32> x{};
    for (unsigned column = 0; column < side; column++)
        for (unsigned row = 0; row < side; row++)
            x[row * n + column] = transform.kept(coefs[column * stride + row]);
    const std::span<std::int64_t> all(x.data(), std::size_t{n} * n);
    kind.rows(transform, all, n, side);
    if (!transform.fits(bits))
        return false;
    if (columns_within(all, n, side, harmless_sum(bits)))
        return true;
    kind.columns(transform, all, n);
    return transform.fits(bits);
}

template <typename T>
bool in_range(const Kind &kind, unsigned corner, unsigned bit_depth, const T *coefs, unsigned stride) {
    const unsigned side = corner ? corner_size(corner) : 1;
    const unsigned bits = bits_in_common(kind.kind, bit_depth);
    return sum_of_magnitudes(coefs, side, stride) <= harmless_sum(bits) ||
           all_values_fit(kind, side, bits, coefs, stride);
}

bool in_range(const Kind &kind, unsigned corner, unsigned bit_depth, const void *coefs, unsigned stride) {
    if (bit_depth == 8)
        return in_range(kind, corner, bit_depth, static_cast<const std::int16_t *>(coefs), stride);
    return in_range(kind, corner, bit_depth, static_cast<const std::int32_t *>(coefs), stride);
}

} // namespace

std::uint64_t vp9_harmless_sum(unsigned kind, unsigned bit_depth) {
    return static_cast<std::uint64_t>(harmless_sum(bits_in_common(kind, bit_depth)));
}

bool vp9_residual_in_range(unsigned kind, unsigned corner, unsigned bit_depth, const void *coefs, unsigned stride) {
    return (bit_depth == 8 && corner == 0) || in_range({kind}, corner, bit_depth, coefs, stride);
}

bool vp9_intra_residual_in_range(unsigned size, std::uint32_t how, unsigned bit_depth, const void *coefs,
                                 unsigned stride) {
    const Kind kind{size, (how & DD_INTRA_ITX_ADST_ROWS) != 0, (how & DD_INTRA_ITX_ADST_COLUMNS) != 0};
    return in_range(kind, how & DD_INTRA_ITX_CORNER_MASK, bit_depth, coefs, stride);
}

} // namespace dd
