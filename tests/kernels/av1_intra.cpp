// SPDX-License-Identifier: BSD-2-Clause
//
// AV1's intra blocks: kernels against the scalar reference, both from the same records.
#include "catch.h"
#include "kernels/av1_gpu.h"
#include "kernels/av1_random_intra.h"
#include "kernels/test_device.h"
#include "reference/av1_batch.h"

#include <algorithm>

using namespace dd;
using namespace dd::test;

namespace {

struct Layout {
    std::uint8_t ss_h, ss_v, planes;
};
constexpr Layout kLayouts[] = {{1, 1, 3}, {1, 0, 3}, {0, 0, 3}, {1, 1, 1}};

// Where the first wrong byte lies.
std::string place_of(const PictureLayout &layout, std::size_t byte) {
    for (unsigned p = 0; p < layout.format.planes; p++) {
        const PlaneLayout &plane = layout.plane[p];
        if (byte >= plane.offset && byte < plane.offset + std::size_t{plane.stride} * plane.padded_height)
            return "plane " + std::to_string(p) + ", " +
                   std::to_string((byte - plane.offset) % plane.stride / layout.bytes_per_pixel()) + " " +
                   std::to_string((byte - plane.offset) / plane.stride);
    }
    return "beside the planes";
}

// Also what is beyond the true size, and what nothing predicts.
void run_and_compare(const Av1Scene &scene) {
    Av1Scene::Pixels expected = scene.before;
    reference::run_av1_recon(scene.batch, scene.pixels_of, expected.data());
    const Av1Scene::Pixels got = run_on_gpu(scene);
    const auto wrong = std::ranges::mismatch(expected, got).in1 - expected.begin();
    const PictureFormat &format = scene.format();
    INFO(format.width << "x" << format.height << ", " << unsigned{format.bit_depth} << " bits, "
                      << unsigned{format.ss_h} << unsigned{format.ss_v} << ", planes " << unsigned{format.planes}
                      << ": " << place_of(scene.batch.dst, static_cast<std::size_t>(wrong)));
    CHECK(wrong == static_cast<std::ptrdiff_t>(expected.size()));
}

PictureFormat format_of(unsigned width, unsigned height, unsigned depth, const Layout &layout) {
    return {width, height, static_cast<std::uint8_t>(depth), layout.ss_h, layout.ss_v, layout.planes};
}

void check(const Av1IntraChoice &choice, unsigned rounds) {
    Random random(Catch::rngSeed());
    for (const unsigned depth : {8u, 10u, 12u})
        for (const Layout &layout : kLayouts)
            for (unsigned round = 0; round < rounds; round++) {
                Av1Scene scene(random, format_of(1 + below(random, 200), 1 + below(random, 150), depth, layout),
                               1 + below(random, kAv1Refs));
                if (!fill_with_intra(scene, choice).empty())
                    run_and_compare(scene);
            }
}

// Of one mode, with what AV1 has where it may not be; `residuals`: percent.
Av1IntraChoice only(unsigned mode, unsigned residuals) {
    Av1IntraChoice choice;
    choice.modes = 1u << mode;
    choice.inter = 0;
    choice.residuals = residuals;
    return choice;
}

} // namespace

TEST_CASE("intra blocks of every mode") {
    const unsigned mode = GENERATE(range(0u, unsigned{DD_AV1_INTRA_NONE}));
    CAPTURE(mode);
    check(only(mode, 0), 2);
    check(only(mode, 100), 2);
}

TEST_CASE("intra blocks among others") {
    for (const unsigned inter : {0u, 30u, 90u}) {
        Av1IntraChoice choice;
        choice.inter = inter;
        check(choice, 6);
    }
}

TEST_CASE("blends with inter predictions, and their residuals") {
    Av1IntraChoice choice;
    choice.inter = 100;
    choice.predicts = true;
    choice.splits = 90;
    check(choice, 2);
}

TEST_CASE("intra blocks after inter prediction and its residuals") {
    Av1IntraChoice choice;
    choice.inter = 50;
    choice.predicts = true;
    check(choice, 2);
}

TEST_CASE("large intra blocks") {
    Av1IntraChoice choice;
    choice.inter = 0;
    choice.splits = 10;
    check(choice, 2);
}

TEST_CASE("intra blocks of pictures of odd sizes") {
    Random random(Catch::rngSeed());
    for (const unsigned depth : {8u, 10u, 12u})
        for (const Layout &layout : kLayouts)
            for (const unsigned width : {1u, 8u, 9u, 64u, 65u})
                for (const unsigned height : {1u, 7u, 16u, 63u, 129u}) {
                    Av1Scene scene(random, format_of(width, height, depth, layout), 1);
                    Av1IntraChoice choice;
                    choice.inter = 5;
                    if (!fill_with_intra(scene, choice).empty())
                        run_and_compare(scene);
                }
}

// Dispatches have so many groups at most, and one of a level has several then.
TEST_CASE("a level of more intra blocks than a dispatch has groups") {
    Random random(Catch::rngSeed());
    Av1Scene scene(random, format_of(4096, 4100, 8, kLayouts[3]), 1);
    const PlaneLayout &plane = scene.batch.dst.plane[0];
    for (unsigned y = 0; y < plane.padded_height; y += 64)
        for (unsigned x = 0; x < plane.padded_width; x += 64) {
            DdAv1Intra i{};
            i.mode = DD_AV1_INTRA_DC;
            i.w_log2 = i.h_log2 = 6;
            i.x = static_cast<std::uint16_t>(x);
            i.y = static_cast<std::uint16_t>(y);
            REQUIRE(scene.recorder().intra(i) == Av1Recorded::ok);
        }
    run_and_compare(scene);
}
