// SPDX-License-Identifier: BSD-2-Clause
//
// The range in which all implementations of VP9's inverse transforms agree.
#include "catch.h"

#include "vp9/batch.h"
#include "vp9/range.h"
#include "vp9/transform.h"

#include <algorithm>
#include <random>
#include <vector>

using namespace dd;

namespace {

constexpr std::uint32_t kBoth = DD_INTRA_ITX_ADST_COLUMNS | DD_INTRA_ITX_ADST_ROWS;

// The transforms of a size, as DD_INTRA_ITX_* says them.
std::vector<std::uint32_t> transforms(unsigned size) {
    if (size == 3)
        return {0};
    return {0, DD_INTRA_ITX_ADST_COLUMNS, DD_INTRA_ITX_ADST_ROWS, kBoth};
}

bool all_fit(unsigned size, std::uint32_t how, std::vector<std::int64_t> x, unsigned bits) {
    const unsigned n = 4u << size;
    Vp9Transform transform;
    vp9_intra_inverse_rows(transform, x, n, n, (how & DD_INTRA_ITX_ADST_ROWS) != 0);
    vp9_intra_inverse_columns(transform, x, n, (how & DD_INTRA_ITX_ADST_COLUMNS) != 0);
    return transform.fits(bits);
}

std::size_t values(unsigned size) {
    return std::size_t{16} << (2 * size);
}

// The largest number of so many bits, divided by sqrt(2).
constexpr std::int64_t largest_input(unsigned bits) {
    return std::int64_t{23170} << bits >> 16;
}

// Shares `sum` out to `count` values of `x`, with random signs.
void share_out(std::mt19937 &random, std::int64_t sum, unsigned count, std::vector<std::int64_t> &x) {
    for (; count; count--) {
        const std::int64_t part = count == 1 ? sum : sum / count + static_cast<std::int64_t>(random() % 3);
        std::int64_t &value = x[random() % x.size()];
        const bool negative = value ? value < 0 : random() % 2 != 0;
        value += negative ? -part : part;
        sum -= part;
    }
}

// Column after column, as a recorder has it.
template <typename T>
std::vector<T> filled(unsigned size, std::int64_t value) {
    return std::vector<T>(values(size), static_cast<T>(value));
}

} // namespace

TEST_CASE("no value of a transform is more than sqrt(2) times a single coefficient", "[range]") {
    const unsigned bits = GENERATE(16u, 18u, 20u, 30u);
    for (unsigned size = 0; size < DD_INTRA_SIZES; size++)
        for (const std::uint32_t how : transforms(size))
            for (std::size_t at = 0; at < values(size); at++)
                for (const std::int64_t sign : {1, -1}) {
                    std::vector<std::int64_t> x(values(size));
                    x[at] = sign * (largest_input(bits) - 8);
                    CAPTURE(size, how, at, bits, sign);
                    if (!all_fit(size, how, x, bits)) // fewer assertions
                        FAIL("a value is too large");
                }
}

TEST_CASE("blocks whose sum of magnitudes is harmless have no value out of range", "[range]") {
    std::mt19937 random(Catch::rngSeed());
    const unsigned depth = GENERATE(8u, 10u, 12u);
    for (unsigned size = 0; size < DD_INTRA_SIZES; size++) {
        const auto sum = static_cast<std::int64_t>(vp9_harmless_sum(size, depth));
        unsigned bits = depth + 8;
        if (size == 0)
            bits = depth == 12 ? 18 : 16; // FFmpeg's own functions
        for (const std::uint32_t how : transforms(size))
            for (unsigned turn = 0; turn < 200; turn++) {
                std::vector<std::int64_t> x(values(size));
                share_out(random, sum, 1 + random() % static_cast<unsigned>(x.size()), x);
                CAPTURE(size, how, depth, turn);
                if (!all_fit(size, how, x, bits))
                    FAIL("a value is out of range");
            }
    }
}

TEST_CASE("residuals of intra blocks are checked", "[range]") {
    for (unsigned size = 0; size < DD_INTRA_SIZES; size++)
        for (const std::uint32_t transform : transforms(size)) {
            const std::uint32_t how = transform | (size + 1);
            const unsigned n = 4u << size;
            CAPTURE(size, how);
            CHECK(vp9_intra_residual_in_range(size, how, 8, filled<std::int16_t>(size, 1).data(), n));
            CHECK_FALSE(vp9_intra_residual_in_range(size, how, 8, filled<std::int16_t>(size, 32000).data(), n));
            CHECK(vp9_intra_residual_in_range(size, how, 10, filled<std::int32_t>(size, 1).data(), n));
            CHECK_FALSE(vp9_intra_residual_in_range(size, how, 12, filled<std::int32_t>(size, 1 << 19).data(), n));
        }
}

TEST_CASE("only the corner of an intra block's residual counts", "[range]") {
    std::vector<std::int16_t> coefs = filled<std::int16_t>(2, 32000);
    for (unsigned column = 0; column < 8; column++)
        std::fill_n(coefs.begin() + column * 16, 8, std::int16_t{3});
    for (const std::uint32_t transform : transforms(2)) {
        CHECK(vp9_intra_residual_in_range(2, transform | 2, 8, coefs.data(), 16));
        CHECK_FALSE(vp9_intra_residual_in_range(2, transform | 3, 8, coefs.data(), 16));
    }
}

// A row whose DCT fits into 16 bits, but not its ADST, and the other way round.
TEST_CASE("the range of an intra block's residual goes by its transforms", "[range]") {
    std::mt19937 random(Catch::rngSeed());
    unsigned by_dct = 0, by_adst = 0, differ_by_direction = 0;
    for (unsigned turn = 0; turn < 3000; turn++) {
        std::vector<std::int16_t> coefs(64);
        for (unsigned i = 0; i < 8; i++) // the first row
            coefs[i * 8] = static_cast<std::int16_t>(static_cast<int>(random() % 24000) - 12000);
        const auto fits = [&](std::uint32_t how) {
            return vp9_intra_residual_in_range(1, how | 2, 8, coefs.data(), 8);
        };
        by_dct += fits(0) && !fits(kBoth);
        by_adst += !fits(0) && fits(kBoth);
        differ_by_direction += fits(DD_INTRA_ITX_ADST_ROWS) != fits(DD_INTRA_ITX_ADST_COLUMNS);
    }
    CHECK(by_dct > 0);
    CHECK(by_adst > 0);
    CHECK(differ_by_direction > 0);
}
