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

class Vp9Transform : public Butterflies {
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

    // In place. Size 4, 8 or 16. Clauses 8.7.1.6 to 8.7.1.9.
    void adst(std::span<std::int64_t> x) {
        if (x.size() == 4) {
            adst4(x);
            return;
        }
        const std::size_t n = x.size(), m = n / 2;
        std::array<Pair, 8> pairs;
        for (std::size_t i = 0; i < m; i++)
            pairs[i] = reflected(x[n - 1 - 2 * i], x[2 * i], (4 * i + 1) * 16 / n);
        const std::span<Pair> all(pairs.data(), m);
        join(all, true);
        join_halves(all);
        for (std::size_t i = 0; i < m; i++)
            put_pair(all[i], i % 2, n == 8 ? kPlaces8[i] : kPlaces16[i], x);
    }

  private:
    using Pair = std::pair<std::int64_t, std::int64_t>;
    // Where an ADST's pairs end up: the first number, and as far from the end the second one.
    static constexpr std::array<std::uint8_t, 4> kPlaces8 = {0, 3, 1, 2};
    static constexpr std::array<std::uint8_t, 8> kPlaces16 = {0, 7, 3, 4, 1, 6, 2, 5};

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

    void adst4(std::span<std::int64_t> x) {
        static constexpr std::int64_t sine[] = {0, 5283, 9929, 13377, 15212}; // sin(k * pi / 9) * 2^14 * sqrt(8) / 3
        const std::int64_t a = x[0], b = x[1], c = x[2], d = x[3];
        x[0] = rounded(a * sine[1] + b * sine[3] + c * sine[4] + d * sine[2]);
        x[1] = rounded(a * sine[2] + b * sine[3] - c * sine[1] - d * sine[4]);
        x[2] = rounded(kept(a - c + d) * sine[3]);
        x[3] = rounded(a * sine[4] - b * sine[3] + c * sine[2] - d * sine[1]);
    }
    // Products, which are rounded only after they were added to others.
    static Pair reflected(std::int64_t a, std::int64_t b, std::size_t k) {
        return {a * cosine(k) + b * cosine(32 - k), a * cosine(32 - k) - b * cosine(k)};
    }
    // Sums of both halves into the first half, differences into the second one.
    void join(std::span<Pair> p, bool products) {
        const auto keep = [&](std::int64_t v) { return products ? rounded(v) : kept(v); };
        for (std::size_t i = 0, m = p.size() / 2; i < m; i++) {
            const Pair a = p[i], b = p[m + i];
            p[i] = {keep(a.first + b.first), keep(a.second + b.second)};
            p[m + i] = {keep(a.first - b.first), keep(a.second - b.second)};
        }
    }
    // The steps that follow join(): sums are joined again as they are, differences are turned first.
    void join_halves(std::span<Pair> p) {
        const std::size_t m = p.size() / 2;
        if (m < 2)
            return;
        const std::span<Pair> sums = p.first(m), differences = p.last(m);
        join(sums, false);
        for (std::size_t i = 0; i < m / 2; i++) {
            Pair &a = differences[i], &b = differences[m / 2 + i];
            const std::size_t k = m == 2 ? 8 : 4 + 16 * i;
            a = reflected(a.first, a.second, k);
            b = reflected(b.second, -b.first, k);
        }
        join(differences, true);
        join_halves(sums);
        join_halves(differences);
    }
    // Signs alternate. Of 16 values the sum is negative before it is rounded, of 8 afterwards, as decoders do it.
    void put_pair(const Pair &p, bool turned, std::size_t place, std::span<std::int64_t> x) {
        const auto [low, high] = p;
        const auto put = [&](std::int64_t v, bool negative) {
            if (!turned)
                return kept(negative ? -v : v);
            const std::int64_t before = kept(negative && x.size() == 16 ? -v : v), after = rounded(before * cosine(16));
            return kept(negative && x.size() == 8 ? -after : after);
        };
        x[place] = put(turned ? low + high : low, place % 2);
        x[x.size() - 1 - place] = put(turned ? low - high : high, place % 2 == 0);
    }
};

// Runs `line` over a row or a column of n x n values.
template <class Line>
void vp9_each_row(std::span<std::int64_t> x, unsigned n, unsigned rows, const Line &line) {
    for (unsigned y = 0; y < rows; y++)
        line(x.subspan(std::size_t{y} * n, n));
}
template <class Line>
void vp9_each_column(std::span<std::int64_t> x, unsigned n, const Line &line) {
    std::array<std::int64_t, 32> values{};
    const std::span<std::int64_t> one(values.data(), n);
    for (unsigned column = 0; column < n; column++) {
        for (unsigned i = 0; i < n; i++)
            one[i] = x[i * n + column];
        line(one);
        for (unsigned i = 0; i < n; i++)
            x[i * n + column] = one[i];
    }
}

// The steps of the transform of a block of n x n values in `x`, row after row, without the last rounding (clause
// 8.7.2). Rows from `rows` on are zero.
inline void vp9_inverse_rows(Vp9Transform &transform, std::span<std::int64_t> x, unsigned n, unsigned rows,
                             bool lossless) {
    vp9_each_row(x, n, rows, [&](std::span<std::int64_t> one) {
        if (lossless)
            for (std::int64_t &value : one)
                value >>= 2;
        lossless ? transform.wht(one) : transform.dct(one);
    });
}
inline void vp9_inverse_columns(Vp9Transform &transform, std::span<std::int64_t> x, unsigned n, bool lossless) {
    vp9_each_column(x, n, [&](std::span<std::int64_t> one) { lossless ? transform.wht(one) : transform.dct(one); });
}

// The same of intra blocks, each step of which is a DCT or an ADST.
inline void vp9_intra_inverse_rows(Vp9Transform &transform, std::span<std::int64_t> x, unsigned n, unsigned rows,
                                   bool adst) {
    vp9_each_row(x, n, rows, [&](std::span<std::int64_t> one) { adst ? transform.adst(one) : transform.dct(one); });
}
inline void vp9_intra_inverse_columns(Vp9Transform &transform, std::span<std::int64_t> x, unsigned n, bool adst) {
    vp9_each_column(x, n, [&](std::span<std::int64_t> one) { adst ? transform.adst(one) : transform.dct(one); });
}

} // namespace dd
