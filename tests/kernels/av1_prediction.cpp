// SPDX-License-Identifier: BSD-2-Clause
//
// AV1's inter prediction: kernels against the scalar reference.
#include "reference/av1_prediction.h"
#include "batch/av1_recorder.h"
#include "catch.h"
#include "kernels/av1_random.h"
#include "kernels/test_device.h"
#include "vulkan/av1_dispatch.h"
#include "vulkan/gpu.h"

#include <bit>
#include <cstring>
#include <functional>

using namespace dd;

namespace {

using test::below, test::open_gpu, test::Random;

int between(Random &random, int first, int last) {
    return first + static_cast<int>(below(random, static_cast<unsigned>(last - first + 1)));
}

using Pixels = std::vector<std::uint8_t>;

Pixels random_pixels(Random &random, const PictureLayout &layout) {
    Pixels pixels(layout.size);
    const unsigned max = (1u << layout.format.bit_depth) - 1;
    const bool extreme = below(random, 2) != 0;
    const auto value = [&] { return extreme ? (below(random, 2) ? max : 0) : below(random, max + 1); };
    if (layout.bytes_per_pixel() == 1) {
        for (auto &p : pixels)
            p = static_cast<std::uint8_t>(value());
        return pixels;
    }
    for (std::size_t i = 0; i + 1 < pixels.size(); i += 2) {
        const auto v = static_cast<std::uint16_t>(value());
        std::memcpy(pixels.data() + i, &v, 2);
    }
    return pixels;
}

// A frame whose predictions are made up as it is filled, for the kernels and for the reference at once.
struct Scene {
    Scene(Random &r, const PictureFormat &format, unsigned pictures) : random(r) {
        batch.dst = make_picture_layout(format, 128);
        REQUIRE(batch.dst.size != 0);
        for (unsigned i = 0; i < pictures; i++)
            memory.push_back(random_pixels(random, batch.dst));
        std::array<const void *, kAv1Refs> which{};
        for (unsigned slot = 0; slot < kAv1Refs; slot++) {
            picture_of[slot] = slot < pictures ? slot : below(random, pictures);
            which[slot] = &memory[picture_of[slot]];
            pixels_of[slot] = memory[picture_of[slot]].data();
        }
        Av1References references;
        references.set(which);
        batch.recon.reset(batch.dst, references, 2);
        before = random_pixels(random, batch.dst);
        expected = before;
    }

    const PictureFormat &format() const { return batch.dst.format; }
    Av1Recorder &recorder() { return batch.recon.recorders[below(random, 2)]; }
    reference::Av1Predictor predictor() { return {batch.dst, pixels_of, expected.data()}; }

    // A source near the rectangle, or far from it.
    DdAv1Source source(unsigned x, unsigned y, unsigned w, unsigned h) {
        DdAv1Source s{};
        const int far = below(random, 8) == 0 ? 20000 : 24 * 16;
        s.x = static_cast<int>(x) * 16 + between(random, -far, far);
        s.y = static_cast<int>(y) * 16 + between(random, -far, far);
        if (below(random, 4) == 0)
            s.x &= ~15;
        if (below(random, 4) == 0)
            s.y &= ~15;
        s.ref = static_cast<std::uint8_t>(below(random, kAv1Refs));
        const bool bilinear = below(random, 6) == 0;
        s.taps_x = static_cast<std::uint8_t>(bilinear ? 5 : w > 4 ? below(random, 3) : 3 + below(random, 2));
        s.taps_y = static_cast<std::uint8_t>(bilinear ? 5 : h > 4 ? below(random, 3) : 3 + below(random, 2));
        return s;
    }

    // Shears within the limits of clause 7.11.3.6.
    const DdAv1Warp *warp() {
        auto w = std::make_unique<DdAv1Warp>();
        for (int i = 0; i < 6; i++)
            w->matrix[i] = i < 2 ? between(random, -(40 << 16), 40 << 16) : between(random, -8191, 8191);
        w->matrix[2] += 1 << 16;
        w->matrix[5] += 1 << 16;
        w->shear[0] = static_cast<std::int16_t>(between(random, -128, 128) * 64);
        w->shear[1] = static_cast<std::int16_t>(between(random, -64, 64) * 64);
        w->shear[2] = static_cast<std::int16_t>(between(random, -128, 128) * 64);
        w->shear[3] = static_cast<std::int16_t>(between(random, -100, 100) * 64);
        warps.push_back(std::move(w));
        return warps.back().get();
    }

    const std::uint8_t *mask(unsigned w, unsigned h) {
        auto m = std::make_unique<Pixels>(w * h);
        for (auto &v : *m)
            v = static_cast<std::uint8_t>(below(random, 65));
        masks.push_back(std::move(m));
        return masks.back()->data();
    }

    Random &random;
    Av1Batch batch;
    std::vector<Pixels> memory;
    std::array<unsigned, kAv1Refs> picture_of{};
    std::array<const std::uint8_t *, 7> pixels_of{};
    Pixels before, expected;
    std::vector<std::unique_ptr<DdAv1Warp>> warps;
    std::vector<std::unique_ptr<Pixels>> masks;
};

void run_and_compare(Scene &scene) {
    const auto gpu = open_gpu();
    const PictureLayout &layout = scene.batch.dst;
    std::vector<std::unique_ptr<GpuPicture>> pictures;
    const auto picture = [&](const Pixels &pixels) {
        std::unique_ptr<GpuPicture> made;
        REQUIRE(gpu->make_picture(layout, made).result == 0);
        std::memcpy(made->data(), pixels.data(), pixels.size());
        pictures.push_back(std::move(made));
        return pictures.back().get();
    };
    PhaseWork work;
    plan_av1_recon(scene.batch, work);
    if (work.dispatches.empty())
        return;
    GpuJob job(gpu);
    REQUIRE(job.begin({&work, nullptr}).result == 0);
    write_av1_recon(scene.batch, work, job.upload(0));
    GpuJobInput input;
    input.dst = picture(scene.before);
    std::vector<GpuPicture *> made;
    for (const Pixels &pixels : scene.memory)
        made.push_back(picture(pixels));
    for (unsigned slot = 0; slot < kAv1Refs; slot++)
        if (scene.batch.recon.used_refs() >> slot & 1)
            input.ref[slot] = made[scene.picture_of[slot]];
    const std::uint32_t no_tables[64] = {};
    input.tables = no_tables;
    input.cpu_wrote = true;
    REQUIRE(job.submit(input).result == 0);
    REQUIRE(job.wait().result == 0);
    // Also what is beyond the true size, and what nothing predicts.
    const auto *got = reinterpret_cast<const std::uint8_t *>(input.dst->data());
    const auto wrong = std::mismatch(scene.expected.begin(), scene.expected.end(), got).first - scene.expected.begin();
    INFO("byte " << wrong << " of " << layout.size << ", planes at " << layout.plane[0].offset << " "
                 << layout.plane[1].offset << " " << layout.plane[2].offset << ", strides " << layout.plane[0].stride
                 << " " << layout.plane[1].stride);
    CHECK(wrong == static_cast<std::ptrdiff_t>(layout.size));
}

// ---- what fills a square of 32x32, 64x64 or 128x128 pixels of a plane -------------------------------------------

struct Square {
    bool chroma;
    unsigned x, y, side;
};

void fill_with_predictions(Scene &scene, const Square &q, unsigned kind, bool warped) {
    Random &random = scene.random;
    const unsigned smallest = warped ? 3 : kind == DD_AV1_SPLIT ? 2 : 2;
    const unsigned largest = kind == DD_AV1_BY_MASK ? 5 : static_cast<unsigned>(std::countr_zero(q.side));
    const unsigned w = kind == DD_AV1_SPLIT ? 4 : 1u << (smallest + below(random, largest - smallest + 1));
    const unsigned low = kind == DD_AV1_SPLIT || (!warped && kind == DD_AV1_SINGLE) ? 1 : smallest;
    const unsigned h = 1u << (low + below(random, (kind == DD_AV1_SPLIT ? 4 : largest) - low + 1));
    for (unsigned y = 0; y < q.side; y += h)
        for (unsigned x = 0; x < q.side; x += w) {
            DdAv1Prediction p{};
            p.chroma = q.chroma;
            p.kind = static_cast<std::uint8_t>(kind);
            p.weight = static_cast<std::uint8_t>(below(random, 17) * 4);
            p.x = static_cast<std::uint16_t>(q.x + x);
            p.y = static_cast<std::uint16_t>(q.y + y);
            p.w = static_cast<std::uint16_t>(w);
            p.h = static_cast<std::uint16_t>(h);
            p.source[0] = scene.source(p.x, p.y, w, h);
            p.source[1] = scene.source(p.x + (kind == DD_AV1_SPLIT ? 2u : 0u), p.y, w, h);
            if (warped) {
                const unsigned which = kind == DD_AV1_SINGLE ? 1 : 1 + below(random, 3);
                for (unsigned i = 0; i < 2; i++)
                    if (which >> i & 1)
                        p.source[i].warp = scene.warp();
            }
            if (kind == DD_AV1_BY_MASK)
                p.mask = scene.mask(w, h);
            REQUIRE(scene.recorder().predict(p));
            scene.predictor().predict(p);
        }
}

void fill_with_overlaps(Scene &scene, const Square &q) {
    Random &random = scene.random;
    const unsigned w = 4u << below(random, 2), h = 4u << below(random, 2);
    for (unsigned y = 0; y < q.side; y += h)
        for (unsigned x = 0; x < q.side; x += w) {
            DdAv1Overlap o{};
            o.chroma = q.chroma;
            o.x = static_cast<std::uint16_t>(q.x + x);
            o.y = static_cast<std::uint16_t>(q.y + y);
            o.w = static_cast<std::uint16_t>(w);
            o.h = static_cast<std::uint16_t>(h);
            if (below(random, 4)) {
                o.above = static_cast<std::uint8_t>(std::max(h / 2, 2u << below(random, 5)));
                o.above_at = static_cast<std::uint8_t>(h * below(random, 2u * o.above / h));
            }
            if (below(random, 4)) {
                o.left = static_cast<std::uint8_t>(std::max(w / 2, 2u << below(random, 5)));
                o.left_at = static_cast<std::uint8_t>(w * below(random, 2u * o.left / w));
            }
            for (DdAv1Source &s : o.source)
                s = scene.source(o.x, o.y, w, h);
            REQUIRE(scene.recorder().overlap(o));
            scene.predictor().overlap(o);
        }
}

void fill_with_differences(Scene &scene, const Square &q, bool chroma) {
    Random &random = scene.random;
    const unsigned w = 8u << below(random, 5), h = 8u << below(random, 5);
    for (unsigned y = 0; y < q.side; y += h)
        for (unsigned x = 0; x < q.side; x += w) {
            DdAv1Difference d{};
            d.chroma = chroma;
            d.sign = static_cast<std::uint8_t>(below(random, 2));
            d.x = static_cast<std::uint16_t>(q.x + x);
            d.y = static_cast<std::uint16_t>(q.y + y);
            d.w = static_cast<std::uint16_t>(w);
            d.h = static_cast<std::uint16_t>(h);
            const unsigned cw = w >> scene.format().ss_h, ch = h >> scene.format().ss_v;
            for (unsigned i = 0; i < 2; i++) {
                d.source[i] = scene.source(d.x, d.y, w, h);
                d.chroma_source[i] = scene.source(d.x >> scene.format().ss_h, d.y >> scene.format().ss_v, cw, ch);
                d.chroma_source[i].ref = d.source[i].ref;
                if (below(random, 3) == 0) {
                    d.source[i].warp = scene.warp();
                    d.chroma_source[i].warp = cw >= 8 && ch >= 8 ? scene.warp() : nullptr;
                }
            }
            REQUIRE(scene.recorder().difference(d));
            scene.predictor().difference(d);
        }
}

// ---- cases ----------------------------------------------------------------------------------------------

struct Layout {
    std::uint8_t ss_h, ss_v, planes;
};
constexpr Layout kLayouts[] = {{1, 1, 3}, {1, 0, 3}, {0, 0, 3}, {1, 1, 1}};

using Fill = std::function<void(Scene &, const Square &)>;

void check(const Fill &luma, const Fill &chroma) {
    if (!open_gpu())
        return;
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
