// SPDX-License-Identifier: BSD-2-Clause
//
// How the corner of a block that has coefficients gets from a decoder's buffer into a list, with the sum of their
// magnitudes.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace dd {

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

// The largest sum of magnitudes that is harmless, and what tells most sums that don't exceed it.
struct HarmlessSum {
    std::uint64_t most = 0;    // fits into a coefficient
    std::uint64_t notable = 0; // Magnitudes::notable_bits() of it
};

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
        const Vector sign = v >> (8 * sizeof(T) - 1);
        sums += reinterpret_cast<Sums>(v ^ sign) - reinterpret_cast<Sums>(sign); // that of the lowest value fits, too
        reached |= sums;
    }
    bool within(const HarmlessSum &harmless) const {
        const auto halves = reinterpret_cast<Halves>(reached);
        const std::uint64_t any = halves[0] | halves[1];
        if (!(any & harmless.notable)) [[likely]]
            return true;
        std::uint64_t sum = 0;
        Lane all = 0;
        for (unsigned i = 0; i < lanes; i++) {
            sum += sums[i];
            all |= reached[i];
        }
        return !(all >> (8 * sizeof(T) - 1)) && sum <= harmless.most;
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

inline HarmlessSum harmless_sum(std::uint64_t most, unsigned bit_depth) {
    return {most, bit_depth == 8 ? Magnitudes<std::int16_t>::notable_bits(most)
                                 : Magnitudes<std::int32_t>::notable_bits(most)};
}

// Moves a corner of so many rows and columns, column after column: zeros stay behind. `stride`: rows of the block.
template <typename T, unsigned rows>
[[gnu::always_inline]] inline Magnitudes<T> move_corner(T *from, unsigned stride, unsigned cols, T *to) {
    using Vector = typename Magnitudes<T>::Vector;
    constexpr unsigned lanes = Magnitudes<T>::lanes, columns = rows < lanes ? lanes / rows : 1;
    Magnitudes<T> all;
    for (unsigned column = 0; column < cols; column += columns)
        for (unsigned row = 0; row < rows; row += lanes) {
            Vector v;
            T *at = from + column * stride + row;
            if constexpr (columns == 2) { // joined in a register
                std::uint64_t half[2];
                for (unsigned c = 0; c < 2; c++) {
                    std::memcpy(&half[c], at + c * stride, sizeof(half[c]));
                    std::memset(at + c * stride, 0, sizeof(half[c]));
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
