// SPDX-License-Identifier: BSD-2-Clause
//
// Inverse transforms in plain scalar form, in 64 bits: AV1 specification, clauses 7.13.2 and 7.13.3, as loops over
// butterflies. They tell how large the values in between became. For the check of residuals and for the reference;
// not for speed.
#pragma once
#include "av1/residual.h"
#include "batch/butterflies.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

namespace dd {

class Av1Transform : public Butterflies {
  public:
    // In place. Size 4 to 64, 4 to 16, 4 to 32, 4.
    void dct(std::span<std::int64_t> x) {
        const std::size_t n = x.size(), m = n / 2;
        if (n == 2) {
            std::tie(x[1], x[0]) = half_turned(x[0], x[1]);
            return;
        }
        std::array<std::int64_t, 64> in{};
        std::ranges::copy(x, in.begin());
        std::array<std::int64_t, 32> even{}, odd{};
        for (std::size_t i = 0; i < m; i++)
            even[i] = in[2 * i];
        dct({even.data(), m});
        odd_part(in, {odd.data(), m});
        for (std::size_t i = 0; i < m; i++) {
            x[i] = kept(even[i] + odd[m - 1 - i]);
            x[n - 1 - i] = kept(even[i] - odd[m - 1 - i]);
        }
    }

    void adst(std::span<std::int64_t> x) { x.size() == 4 ? adst4(x) : adst8_16(x); }

    void identity(std::span<std::int64_t> x) {
        for (std::int64_t &v : x)
            switch (x.size()) {
            case 4:
                v = rounded(v * 5793);
                break;
            case 8:
                v = kept(2 * v);
                break;
            case 16:
                v = rounded(v * 11586);
                break;
            default:
                v = kept(4 * v);
            }
    }

    void run(Av1Kind kind, bool flip, std::span<std::int64_t> x) {
        switch (kind) {
        case Av1Kind::dct:
            return dct(x);
        case Av1Kind::adst:
            adst(x);
            if (flip)
                std::ranges::reverse(x);
            return;
        case Av1Kind::identity:
            return identity(x);
        case Av1Kind::wht:
            return wht(x);
        }
    }

  private:
    using Pair = std::pair<std::int64_t, std::int64_t>;

    // cos(k * pi / 128) * 2^12, rounded.
    static std::int64_t cosine(std::size_t k) {
        static constexpr std::array<std::int16_t, 65> table = {
            4096, 4095, 4091, 4085, 4076, 4065, 4052, 4036, 4017, 3996, 3973, 3948, 3920, 3889, 3857, 3822, 3784,
            3745, 3703, 3659, 3612, 3564, 3513, 3461, 3406, 3349, 3290, 3229, 3166, 3102, 3035, 2967, 2896, 2824,
            2751, 2675, 2598, 2520, 2440, 2359, 2276, 2191, 2106, 2019, 1931, 1842, 1751, 1660, 1567, 1474, 1380,
            1285, 1189, 1092, 995,  897,  799,  700,  601,  501,  401,  301,  201,  101,  0};
        return table[k];
    }
    static std::int64_t sine(std::size_t k) { return cosine(64 - k); }
    static std::size_t reversed(std::size_t v, std::size_t bits) {
        std::size_t r = 0;
        for (std::size_t b = 0; b < bits; b++)
            r |= (v >> b & 1) << (bits - 1 - b);
        return r;
    }
    static std::size_t log2(std::size_t n) { return static_cast<std::size_t>(std::countr_zero(n)); }

    std::int64_t rounded(std::int64_t v) { return kept((v + 2048) >> 12); }
    std::int64_t combined(std::int64_t a, std::int64_t ca, std::int64_t b, std::int64_t cb) {
        return rounded(a * ca + b * cb);
    }
    // By 45 degrees: difference, sum. They come before the product in SIMD code, so they count.
    Pair half_turned(std::int64_t a, std::int64_t b) {
        return {rounded(kept(a - b) * cosine(32)), rounded(kept(a + b) * cosine(32))};
    }
    void turn(std::int64_t &low, std::int64_t &high, std::size_t k) {
        const std::int64_t l = low, h = high;
        low = combined(h, sine(k), l, -cosine(k));
        high = combined(h, cosine(k), l, sine(k));
    }
    void turn_back(std::int64_t &low, std::int64_t &high, std::size_t k) {
        const std::int64_t l = low, h = high;
        low = combined(h, -cosine(k), l, -sine(k));
        high = combined(h, sine(k), l, -cosine(k));
    }
    void odd_part(const std::array<std::int64_t, 64> &in, std::span<std::int64_t> x) {
        const std::size_t m = x.size(), n = 2 * m;
        for (std::size_t i = 0; i < m / 2; i++) {
            const std::size_t a = 1 + 4 * reversed(i, log2(m) - 1), k = a * 64 / n;
            x[i] = combined(in[a], sine(k), in[n - a], -cosine(k));
            x[m - 1 - i] = combined(in[a], cosine(k), in[n - a], sine(k));
        }
        if (m == 2)
            return;
        std::size_t width = 2;
        for (; width <= m / 4; width *= 2) {
            butterflies(x, width);
            const std::size_t groups = m / (4 * width);
            for (std::size_t g = 0; g < groups; g++) {
                const std::size_t k = 64 * width / m * (1 + 4 * reversed(g, log2(groups))), at = 2 * width * g;
                for (std::size_t i = at + width / 2; i < at + width; i++)
                    turn(x[i], x[m - 1 - i], k);
                for (std::size_t i = at + width; i < at + width + width / 2; i++)
                    turn_back(x[i], x[m - 1 - i], k);
            }
        }
        butterflies(x, width);
        for (std::size_t i = m / 4; i < m / 2; i++)
            std::tie(x[i], x[m - 1 - i]) = half_turned(x[m - 1 - i], x[i]);
    }

    void adst4(std::span<std::int64_t> x) {
        const std::int64_t a = x[0], b = x[1], c = x[2], d = x[3];
        x[0] = rounded(1321 * a + 3803 * c + 2482 * d + 3344 * b);
        x[1] = rounded(2482 * a - 1321 * c - 3803 * d + 3344 * b);
        x[2] = rounded(3344 * kept(kept(a - c) + d));
        x[3] = rounded(3803 * a + 2482 * c - 1321 * d - 3344 * b);
    }
    // The first and the second half of a pair's turns differ by a quarter.
    void adst_turns(std::span<std::int64_t> x) {
        const std::size_t pairs = x.size() / 2, half = std::max<std::size_t>(pairs / 2, 1);
        for (std::size_t p = 0; p < pairs; p++) {
            std::int64_t &a = x[2 * p], &b = x[2 * p + 1];
            const std::int64_t u = a, v = b;
            const std::size_t k = 16 / half + 32 * (p % half);
            a = p < half ? combined(u, cosine(k), v, sine(k)) : combined(u, -sine(k), v, cosine(k));
            b = p < half ? combined(u, sine(k), v, -cosine(k)) : combined(u, cosine(k), v, sine(k));
        }
    }
    void adst8_16(std::span<std::int64_t> x) {
        const std::size_t n = x.size();
        std::array<std::int64_t, 16> t{};
        for (std::size_t i = 0; i < n / 2; i++) {
            const std::size_t k = 32 / n + 128 / n * i;
            const std::int64_t a = x[n - 1 - 2 * i], b = x[2 * i];
            t[2 * i] = combined(a, cosine(k), b, sine(k));
            t[2 * i + 1] = combined(a, sine(k), b, -cosine(k));
        }
        for (std::size_t distance = n / 2; distance >= 2; distance /= 2)
            for (std::size_t at = 0; at < n; at += 2 * distance) {
                for (std::size_t i = at; i < at + distance; i++) {
                    const std::int64_t a = t[i], b = t[i + distance];
                    t[i] = kept(a + b);
                    t[i + distance] = kept(a - b);
                }
                if (distance > 2)
                    adst_turns({t.data() + at + distance, distance});
            }
        for (std::size_t i = 2; i < n; i += 4)
            std::tie(t[i + 1], t[i]) = half_turned(t[i], t[i + 1]);
        for (std::size_t i = 0; i < n; i++) { // Gray codes, upside down
            const std::size_t code = reversed(i ^ i >> 1, log2(n));
            x[i] = i % 2 ? -t[code] : t[code];
        }
    }
};

// Clause 7.13.3, in two passes. `x`: the block, row after row; only what lies in the upper left 32x32 isn't zero.
inline void av1_transform_rows(Av1Transform &pass, std::span<std::int64_t> x, const Av1Shape &shape, unsigned bit_depth,
                               std::size_t rows) {
    const std::size_t w = shape.w;
    const bool lossless = shape.horizontal == Av1Kind::wht;
    const std::int64_t limit = std::int64_t{1} << (std::max(bit_depth + 6, 16u) - 1);
    for (std::size_t y = 0; y < rows; y++) {
        const std::span<std::int64_t> row = x.subspan(y * w, w);
        for (std::int64_t &v : row) {
            if (shape.rect())
                v = (v * 2896 + 2048) >> 12;
            v = pass.kept(lossless ? v >> 2 : v);
        }
        pass.run(shape.horizontal, shape.flip_h, row);
        for (std::int64_t &v : row)
            if (!lossless)
                v = std::clamp((v + (1 << shape.shift >> 1)) >> shape.shift, -limit, limit - 1);
    }
}

// One column of what the rows have left: before the last rounding.
inline void av1_transform_column(Av1Transform &pass, std::span<std::int64_t> column, const Av1Shape &shape) {
    for (std::int64_t &v : column)
        v = pass.kept(v);
    pass.run(shape.vertical, shape.flip_v, column);
}

} // namespace dd
