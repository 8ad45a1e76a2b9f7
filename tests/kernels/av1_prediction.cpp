// SPDX-License-Identifier: BSD-2-Clause
//
// AV1's inter prediction: kernels against the scalar reference, which is run from records as well.
#include "catch.h"
#include "kernels/av1_gpu.h"
#include "kernels/av1_scene.h"
#include "kernels/test_device.h"
#include "reference/av1_batch.h"

#include <algorithm>
#include <functional>

using namespace dd;

namespace {

using namespace dd::test;
using Scene = Av1Scene;
using Pixels = Scene::Pixels;

// The records say the same as what they were made of.
void check_records(const Scene &scene) {
    Pixels pixels = scene.before;
    reference::run_av1_recon(scene.batch, scene.pixels_of, pixels.data());
    CHECK(pixels == scene.expected);
}

void run_and_compare(Scene &scene) {
    check_records(scene);
    const PictureLayout &layout = scene.batch.dst;
    const Pixels got = run_on_gpu(scene);
    const auto wrong = std::ranges::mismatch(scene.expected, got).in1 - scene.expected.begin();
    INFO("byte " << wrong << " of " << layout.size << ", planes at " << layout.plane[0].offset << " "
                 << layout.plane[1].offset << " " << layout.plane[2].offset << ", strides " << layout.plane[0].stride
                 << " " << layout.plane[1].stride);
    CHECK(wrong == static_cast<std::ptrdiff_t>(layout.size));
}

// ---- cases ----------------------------------------------------------------------------------------------

struct Layout {
    std::uint8_t ss_h, ss_v, planes;
};
constexpr Layout kLayouts[] = {{1, 1, 3}, {1, 0, 3}, {0, 0, 3}, {1, 1, 1}};

using Fill = std::function<void(Scene &, const Square &)>;

void check(const Fill &luma, const Fill &chroma) {
    Random random(Catch::rngSeed());
    for (const std::uint8_t depth : {8, 10, 12})
        for (const Layout &layout : kLayouts)
            for (const unsigned pictures : {1u, 3u, 6u, 7u}) {
                const PictureFormat format{
                    200 + below(random, 57), 130 + below(random, 60), depth, layout.ss_h, layout.ss_v, layout.planes};
                Scene scene(random, format, pictures);
                INFO(format.width << "x" << format.height << ", " << unsigned{depth} << " bits, "
                                  << unsigned{layout.ss_h} << unsigned{layout.ss_v} << ", " << pictures << " pictures");
                for (unsigned y = 0; y < 256; y += 128)
                    for (unsigned x = 0; x < 256; x += 128) {
                        luma(scene, {false, x, y, 128});
                        if (layout.planes == 3 && chroma)
                            for (unsigned cy = 0; cy < 128; cy += 64)
                                for (unsigned cx = 0; cx < 128; cx += 64)
                                    if (cx < 128u >> layout.ss_h && cy < 128u >> layout.ss_v)
                                        chroma(scene, {true, (x >> layout.ss_h) + cx, (y >> layout.ss_v) + cy, 64});
                    }
                run_and_compare(scene);
            }
}

void check_both(const Fill &fill) {
    check(fill, fill);
}

void check_predictions(unsigned kind, bool warped) {
    check_both([=](Scene &scene, const Square &q) { fill_with_predictions(scene, q, kind, warped); });
}

} // namespace

TEST_CASE("single predictions") {
    check_predictions(DD_AV1_SINGLE, false);
}
TEST_CASE("weighted compound predictions") {
    check_predictions(DD_AV1_WEIGHTED, false);
}
TEST_CASE("masked compound predictions") {
    check_predictions(DD_AV1_BY_MASK, false);
}
TEST_CASE("predictions of two halves") {
    check_predictions(DD_AV1_SPLIT, false);
}
TEST_CASE("overlapped predictions") {
    check_both([](Scene &scene, const Square &q) { fill_with_overlaps(scene, q); });
}
TEST_CASE("warped predictions") {
    check_predictions(DD_AV1_SINGLE, true);
    check_predictions(DD_AV1_WEIGHTED, true);
    check_predictions(DD_AV1_BY_MASK, true);
}
TEST_CASE("difference-weighted predictions") {
    check([](Scene &scene, const Square &q) { fill_with_differences(scene, q, false); }, {});
    check([](Scene &scene, const Square &q) { fill_with_differences(scene, q, scene.format().planes == 3); }, {});
}
TEST_CASE("whole blocks") {
    check([](Scene &scene, const Square &q) { fill_with_blocks(scene, q); }, {});
}
TEST_CASE("whole blocks beside records of planes") {
    check(
        [](Scene &scene, const Square &q) {
            if (below(scene.random, 2))
                return fill_with_blocks(scene, q);
            fill_with_predictions(scene, q, below(scene.random, 3), false);
            const unsigned ss_h = scene.format().ss_h, ss_v = scene.format().ss_v;
            for (unsigned y = 0; scene.format().planes == 3 && y < 128u >> ss_v; y += 64)
                for (unsigned x = 0; x < 128u >> ss_h; x += 64)
                    fill_with_predictions(scene, {true, (q.x >> ss_h) + x, (q.y >> ss_v) + y, 64},
                                          below(scene.random, 3), false);
        },
        {});
}
TEST_CASE("all kinds in one frame") {
    check_both([](Scene &scene, const Square &q) {
        switch (below(scene.random, 3)) {
        case 0:
            return fill_with_predictions(scene, q, below(scene.random, 4), false);
        case 1:
            return fill_with_predictions(scene, q, below(scene.random, 3), true);
        default:
            return fill_with_overlaps(scene, q);
        }
    });
}
