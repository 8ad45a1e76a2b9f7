// SPDX-License-Identifier: BSD-2-Clause
//
// AV1's residuals: kernels against the scalar reference.
#include "reference/av1_residual.h"
#include "av1/dispatch.h"
#include "catch.h"
#include "kernels/av1_random_residual.h"
#include "kernels/test_device.h"
#include "vulkan/gpu.h"

#include <cstring>

using namespace dd;

namespace {

using test::below, test::open_gpu, test::Random, test::RandomResidual, test::run_without_tables;

struct Layout {
    std::uint8_t ss_h, ss_v, planes;
};
constexpr Layout kLayouts[] = {{1, 1, 3}, {1, 0, 3}, {0, 0, 3}, {1, 1, 1}};

using Bytes = std::vector<std::byte>;

Bytes random_pixels(Random &random, const PictureLayout &layout) {
    Bytes pixels(layout.size);
    const unsigned max = (1u << layout.format.bit_depth) - 1, bytes = layout.bytes_per_pixel();
    for (std::size_t i = 0; i + bytes <= pixels.size(); i += bytes) {
        const auto v = static_cast<std::uint16_t>(below(random, 3) ? below(random, max + 1) : below(random, 2) * max);
        std::memcpy(pixels.data() + i, &v, bytes);
    }
    return pixels;
}

struct Scene {
    Scene(Random &r, const PictureFormat &format) : random(r) {
        batch.dst = make_picture_layout(format, 128);
        batch.recon.reset(batch.dst, {}, 2);
        before = random_pixels(random, batch.dst);
        expected = before;
    }

    // One block; `any` coefficient inside the corner that its end of block allows. False: out of range.
    bool add(unsigned plane, unsigned x, unsigned y, unsigned size, unsigned type) {
        const Av1Shape shape = av1_shape(size, type);
        const unsigned stride = std::min(shape.h, 32u);
        RandomResidual residual;
        residual.fill(random, size, type, batch.dst.format.bit_depth, [&](unsigned i) {
            if (i == 0)
                return 0u;
            const Av1Corner corner = av1_corner(size, type, i);
            return below(random, 1u << corner.cols) * stride + below(random, 1u << corner.rows);
        });
        residual.record.plane = static_cast<std::uint8_t>(plane);
        residual.record.x = static_cast<std::uint16_t>(x);
        residual.record.y = static_cast<std::uint16_t>(y);
        const Av1Recorded recorded = residual.record_in(batch.recon.recorders[below(random, 2)].residuals);
        REQUIRE(recorded != Av1Recorded::invalid);
        if (recorded == Av1Recorded::ok)
            reference::add_residual(batch.dst, residual.record, expected.data());
        return recorded == Av1Recorded::ok;
    }

    void fill(unsigned plane, unsigned left, unsigned top, unsigned side, unsigned size, unsigned type) {
        const Av1Shape shape = av1_shape(size, type);
        for (unsigned y = 0; y < side; y += shape.h)
            for (unsigned x = 0; x < side; x += shape.w)
                if (below(random, 8))
                    taken += add(plane, left + x, top + y, size, type);
    }

    Random &random;
    Av1Batch batch;
    Bytes before, expected;
    std::uint64_t taken = 0;
};

void run_and_compare(Scene &scene) {
    const auto gpu = open_gpu();
    const PictureLayout &layout = scene.batch.dst;
    PhaseWork work;
    plan_av1_recon(scene.batch, gpu->info().profile, work);
    REQUIRE(!work.dispatches.empty());
    CHECK(work.dispatches.size() <= 2);
    CHECK(scene.batch.recon.counts().residuals == scene.taken);
    GpuJob job(gpu);
    REQUIRE(job.begin({&work, nullptr}).result == 0);
    write_av1_recon(scene.batch, work, job.upload(0));
    std::unique_ptr<GpuPicture> picture;
    REQUIRE(gpu->make_picture(layout, picture).result == 0);
    std::memcpy(picture->data(), scene.before.data(), scene.before.size());
    GpuJobInput input;
    input.dst = picture.get();
    run_without_tables(job, input);
    // Also what is beyond the true size, and where there is no residual.
    const std::byte *got = picture->data();
    const auto wrong = std::mismatch(scene.expected.begin(), scene.expected.end(), got).first - scene.expected.begin();
    INFO("byte " << wrong << " of " << layout.size << ", planes at " << layout.plane[0].offset << " "
                 << layout.plane[1].offset << " " << layout.plane[2].offset << ", strides " << layout.plane[0].stride
                 << " " << layout.plane[1].stride);
    CHECK(wrong == static_cast<std::ptrdiff_t>(layout.size));
}

PictureFormat format_of(Random &random, unsigned depth, const Layout &layout) {
    return {200 + below(random, 57),
            130 + below(random, 60),
            static_cast<std::uint8_t>(depth),
            layout.ss_h,
            layout.ss_v,
            layout.planes};
}

// All squares of 64 pixels of all planes.
template <typename Fill>
void fill_planes(Scene &scene, Fill fill) {
    const PictureLayout &layout = scene.batch.dst;
    for (unsigned p = 0; p < layout.format.planes; p++)
        for (unsigned y = 0; y + 64 <= layout.plane[p].padded_height; y += 64)
            for (unsigned x = 0; x + 64 <= layout.plane[p].padded_width; x += 64)
                fill(p, x, y);
}

} // namespace

TEST_CASE("residuals of every size and type") {
    Random random(Catch::rngSeed());
    for (const unsigned depth : {8u, 10u, 12u})
        for (unsigned size = 0; size < kAv1TxSizes; size++)
            for (unsigned type = 0; type < kAv1TxTypes; type++) {
                if (!av1_shape(size, type).valid)
                    continue;
                INFO(depth << " bits, size " << size << ", type " << type);
                Scene scene(random, format_of(random, depth, kLayouts[below(random, 4)]));
                fill_planes(scene, [&](unsigned p, unsigned x, unsigned y) { scene.fill(p, x, y, 64, size, type); });
                run_and_compare(scene);
            }
}

TEST_CASE("residuals of all kinds in one frame") {
    Random random(Catch::rngSeed());
    for (const unsigned depth : {8u, 10u, 12u})
        for (const Layout &layout : kLayouts) {
            INFO(depth << " bits");
            Scene scene(random, format_of(random, depth, layout));
            fill_planes(scene, [&](unsigned p, unsigned x, unsigned y) {
                unsigned size, type;
                do {
                    size = below(random, kAv1TxSizes);
                    type = below(random, kAv1TxTypes);
                } while (!av1_shape(size, type).valid);
                scene.fill(p, x, y, 64, size, type);
            });
            run_and_compare(scene);
        }
}

TEST_CASE("residuals that can't be") {
    Av1Residuals residuals;
    const PictureLayout layout = make_picture_layout({100, 60, 8, 1, 1, 3}, 128);
    residuals.reset(layout);
    std::int16_t coefs[32 * 32] = {1};
    const DdAv1Residual good{
        .plane = 0, .size = 1, .type = 0, .x = 120, .y = 120, .eob = 63, .coefs = coefs, .home = nullptr};
    CHECK(residuals.take(good) == Av1Recorded::ok);
    const auto refused = [&](auto change) {
        DdAv1Residual r = good;
        change(r);
        return residuals.take(r) == Av1Recorded::invalid;
    };
    CHECK(refused([](auto &r) { r.plane = 3; }));
    CHECK(refused([](auto &r) { r.size = 19; }));
    CHECK(refused([](auto &r) { r.size = 2; }));                               // beyond the padding
    CHECK(refused([](auto &r) { r.plane = 1; }));                              // chroma is smaller
    CHECK(refused([](auto &r) { r.type = 17; }));                              //
    CHECK(refused([](auto &r) { r.type = 16; }));                              // lossless is 4x4
    CHECK(refused([](auto &r) { r.size = 3, r.x = 0, r.y = 0, r.type = 1; })); // ADST of 32
    CHECK(refused([](auto &r) { r.size = 4, r.x = 0, r.y = 0, r.type = 9; })); // identity of 64
    CHECK(refused([](auto &r) { r.x = 2; }));
    CHECK(refused([](auto &r) { r.y = 65532; }));
    CHECK(refused([](auto &r) { r.eob = 64; }));
    CHECK(refused([](auto &r) { r.coefs = nullptr; }));
    CHECK(residuals.count == 1);
}

TEST_CASE("DC coefficients of all 32 bits") {
    for (const int dc : {INT32_MIN, INT32_MAX, -667312266}) {
        const auto half_turn = [](std::int64_t v) { return (v * 181 + 128) >> 8; };
        REQUIRE(av1_dc_residual(0, dc) == (half_turn(half_turn(dc)) + 8) >> 4);
    }
}

TEST_CASE("coefficients that are given back lie where they were, or at their homes") {
    Random random(Catch::rngSeed());
    const bool with_homes = GENERATE(false, true);
    for (const unsigned depth : {8u, 10u, 12u}) {
        Av1Residuals residuals;
        residuals.reset(make_picture_layout({128, 128, static_cast<std::uint8_t>(depth), 1, 1, 1}, 128));
        std::vector<RandomResidual> before, after;
        for (unsigned size = 0; size < kAv1TxSizes; size++)
            for (unsigned type = 0; type < kAv1TxTypes; type++) {
                if (!av1_shape(size, type).valid)
                    continue;
                const unsigned stride = std::min(av1_shape(size, type).h, 32u);
                RandomResidual &residual = before.emplace_back();
                residual.fill(random, size, type, depth, [&](unsigned i) {
                    const Av1Corner corner = av1_corner(size, type, i);
                    return i ? below(random, 1u << corner.cols) * stride + below(random, 1u << corner.rows) : 0u;
                });
            }
        after = before;
        std::vector<RandomResidual> homes(before.size());
        std::vector<bool> is_taken;
        for (RandomResidual &residual : after) {
            const std::size_t i = static_cast<std::size_t>(&residual - after.data());
            residual.record.coefs = residual.memory;
            residual.record.home = with_homes ? homes[i].memory : nullptr;
            const bool ok = residuals.take(residual.record) == Av1Recorded::ok;
            is_taken.push_back(ok);
            if (ok)
                CHECK(std::ranges::all_of(residual.memory, [](std::int32_t v) { return v == 0; }));
            else // out of range
                CHECK(std::ranges::equal(residual.memory, before[i].memory));
        }
        CHECK(std::ranges::count(is_taken, true) > std::ssize(before) / 2);
        residuals.give_back();
        for (std::size_t i = 0; i < before.size(); i++)
            REQUIRE(std::ranges::equal((with_homes && is_taken[i] ? homes : after)[i].memory, before[i].memory));
    }
}
