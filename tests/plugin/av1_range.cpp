// SPDX-License-Identifier: BSD-2-Clause
//
// The range in which all implementations of AV1's inverse transforms agree.
#include "catch.h"

#include "av1/range.h"
#include "av1/transform.h"

#include <algorithm>
#include <random>
#include <vector>

using namespace dd;

namespace {

template <typename Visit>
void for_all_shapes(Visit &&visit) {
    for (unsigned size = 0; size < kAv1TxSizes; size++)
        for (unsigned type = 0; type < kAv1TxTypes; type++)
            if (const Av1Shape shape = av1_shape(size, type); shape.valid)
                visit(shape);
}

// Every value of every row and column, in numbers of so many bits (clause 7.13.3).
bool all_fit(const Av1Shape &shape, unsigned depth, std::vector<std::int64_t> x) {
    const bool lossless = shape.horizontal == Av1Kind::wht;
    Av1Transform rows, columns;
    av1_transform_rows(rows, x, shape, depth, std::min(shape.h, 32u));
    std::vector<std::int64_t> column(shape.h);
    for (unsigned i = 0; i < shape.w; i++) {
        for (unsigned y = 0; y < shape.h; y++)
            column[y] = x[y * shape.w + i];
        av1_transform_column(columns, column, shape);
    }
    return rows.fits(lossless ? 15 : depth + 8) && columns.fits(lossless ? 15 : std::max(depth + 6, 16u));
}

// A corner as a recorder has it, and the same as a block.
struct Coefs {
    Coefs(const Av1Shape &shape, const Av1Corner &corner)
        : shape(shape), corner(corner), low(std::size_t{1} << (corner.cols + corner.rows)), high(low.size()),
          block(std::size_t{shape.w} * shape.h) {}
    void set(std::size_t at, std::int64_t value) {
        low[at] = static_cast<std::int16_t>(value);
        high[at] = static_cast<std::int32_t>(value);
        block[(at & ((1u << corner.rows) - 1)) * shape.w + (at >> corner.rows)] = value;
    }
    bool in_range(unsigned depth) const {
        return av1_residual_in_range(shape, corner, depth,
                                     depth == 8 ? static_cast<const void *>(low.data()) : high.data());
    }

    Av1Shape shape;
    Av1Corner corner;
    std::vector<std::int16_t> low;
    std::vector<std::int32_t> high;
    std::vector<std::int64_t> block;
};

} // namespace

TEST_CASE("Residuals of AV1 are in range where every value in between is") {
    std::mt19937 random(Catch::rngSeed());
    for (const unsigned depth : {8u, 10u, 12u}) {
        unsigned inside = 0, outside = 0;
        for_all_shapes([&](const Av1Shape &shape) {
            for (unsigned round = 0; round < 48; round++) {
                const auto side = [&](unsigned length) {
                    unsigned log2 = 2;
                    while (1u << log2 < std::min(length, 32u))
                        log2++;
                    return 2 + static_cast<unsigned>(random() % (log2 - 1));
                };
                Coefs coefs(shape, {side(shape.w), side(shape.h)});
                // Few large values or many small ones, whose sum is around the harmless one and beyond.
                const std::size_t count = 1 + random() % std::min<std::size_t>(coefs.low.size(), 1u << random() % 10);
                const auto sum = static_cast<std::int64_t>(av1_harmless_sum(shape, depth)) *
                                 static_cast<std::int64_t>(1 + random() % 12) / 4;
                const std::int64_t most = depth == 8 ? INT16_MAX : (1 << (depth + 7)) - 1;
                const bool alike = random() % 2; // then they add up in the block's first pixel
                for (std::size_t n = 0; n < count; n++) {
                    const std::int64_t value = std::min(sum / static_cast<std::int64_t>(count), most);
                    coefs.set(random() % coefs.low.size(), alike || random() % 2 ? value : -value);
                }
                const bool fits = all_fit(shape, depth, coefs.block);
                INFO(depth << " bits, " << shape.w << "x" << shape.h << ", corner " << (1u << coefs.corner.cols) << "x"
                           << (1u << coefs.corner.rows));
                REQUIRE(coefs.in_range(depth) == fits);
                (fits ? inside : outside)++;
            }
        });
        CHECK(inside > 100);
        CHECK(outside > 100);
    }
}
