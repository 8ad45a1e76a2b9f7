// SPDX-License-Identifier: BSD-2-Clause
//
// What the inverse transforms of VP9 and AV1 share.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace dd {

class Butterflies {
  public:
    // Lossless Walsh-Hadamard transform of four values: clause 8.7.1.10 of VP9, 7.13.2.10 of AV1.
    void wht(std::span<std::int64_t> x) {
        const std::int64_t a = kept(x[0] + x[1]), d = kept(x[2] - x[3]);
        const std::int64_t e = kept(a - d) >> 1, c = kept(e - x[3]), b = kept(e - x[1]);
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

  protected:
    // Inside blocks of `width`; every other block is upside down.
    void butterflies(std::span<std::int64_t> x, std::size_t width) {
        for (std::size_t block = 0; block < x.size() / width; block++)
            for (std::size_t i = 0; i < width / 2; i++) {
                std::int64_t &a = x[block * width + i], &b = x[block * width + width - 1 - i];
                const std::int64_t sum = kept(a + b), difference = kept(block % 2 ? b - a : a - b);
                (block % 2 ? b : a) = sum;
                (block % 2 ? a : b) = difference;
            }
    }

  private:
    std::uint64_t magnitude_ = 0;
};

} // namespace dd
