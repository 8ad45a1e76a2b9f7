// SPDX-License-Identifier: BSD-2-Clause
//
// How VP9's coefficients get from a decoder's buffers into a list: the corner of a block that has them, with the sum of their magnitudes.
#pragma once
#include "batch/vp9_batch.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace dd {

template <unsigned kind>
constexpr unsigned corner_of(unsigned eob) {
    if constexpr (kind == DD_ITX_WHT)
        return 1;
    // The last position of the default scans (clause 10.5) that stays inside a corner.
    constexpr unsigned last[4][3] = {{16, 0, 0}, {12, 64, 0}, {10, 38, 256}, {0, 34, 135}};
    if (eob == 1)
        return 0;
    for (unsigned corner = 1; corner <= 3; corner++)
        if (eob <= last[kind % 4][corner - 1])
            return corner;
    return 4;
}

template <typename T>
struct Vectors;
template <>
struct Vectors<std::int16_t> {
    using Signed = std::int16_t __attribute__((vector_size(16)));
    using Unsigned = std::uint16_t __attribute__((vector_size(16)));
};
template <>
struct Vectors<std::int32_t> {
    using Signed = std::int32_t __attribute__((vector_size(16)));
    using Unsigned = std::uint32_t __attribute__((vector_size(16)));
};
using Halves = std::uint64_t __attribute__((vector_size(16)));

// Sums by lane of the magnitudes of what was moved.
template <typename T>
struct Magnitudes {
    using Vector = typename Vectors<T>::Signed;
    using Sums = typename Vectors<T>::Unsigned;
    using Lane = std::make_unsigned_t<T>;
    static constexpr unsigned lanes = 16 / sizeof(T);

    Sums sums{};
    Sums reached{}; // an or of all that the sums ever were: before one wraps, its top bit is set here

    void add(const Vector &v) {
        const Vector sign = v >> (8 * sizeof(T) - 1), magnitude = (v ^ sign) - sign;
        sums += reinterpret_cast<Sums>(magnitude);
        reached |= sums;
    }
    // Whether the sum of the magnitudes doesn't exceed `most`, which fits into T. `notable`: of notable_bits().
    bool within(std::uint64_t notable, std::uint64_t most) const {
        const auto halves = reinterpret_cast<Halves>(reached);
        const std::uint64_t any = halves[0] | halves[1];
        if (!(any & notable)) [[likely]]
            return true;
        std::uint64_t sum = 0;
        Lane all = 0;
        for (unsigned i = 0; i < lanes; i++) {
            sum += sums[i];
            all |= reached[i];
        }
        return !(all >> (8 * sizeof(T) - 1)) && sum <= most;
    }
    // The bits of all lanes of half a vector of which none is set in sums that don't exceed `most` together.
    static constexpr std::uint64_t notable_bits(std::uint64_t most) {
        const auto lane = static_cast<Lane>(~(std::bit_floor(most / lanes + 1) - 1));
        std::uint64_t all = 0;
        for (unsigned i = 0; i < lanes / 2; i++)
            all |= std::uint64_t{lane} << (i * 8 * sizeof(T));
        return all;
    }
};

template <unsigned kind>
unsigned read_eob(const std::uint8_t *from) {
    std::conditional_t<(itx_size(kind) > 8), std::uint16_t, std::uint8_t> eob;
    std::memcpy(&eob, from, sizeof(eob));
    return eob;
}

// Moves the corner of `side` of a block of `n`, column after column: zeros stay behind.
template <typename T, unsigned side, unsigned n>
Magnitudes<T> move_corner(T *from, T *to) {
    using Vector = typename Magnitudes<T>::Vector;
    constexpr unsigned lanes = Magnitudes<T>::lanes, columns = side < lanes ? lanes / side : 1;
    Magnitudes<T> all;
    for (unsigned column = 0; column < side; column += columns)
        for (unsigned row = 0; row < side; row += lanes) {
            Vector v;
            T *at = from + column * n + row;
            if constexpr (columns == 2) { // joined in a register
                std::uint64_t half[2];
                for (unsigned c = 0; c < 2; c++) {
                    std::memcpy(&half[c], at + c * n, sizeof(half[c]));
                    std::memset(at + c * n, 0, sizeof(half[c]));
                }
                v = reinterpret_cast<Vector>(Halves{half[0], half[1]});
            } else {
                std::memcpy(&v, at, sizeof(v));
                std::memset(at, 0, sizeof(v));
            }
            all.add(v);
            std::memcpy(to, &v, sizeof(v));
            to += lanes;
        }
    return all;
}

} // namespace dd
