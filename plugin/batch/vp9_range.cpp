// SPDX-License-Identifier: BSD-2-Clause
#include "batch/vp9_range.h"
#include "batch/vp9_batch.h"
#include "batch/vp9_transform.h"

#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

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

// Eight coefficients at a time; compilers have no vectors of their own for this.
using Eight = std::int16_t __attribute__((vector_size(16)));
using TwoHalves = std::int64_t __attribute__((vector_size(16)));
using EightSums = std::uint16_t __attribute__((vector_size(16)));

struct CornerSum {
    Eight bits{};     // all magnitudes' bits
    EightSums sums{}; // mod 2^16
    void add(const Eight &v) {
        const Eight sign = v >> 15, magnitude = (v ^ sign) - sign;
        bits |= magnitude;
        sums += reinterpret_cast<EightSums>(magnitude);
    }
};

template <unsigned side>
CornerSum sum_in_eights(const std::int16_t *coefs, unsigned stride) {
    CornerSum all;
    for (unsigned column = 0; column < side; column += side == 4 ? 2 : 1)
        for (unsigned row = 0; row < side; row += 8) {
            Eight v;
            if constexpr (side == 4) { // two columns
                std::int64_t half[2];
                std::memcpy(&half[0], coefs + column * stride, 8);
                std::memcpy(&half[1], coefs + (column + 1) * stride, 8);
                v = reinterpret_cast<Eight>(TwoHalves{half[0], half[1]});
            } else {
                std::memcpy(&v, coefs + column * stride + row, 16);
            }
            all.add(v);
        }
    return all;
}

// Says whether the sum of the magnitudes is harmless. False: it may be.
bool clearly_harmless(const std::int16_t *coefs, unsigned side, unsigned stride, std::int64_t harmless) {
    const CornerSum all = side == 4    ? sum_in_eights<4>(coefs, stride)
                          : side == 8  ? sum_in_eights<8>(coefs, stride)
                          : side == 16 ? sum_in_eights<16>(coefs, stride)
                                       : sum_in_eights<32>(coefs, stride);
    unsigned bits = 0;
    std::int64_t sum = 0;
    for (unsigned i = 0; i < 8; i++) {
        bits |= static_cast<std::uint16_t>(all.bits[i]);
        sum += all.sums[i];
    }
    return bits * (side * side / 8) <= UINT16_MAX && sum <= harmless; // no sum has overflowed
}
bool clearly_harmless(const std::int32_t *, unsigned, unsigned, std::int64_t) {
    return false;
}

template <typename T>
bool all_values_fit(unsigned kind, unsigned side, unsigned bits, const T *coefs, unsigned stride) {
    const unsigned n = itx_size(kind);
    Vp9Transform transform;
    std::array<std::int64_t, 32 * 32> x{};
    for (unsigned column = 0; column < side; column++)
        for (unsigned row = 0; row < side; row++)
            x[row * n + column] = transform.kept(coefs[column * stride + row]);
    vp9_inverse_transform(transform, {x.data(), std::size_t{n} * n}, n, side, kind == DD_ITX_WHT);
    return transform.fits(bits);
}

template <typename T>
bool in_range(unsigned kind, unsigned corner, unsigned bit_depth, const T *coefs, unsigned stride) {
    const unsigned side = corner ? corner_size(corner) : 1;
    const unsigned bits = bits_in_common(kind, bit_depth);
    // A value in between is at most sqrt(2) times the sum of the magnitudes of the inputs, and some for rounding.
    const std::int64_t harmless = (std::int64_t{23170} << bits >> 16) - 512;
    if (side > 1 && clearly_harmless(coefs, side, stride, harmless))
        return true;
    return sum_of_magnitudes(coefs, side, stride) <= harmless || all_values_fit(kind, side, bits, coefs, stride);
}

} // namespace

bool vp9_residual_in_range(unsigned kind, unsigned corner, unsigned bit_depth, const void *coefs, unsigned stride) {
    if (bit_depth == 8)
        return corner == 0 || in_range(kind, corner, bit_depth, static_cast<const std::int16_t *>(coefs), stride);
    return in_range(kind, corner, bit_depth, static_cast<const std::int32_t *>(coefs), stride);
}

} // namespace dd
