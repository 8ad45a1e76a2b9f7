// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace dd {

// How many bytes of coefficients a frame will have, by its size in the bitstream: from frame to frame their number
// changes a hundredfold, the ratio little among frames alike in size; large ones, after a cut, have a smaller one. It
// goes up twice as fast as down, and there is an eighth to spare, of large frames less: what one of those outgrows is
// copied once in its long time. Any thread may ask and tell.
class ExpectedCoefs {
  public:
    ExpectedCoefs() {
        for (unsigned i = 0; i < kSizes; i++)
            ratio_[i].store(i < kFirstLarge ? 20 * kOne : 18 * kOne, std::memory_order_relaxed);
    }
    // `coded`: bytes of the frame in the bitstream, 0: unknown, in all frames of a stream.
    void met(std::size_t bytes, std::uint32_t coded) {
        if (bytes <= kLeast) // as any ratio would have it
            return;
        std::atomic<std::uint64_t> &known = ratio_[size_class(coded)];
        const std::uint64_t met = std::min<std::uint64_t>(bytes * kOne / known_size(coded), kMostRatio);
        const std::uint64_t ratio = known.load(std::memory_order_relaxed);
        known.store(met > ratio ? std::min(met, ratio + ratio / 8) : std::max(met, ratio - ratio / 16),
                    std::memory_order_relaxed);
    }
    // Capacity that most fit into. `most`: bytes that all coefficients of such a picture take.
    std::size_t capacity(std::uint32_t coded, std::size_t most) const {
        const std::uint64_t ratio = ratio_[size_class(coded)].load(std::memory_order_relaxed);
        const std::uint64_t expected = known_size(coded) * ratio / kOne;
        return std::max<std::size_t>(std::min<std::uint64_t>(expected + std::min(expected / 8, kMostToSpare), most),
                                     kLeast);
    }

  private:
    static constexpr std::uint64_t kMostToSpare = 256 * 1024;
    static constexpr std::uint64_t kOne = 256;              // a byte for each coded one
    static constexpr std::uint64_t kMostRatio = kOne << 16; // of a frame that says next to nothing
    static constexpr std::size_t kLeast = 128 * 1024;       // costs nothing
    // By powers of two: less than 16 KiB, ..., from 512 KiB on. Streams of VP9 and AV1 have 10 to 30 where rates are
    // high, their frames from 128 KiB on up to 17.
    static constexpr unsigned kSizes = 7, kFirstLarge = 4, kFirstBits = 14;
    static std::uint64_t known_size(std::uint32_t coded) { return coded ? coded : 16 * 1024; }
    static unsigned size_class(std::uint32_t coded) {
        const auto bits = static_cast<unsigned>(std::bit_width(known_size(coded)));
        return std::clamp(bits, kFirstBits, kFirstBits + kSizes - 1) - kFirstBits;
    }
    std::array<std::atomic<std::uint64_t>, kSizes> ratio_;
};

} // namespace dd
