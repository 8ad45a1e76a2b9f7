// SPDX-License-Identifier: BSD-2-Clause
//
// Inverse transforms in plain scalar form, in 64 bits: VP9 specification, clause 8.7.1, as its loops over butterflies.
// They tell how large the values in between became. For the check of residuals and for the reference; not for speed.
#pragma once
#include "batch/butterflies.h"

#include <array>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

namespace dd {

class Vp9Transform {
  public:
    // In place. Size 4, 8, 16 or 32.
    void dct(std::span<std::int64_t> x) {
        std::array<std::int64_t, 32> half{};
        const std::size_t n = x.size(), m = n / 2;
        if (n == 2) {
            turn_half(x[1], x[0]);
            return;
        }
        const std::array<std::int64_t, 32> in = copy(x);
        for (std::size_t i = 0; i < m; i++)
            half[i] = in[2 * i];
        dct({half.data(), m});
        std::array<std::int64_t, 16> odd{};
        odd_part(in, {odd.data(), m});
        for (std::size_t i = 0; i < m; i++) {
            x[i] = kept(half[i] + odd[m - 1 - i]);
            x[n - 1 - i] = kept(half[i] - odd[m - 1 - i]);
        }
    }

    // Lossless Walsh-Hadamard transform of four values, clause 8.7.1.10.
    void wht(std::span<std::int64_t> x) {
        std::int64_t a = x[0], b = x[1], c = x[3], d = x[2];
        a = kept(a + b);
        d = kept(d - c);
        const std::int64_t e = kept(a - d) >> 1;
        c = kept(e - c);
        b = kept(e - b);
        x[0] = kept(a - c);
        x[1] = c;
        x[2] = b;
        x[3] = kept(d + b);
    }

    // Says whether all values so far were signed numbers of so many bits.
    bool fits(unsigned bits) const { return magnitude_ >> (bits - 1) == 0; }
    std::int64_t kept(std::int64_t v) {
        magnitude_ |= static_cast<std::uint64_t>(v ^ (v >> 63));
        return v;
    }

  private:
    static std::array<std::int64_t, 32> copy(std::span<const std::int64_t> x) {
        std::array<std::int64_t, 32> out{};
        for (std::size_t i = 0; i < x.size(); i++)
            out[i] = x[i];
        return out;
    }
    // cos(k * pi / 64) * 2^14, rounded.
    static std::int64_t cosine(std::size_t k) {
        static constexpr std::array<std::int16_t, 33> table = {
            16384, 16364, 16305, 16207, 16069, 15893, 15679, 15426, 15137, 14811, 14449,
            14053, 13623, 13160, 12665, 12140, 11585, 11003, 10394, 9760,  9102,  8423,
            7723,  7005,  6270,  5520,  4756,  3981,  3196,  2404,  1606,  804,   0};
        return table[k];
    }
    std::int64_t rounded(std::int64_t v) { return kept((v + 8192) >> 14); }

    // Rotates a pair: low = a * sin - b * cos, high = a * cos + b * sin.
    std::pair<std::int64_t, std::int64_t> turned(std::int64_t a, std::int64_t b, std::size_t k) {
        return {rounded(a * cosine(32 - k) - b * cosine(k)), rounded(a * cosine(k) + b * cosine(32 - k))};
    }
    void turn(std::int64_t &low, std::int64_t &high, std::size_t k) { std::tie(low, high) = turned(high, low, k); }
    void turn_back(std::int64_t &low, std::int64_t &high, std::size_t k) {
        const std::int64_t l = low, h = high;
        low = rounded(-(h * cosine(k) + l * cosine(32 - k)));
        high = rounded(h * cosine(32 - k) - l * cosine(k));
    }
    // By 45 degrees. Sums come before the product in SIMD code, so they count.
    void turn_half(std::int64_t &low, std::int64_t &high) {
        const std::int64_t l = low, h = high;
        low = rounded(kept(h - l) * cosine(16));
        high = rounded(kept(h + l) * cosine(16));
    }
    void butterflies(std::span<std::int64_t> x, std::size_t width) {
        dd::butterflies(x, width, [this](std::int64_t v) { return kept(v); });
    }
    void odd_part(const std::array<std::int64_t, 32> &in, std::span<std::int64_t> x) {
        const std::size_t m = x.size(), n = 2 * m;
        static constexpr std::size_t order[] = {1, 17, 9, 25, 5, 21, 13, 29}; // odd numbers, bits reversed
        for (std::size_t i = 0; i < m / 2; i++) {
            const std::size_t a = m == 2 ? 1 : order[i * (16 / m)] % n;
            std::tie(x[i], x[m - 1 - i]) = turned(in[a], in[n - a], a * 32 / n);
        }
        if (m == 2)
            return;
        butterflies(x, 2);
        if (m == 8) {
            turn(x[1], x[6], 8);
            turn_back(x[2], x[5], 8);
            butterflies(x, 4);
        } else if (m == 16) {
            turn(x[1], x[14], 4);
            turn_back(x[2], x[13], 4);
            turn(x[5], x[10], 20);
            turn_back(x[6], x[9], 20);
            butterflies(x, 4);
            turn(x[2], x[13], 8);
            turn(x[3], x[12], 8);
            turn_back(x[4], x[11], 8);
            turn_back(x[5], x[10], 8);
            butterflies(x, 8);
        }
        for (std::size_t i = m / 4; i < m / 2; i++)
            turn_half(x[i], x[m - 1 - i]);
    }

    std::uint64_t magnitude_ = 0;
};

// Both steps of the transform of a block of n x n values in `x`, row after row, without the last rounding (clause 8.7.2). Rows
// from `rows` on are zero.
inline void vp9_inverse_rows(Vp9Transform &transform, std::span<std::int64_t> x, unsigned n, unsigned rows,
                             bool lossless) {
    std::array<std::int64_t, 32> line{};
    const std::span<std::int64_t> one(line.data(), n);
    for (unsigned y = 0; y < rows; y++) {
        for (unsigned i = 0; i < n; i++)
            one[i] = lossless ? x[y * n + i] >> 2 : x[y * n + i];
        lossless ? transform.wht(one) : transform.dct(one);
        for (unsigned i = 0; i < n; i++)
            x[y * n + i] = one[i];
    }
}
inline void vp9_inverse_columns(Vp9Transform &transform, std::span<std::int64_t> x, unsigned n, bool lossless) {
    std::array<std::int64_t, 32> line{};
    const std::span<std::int64_t> one(line.data(), n);
    for (unsigned column = 0; column < n; column++) {
        for (unsigned i = 0; i < n; i++)
            one[i] = x[i * n + column];
        lossless ? transform.wht(one) : transform.dct(one);
        for (unsigned i = 0; i < n; i++)
            x[i * n + column] = one[i];
    }
}
inline void vp9_inverse_transform(Vp9Transform &transform, std::span<std::int64_t> x, unsigned n, unsigned rows,
                                  bool lossless) {
    vp9_inverse_rows(transform, x, n, rows, lossless);
    vp9_inverse_columns(transform, x, n, lossless);
}

} // namespace dd
