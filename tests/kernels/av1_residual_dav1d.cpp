// SPDX-License-Identifier: BSD-2-Clause
//
// AV1's residuals: the scalar reference against dav1d's functions, C and SIMD, wherever the check for range lets a
// residual pass; and dav1d's scans against the corners that are thought to hold all coefficients.
#include "catch.h"
#include "kernels/av1_dav1d.h"
#include "kernels/av1_random_residual.h"
#include "reference/av1_residual.h"

#include <algorithm>
#include <cstring>

using namespace dd;
using namespace dd::test;

namespace {

template <typename Check>
void for_all_transforms(Check check) {
    for (unsigned size = 0; size < kAv1TxSizes; size++)
        for (unsigned type = 0; type < kAv1TxTypes; type++)
            if (av1_shape(size, type).valid)
                check(size, type);
}

// Where the coefficient of index i of dav1d's scan lies: column after column.
unsigned dav1d_position(unsigned size, unsigned type, unsigned i) {
    const Av1Shape shape = av1_shape(size, type);
    const unsigned w = std::min(shape.w, 32u), h = std::min(shape.h, 32u);
    switch (test_tx_class(static_cast<int>(type))) {
    case 1: // by columns
        return i;
    case 2:
        return i % w * h + i / w;
    default:
        return test_scan(static_cast<int>(size))[i];
    }
}

std::vector<std::byte> by_dav1d(int simd, const PictureLayout &layout, const RandomResidual &residual,
                                const std::vector<std::byte> &before) {
    alignas(64) static std::array<std::byte, 64 * 1024> pixels; // SIMD code counts on it
    REQUIRE(before.size() <= pixels.size());
    std::ranges::copy(before, pixels.begin());
    RandomResidual copy = residual; // is cleared
    const PlaneLayout &plane = layout.plane[0];
    test_add_residual(simd, static_cast<int>(layout.format.bit_depth), copy.record.size, copy.record.type,
                      reinterpret_cast<std::uint8_t *>(pixels.data() + plane.offset),
                      static_cast<std::ptrdiff_t>(plane.stride), copy.memory, copy.record.eob);
    return {pixels.begin(), pixels.begin() + static_cast<std::ptrdiff_t>(before.size())};
}

} // namespace

TEST_CASE("coefficients lie inside corners") {
    for_all_transforms([](unsigned size, unsigned type) {
        const Av1Shape shape = av1_shape(size, type);
        const unsigned h = std::min(shape.h, 32u), count = std::min(shape.w, 32u) * h;
        unsigned cols = 0, rows = 0;
        for (unsigned eob = 0; eob < count; eob++) {
            const unsigned at = dav1d_position(size, type, eob);
            cols = std::max(cols, at / h + 1);
            rows = std::max(rows, at % h + 1);
            const Av1Corner corner = av1_corner(size, type, eob);
            INFO("size " << size << ", type " << type << ", end of block " << eob);
            REQUIRE((cols <= 1u << corner.cols && rows <= 1u << corner.rows));
        }
    });
}

TEST_CASE("residuals of the reference and of dav1d") {
    Random random(Catch::rngSeed());
    for (const unsigned depth : {8u, 10u, 12u}) {
        const PictureLayout layout = make_picture_layout({128, 128, static_cast<std::uint8_t>(depth), 1, 1, 1}, 128);
        std::vector<std::byte> before(layout.size);
        for (std::size_t i = 0; i + 2 <= before.size(); i += 2) {
            const auto v = static_cast<std::uint16_t>(random() & (depth == 8 ? 0xffffu : (1u << depth) - 1));
            std::memcpy(before.data() + i, &v, 2);
        }
        Av1Residuals residuals;
        unsigned in_range = 0, out_of_range = 0;
        for_all_transforms([&](unsigned size, unsigned type) {
            for (unsigned round = 0; round < 60; round++) {
                RandomResidual residual;
                residual.fill(random, size, type, depth, [&](unsigned i) { return dav1d_position(size, type, i); });
                residuals.reset(layout);
                if (residual.record_in(residuals) != Av1Recorded::ok) {
                    out_of_range++;
                    continue;
                }
                in_range++;
                std::vector<std::byte> expected = before;
                reference::add_residual(layout, residual.record, expected.data());
                for (const int simd : {0, 1}) {
                    INFO(depth << " bits, size " << size << ", type " << type << ", end of block "
                               << residual.record.eob << (simd ? ", SIMD" : ", C"));
                    REQUIRE(by_dav1d(simd, layout, residual, before) == expected);
                }
            }
        });
        CHECK(in_range > 4 * out_of_range);
        CHECK(out_of_range > 0);
    }
}
