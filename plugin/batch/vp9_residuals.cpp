// SPDX-License-Identifier: BSD-2-Clause
//
// Residuals of VP9's inter blocks on their way from the decoder's buffers into the batch.
#include "batch/vp9_batch.h"
#include "batch/vp9_range.h"
#include "daedalus/daedalus.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace dd {
namespace {

constexpr std::uint32_t pack(unsigned x, unsigned y) {
    return (x & 0xffffu) | y << 16;
}

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

// Magnitudes of what was moved: an or of all of them, and sums by lane.
template <typename T>
struct Magnitudes {
    using Vector = typename Vectors<T>::Signed;
    using Sums = typename Vectors<T>::Unsigned;
    static constexpr unsigned lanes = 16 / sizeof(T);

    Vector bits{};
    Sums sums{}; // those that would overflow stay at the largest number

    void add(const Vector &v) {
        const Vector sign = v >> (8 * sizeof(T) - 1), magnitude = (v ^ sign) - sign;
        bits |= magnitude;
        const auto more = reinterpret_cast<Sums>(magnitude);
        sums += more;
        sums |= reinterpret_cast<Sums>(sums < more);
    }
    std::uint64_t all_bits() const {
        const auto halves = reinterpret_cast<Halves>(bits);
        std::uint64_t folded = halves[0] | halves[1];
        for (unsigned width = 32; width >= 8 * sizeof(T); width /= 2)
            folded |= folded >> width;
        return folded & std::make_unsigned_t<T>(~T{0});
    }
    // Whether the sum of the magnitudes of `count` coefficients doesn't exceed `most`, which fits into T.
    bool within(unsigned count, std::uint64_t most) const {
        const std::uint64_t largest = all_bits();
        if (largest * count <= most)
            return true;
        std::uint64_t sum = 0;
        for (unsigned i = 0; i < lanes; i++)
            sum += sums[i];
        return sum <= most;
    }
};

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

template <typename T, unsigned n>
Magnitudes<T> move_corner(unsigned corner, T *from, T *to) {
    if constexpr (n >= 8)
        if (corner == 2)
            return move_corner<T, 8, n>(from, to);
    if constexpr (n >= 16)
        if (corner == 3)
            return move_corner<T, 16, n>(from, to);
    if constexpr (n >= 32)
        if (corner == 4)
            return move_corner<T, 32, n>(from, to);
    return move_corner<T, 4, n>(from, to);
}

} // namespace

unsigned itx_corner(unsigned kind, unsigned eob) {
    switch (kind) {
    case 0:
        return corner_of<0>(eob);
    case 1:
        return corner_of<1>(eob);
    case 2:
        return corner_of<2>(eob);
    case 3:
        return corner_of<3>(eob);
    default:
        return corner_of<DD_ITX_WHT>(eob);
    }
}

template <typename T, unsigned kind>
bool Vp9Recorder::take(unsigned plane, unsigned x, unsigned y, unsigned eob, T *from) {
    constexpr unsigned n = itx_size(kind);
    if (eob > n * n)
        return false;
    const unsigned corner = corner_of<kind>(eob);
    auto &stream = itx[kind][corner];
    const auto first = static_cast<std::uint32_t>(coefs.size());
    std::uint32_t *to = coefs.extend(corner_words(corner, sizeof(T) / 2));
    stream.push_back({pack(x, y), first, plane, corner ? 0 : *from});
    if (!move<T, kind>(corner, from, to)) {
        stream.pop_back();
        coefs.resize(first);
        out_of_range_ = true;
        return false;
    }
    residuals++;
    return true;
}

// Says whether what was moved is in range.
template <typename T, unsigned kind>
bool Vp9Recorder::move(unsigned corner, T *from, std::uint32_t *words) const {
    constexpr unsigned n = itx_size(kind);
    if (corner == 0) {
        const bool in_range = sizeof(T) == 2 || vp9_residual_in_range(kind, 0, bit_depth_, from, n);
        *from = 0;
        return in_range;
    }
    T *to = reinterpret_cast<T *>(words);
    const unsigned side = corner_size(corner);
    return move_corner<T, n>(corner, from, to).within(side * side, harmless_[kind]) ||
           vp9_residual_in_range(kind, corner, bit_depth_, to, side);
}

template <typename T, unsigned kind>
bool Vp9Recorder::take_plane(const Transforms &from) {
    constexpr unsigned n = itx_size(kind), step = n / 4;
    const auto round_up = [](unsigned v) { return (v + step - 1) & ~(step - 1); };
    if (!in_plane(from.plane, from.x, from.y, round_up(from.w4) * 4, round_up(from.h4) * 4) ||
        coefs.size() > UINT32_MAX / 16)
        return false;
    using Eob = std::conditional_t<(n > 8), std::uint16_t, std::uint8_t>;
    unsigned at = 0; // in 4x4 blocks
    for (unsigned y = 0; y < from.h4; y += step)
        for (unsigned x = 0; x < from.w4; x += step, at += step * step) {
            Eob eob;
            std::memcpy(&eob, static_cast<const std::uint8_t *>(from.eobs) + at, sizeof(eob));
            if (eob && !take<T, kind>(from.plane, from.x + 4 * x, from.y + 4 * y, eob,
                                      static_cast<T *>(from.coefs) + std::size_t{16} * at))
                return false;
        }
    return true;
}

template <typename T>
bool Vp9Recorder::take_kind(unsigned kind, const Transforms &from) {
    switch (kind) {
    case 0:
        return take_plane<T, 0>(from);
    case 1:
        return take_plane<T, 1>(from);
    case 2:
        return take_plane<T, 2>(from);
    case 3:
        return take_plane<T, 3>(from);
    case DD_ITX_WHT:
        return take_plane<T, DD_ITX_WHT>(from);
    default:
        return false;
    }
}

bool Vp9Recorder::take_residuals(const DdVp9Residuals &block) {
    if (block.w4 > 16 || block.h4 > 16)
        return false;
    for (unsigned plane = 0; plane < 3; plane++) {
        if (!block.coefs[plane])
            continue;
        const unsigned ss_h = plane ? ss_h_ : 0, ss_v = plane ? ss_v_ : 0;
        const Transforms from = {plane,           block.x >> ss_h,  block.coefs[plane],
                                 block.y >> ss_v, block.w4 >> ss_h, block.eobs[plane],
                                 block.h4 >> ss_v};
        const unsigned kind = block.kind[plane != 0];
        if (!from.w4 || !from.h4)
            continue;
        if (!from.eobs ||
            !(bytes_per_pixel_ == 1 ? take_kind<std::int16_t>(kind, from) : take_kind<std::int32_t>(kind, from)))
            return false;
    }
    return true;
}

bool Vp9Recorder::residual(const Vp9Residual &r) {
    if (r.kind >= DD_ITX_KINDS || !r.coefs || r.eob < 1 || r.eob > UINT16_MAX)
        return false;
    const unsigned n = itx_size(r.kind);
    std::array<std::int32_t, 32 * 32> copy;
    std::memcpy(copy.data(), r.coefs, std::size_t{n} * n * bytes_per_pixel_ * 2);
    const auto wide = static_cast<std::uint16_t>(r.eob);
    const auto narrow = static_cast<std::uint8_t>(r.eob);
    if (n <= 8 && wide != narrow)
        return false;
    const void *eob = n > 8 ? static_cast<const void *>(&wide) : &narrow;
    const Transforms from = {r.plane, r.x, copy.data(), r.y, n / 4, eob, n / 4};
    return bytes_per_pixel_ == 1 ? take_kind<std::int16_t>(r.kind, from) : take_kind<std::int32_t>(r.kind, from);
}

} // namespace dd
