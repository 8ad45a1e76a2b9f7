// SPDX-License-Identifier: BSD-2-Clause
//
// Random residuals of one transform block.
#pragma once
#include "av1/residual.h"
#include "kernels/av1_random.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dd::test {

struct RandomResidual {
    DdAv1Residual record{};
    alignas(64) std::int32_t memory[32 * 32]{}; // int16_t with 8 bits

    // `position(i)`: where the coefficient of index i in the scan lies. Fills those up to a random end of block.
    template <typename Position>
    void fill(Random &random, unsigned size, unsigned type, unsigned bit_depth, Position position) {
        std::ranges::fill(memory, 0);
        const Av1Shape shape = av1_shape(size, type);
        const unsigned coded = std::min(shape.w, 32u) * std::min(shape.h, 32u);
        record.size = static_cast<std::uint8_t>(size);
        record.type = static_cast<std::uint8_t>(type);
        record.eob = static_cast<std::uint16_t>(below(random, 4) == 0   ? 0
                                                : below(random, 2) == 0 ? below(random, std::min(coded, 24u))
                                                                        : below(random, coded));
        record.coefs = memory;
        // Few large values or many small ones; now and then such as no transform can hold.
        const unsigned most = bit_depth + 7 - (below(random, 16) ? 2 : 0);
        const unsigned bits = 1 + below(random, most), each = 1 + below(random, 6);
        for (unsigned i = 0; i <= record.eob; i++)
            if (i == record.eob || below(random, each) == 0)
                put(position(i), bit_depth, value(random, bits));
    }

    // Leaves the coefficients where they are.
    Av1Recorded record_in(Av1Residuals &residuals) const {
        RandomResidual taken = *this;
        taken.record.coefs = taken.memory;
        return residuals.take(taken.record);
    }

  private:
    static int value(Random &random, unsigned bits) {
        const int magnitude = static_cast<int>(below(random, 1u << bits));
        return below(random, 2) ? -magnitude - 1 : magnitude;
    }
    void put(unsigned at, unsigned bit_depth, int v) {
        if (bit_depth == 8)
            reinterpret_cast<std::int16_t *>(memory)[at] = static_cast<std::int16_t>(v);
        else
            memory[at] = v;
    }
};

} // namespace dd::test
