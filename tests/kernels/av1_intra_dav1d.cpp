// SPDX-License-Identifier: BSD-2-Clause
//
// AV1's intra prediction: what the recorder makes of single blocks, run by the scalar reference, against dav1d's
// functions, C and SIMD.
#include "catch.h"
#include "kernels/av1_dav1d.h"
#include "kernels/av1_dav1d_intra.h"
#include "kernels/av1_dav1d_position.h"
#include "kernels/av1_random_residual.h"
#include "kernels/av1_scene.h"
#include "kernels/spread.h"
#include "reference/av1_intra.h"

#include <cstring>

using namespace dd;
using namespace dd::test;

namespace {

constexpr PictureFormat kFormats[] = {{0, 0, 8, 1, 1, 3}, {0, 0, 8, 1, 0, 3}, {0, 0, 8, 0, 0, 3}};

// SIMD code counts on it.
template <typename T, std::size_t count>
struct Aligned {
    alignas(64) std::array<T, count> values;
    T *data() { return values.data(); }
};
struct alignas(64) Line {
    std::array<std::uint8_t, 64> bytes;
};
// A copy of a picture, laid out for SIMD code.
class Picture {
  public:
    explicit Picture(const std::vector<std::uint8_t> &pixels) : lines_((pixels.size() + 63) / 64) {
        std::memcpy(data(), pixels.data(), pixels.size());
    }
    std::uint8_t *data() { return lines_.data()->bytes.data(); }

  private:
    std::vector<Line> lines_;
};

// What dav1d calls the block, beside the rest.
struct Mode {
    int number = 0, delta = 0;
};

// Clause 7.11.2: directions that come to the axes are these.
void set_mode(DdAv1Intra &i, const Mode &mode) {
    constexpr std::uint8_t others[] = {DD_AV1_INTRA_SMOOTH, DD_AV1_INTRA_SMOOTH_V, DD_AV1_INTRA_SMOOTH_H};
    constexpr int angles[] = {90, 180, 45, 135, 113, 157, 203, 67};
    i.angle = 0;
    if (mode.number == TEST_INTRA_DC) {
        i.mode = DD_AV1_INTRA_DC;
    } else if (mode.number == TEST_INTRA_PAETH) {
        i.mode = i.has_above && i.has_left ? DD_AV1_INTRA_PAETH
                 : i.has_above             ? DD_AV1_INTRA_V
                 : i.has_left              ? DD_AV1_INTRA_H
                                           : DD_AV1_INTRA_DC;
    } else if (mode.number == TEST_INTRA_FILTER) {
        i.mode = DD_AV1_INTRA_FILTER;
        i.angle = static_cast<std::uint16_t>(mode.delta);
    } else if (mode.number >= TEST_INTRA_SMOOTH) {
        i.mode = others[mode.number - TEST_INTRA_SMOOTH];
    } else {
        const int angle = angles[mode.number - TEST_INTRA_V] + 3 * mode.delta;
        if (angle <= 90)
            i.mode = angle < 90 && i.has_above ? DD_AV1_INTRA_DIRECTION : DD_AV1_INTRA_V;
        else
            i.mode = angle < 180 || (angle > 180 && i.has_left) ? DD_AV1_INTRA_DIRECTION : DD_AV1_INTRA_H;
        i.angle = static_cast<std::uint16_t>(i.mode == DD_AV1_INTRA_DIRECTION ? angle : 0);
    }
}

unsigned size_of(unsigned w, unsigned h) {
    for (unsigned size = 0; size < kAv1TxSizes; size++)
        if (av1_shape(size, 0).w == w && av1_shape(size, 0).h == h)
            return size;
    FAIL("no transform of " << w << "x" << h);
    return 0;
}

// Blocks in a random picture.
class Blocks {
  public:
    Blocks(Random &r, unsigned depth, PictureFormat format) : random(r) {
        format.width = 100 + below(random, 100);
        format.height = 100 + below(random, 100);
        format.bit_depth = static_cast<std::uint8_t>(depth);
        scene = std::make_unique<Av1Scene>(random, format, 1);
        begin();
    }
    const PictureLayout &layout() const { return scene->batch.dst; }
    Av1Recorder &recorder() { return scene->batch.recon.recorders[0]; }
    void begin() {
        scene->batch.recon.reset(layout(), {}, 1);
        residuals.clear();
    }

    // A place in the picture for so many pixels, and edges.
    DdAv1Intra place(bool chroma, unsigned w_log2, unsigned h_log2) {
        DdAv1Intra i{};
        i.chroma = chroma;
        i.w_log2 = static_cast<std::uint8_t>(w_log2);
        i.h_log2 = static_cast<std::uint8_t>(h_log2);
        const PlaneLayout &plane = layout().plane[chroma];
        const auto position = [&](unsigned end, unsigned side_log2) {
            const unsigned places = (end + (1u << side_log2) - 1) >> side_log2;
            return static_cast<std::uint16_t>(below(random, places) << side_log2);
        };
        const auto edge = [&](unsigned at, unsigned side, unsigned end) {
            return static_cast<std::uint16_t>(4 + 4 * below(random, std::min(2 * side, end - at) / 4));
        };
        i.x = position(end(chroma, 0), w_log2);
        i.y = position(end(chroma, 1), h_log2);
        i.has_above = i.y && below(random, 6);
        i.has_left = i.x && below(random, 6);
        i.above = i.has_above ? edge(i.x, 1u << w_log2, plane.padded_width) : 0;
        i.left = i.has_left ? edge(i.y, 1u << h_log2, plane.padded_height) : 0;
        return i;
    }
    // Where the last 8x8 of luma ends.
    unsigned end(bool chroma, bool vertical) const {
        const PictureFormat &f = layout().format;
        const unsigned ss = !chroma ? 0 : vertical ? f.ss_v : f.ss_h;
        return ((vertical ? f.height : f.width) + 7) / 8 * 8 >> ss;
    }

    // Of a random type; half of the planes have one.
    void add_residuals(DdAv1Intra &i) {
        const unsigned size = size_of(1u << i.w_log2, 1u << i.h_log2);
        for (unsigned p = 0; p <= i.chroma; p++) {
            if (below(random, 2))
                continue;
            unsigned type;
            do
                type = below(random, kAv1TxTypes);
            while (!av1_shape(size, type).valid);
            auto &residual = *residuals.emplace_back(std::make_unique<RandomResidual>());
            const unsigned depth = layout().format.bit_depth;
            Av1Residuals trial;
            trial.reset(layout());
            do
                residual.fill(random, size, type, depth, [&](unsigned k) { return dav1d_position(size, type, k); });
            while (residual.record_in(trial) != Av1Recorded::ok);
            residual.record.coefs = residual.memory;
            i.residual[p] = &residual.record;
        }
    }
    static const RandomResidual &residual_of(const DdAv1Intra &i, unsigned p) {
        return *reinterpret_cast<const RandomResidual *>(i.residual[p]); // its first member
    }

    // `predict(dsp, picture, plane)` is dav1d's part of `blocks`, but for the residuals.
    template <typename Predict>
    void check(const std::vector<DdAv1Intra> &blocks, Predict predict) {
        std::vector<std::unique_ptr<Picture>> expected;
        for (const int simd : {0, 1}) {
            expected.push_back(std::make_unique<Picture>(scene->before));
            Picture &picture = *expected.back();
            const unsigned chroma = blocks.front().chroma;
            for (unsigned plane = chroma; plane <= 2 * chroma; plane++) {
                predict(test_intra_dsp(simd, layout().format.bit_depth), picture, plane);
                for (const DdAv1Intra &i : blocks)
                    if (i.residual[plane == 2])
                        add_residual(simd, i, picture, plane);
            }
        }
        for (const DdAv1Intra &i : blocks)
            REQUIRE(recorder().intra(i) == Av1Recorded::ok);
        std::vector<std::uint8_t> got = scene->before;
        reference::run_av1_intra(scene->batch, got.data());
        for (unsigned simd = 0; simd < 2; simd++) {
            INFO(layout().format.width << "x" << layout().format.height << ", " << unsigned{layout().format.bit_depth}
                                       << " bits" << (simd ? ", SIMD" : ", C"));
            REQUIRE(std::memcmp(expected[simd]->data(), got.data(), got.size()) == 0);
        }
        begin();
    }

    std::uint8_t *at(Picture &picture, unsigned plane, unsigned x, unsigned y) const {
        const PlaneLayout &p = layout().plane[plane];
        return picture.data() + p.offset + std::size_t{y} * p.stride + std::size_t{x} * layout().bytes_per_pixel();
    }
    std::uint8_t *at(Picture &picture, unsigned plane, const DdAv1Intra &i) const {
        return at(picture, plane, i.x, i.y);
    }
    std::ptrdiff_t stride(unsigned plane) const { return static_cast<std::ptrdiff_t>(layout().plane[plane].stride); }

    TestIntra test_block(const DdAv1Intra &i, const Mode &mode, Picture &picture, unsigned plane) const {
        return {at(picture, plane, i),
                stride(plane),
                1 << i.w_log2,
                1 << i.h_log2,
                i.has_above,
                i.has_left,
                i.above,
                i.left,
                mode.number,
                mode.delta,
                i.filters_edges,
                i.smooth,
                static_cast<int>(end(i.chroma, false)) - i.x,
                static_cast<int>(end(i.chroma, true)) - i.y};
    }

    Random &random;
    std::unique_ptr<Av1Scene> scene;
    std::vector<std::unique_ptr<RandomResidual>> residuals;

  private:
    void add_residual(int simd, const DdAv1Intra &i, Picture &picture, unsigned plane) const {
        RandomResidual copy = residual_of(i, plane == 2); // is cleared
        test_add_residual(simd, layout().format.bit_depth, copy.record.size, copy.record.type, at(picture, plane, i),
                          stride(plane), copy.memory, copy.record.eob);
    }
};

// All sizes of transforms with sides up to 2^`largest`.
template <typename Use>
void for_all_sizes(unsigned largest, Use use) {
    for (unsigned w = 2; w <= largest; w++)
        for (unsigned h = 2; h <= largest; h++)
            if (w <= h + 2 && h <= w + 2)
                use(w, h);
}

// Fours of pixels of chroma that have luma, which ends with an 8x8.
std::uint8_t with_luma(Random &random, unsigned side_log2, unsigned ss) {
    const unsigned all = 1u << (side_log2 - 2);
    return static_cast<std::uint8_t>(ss || all == 1 ? 1 + below(random, all) : 2 + 2 * below(random, all / 2));
}

void describe_and_check(Blocks &blocks, const DdAv1Intra &i, const Mode &mode) {
    INFO("mode " << mode.number << " " << mode.delta << ", " << (1 << i.w_log2) << "x" << (1 << i.h_log2) << " at "
                 << i.x << " " << i.y << (i.chroma ? " of chroma" : "") << ", above " << i.above << ", left " << i.left
                 << (i.filters_edges ? ", filtered" : "") << (i.smooth ? ", smooth" : ""));
    blocks.check({i}, [&](const TestIntraDsp *dsp, Picture &picture, unsigned plane) {
        const TestIntra block = blocks.test_block(i, mode, picture, plane);
        test_intra(dsp, &block, blocks.at(picture, plane, i), blocks.stride(plane));
    });
}

// A block of each size, at a place of its own.
void check_mode(Random &random, const Mode &mode, unsigned largest) {
    for (const unsigned depth : {8u, 10u, 12u}) {
        Blocks blocks(random, depth, kFormats[below(random, 3)]);
        for_all_sizes(largest, [&](unsigned w, unsigned h) {
            for (unsigned variant = 0; variant < 8; variant++) {
                if (!chosen(random))
                    continue;
                DdAv1Intra i = blocks.place(variant >> 2, w, h);
                i.filters_edges = variant & 1;
                i.smooth = variant >> 1 & 1;
                set_mode(i, mode);
                blocks.add_residuals(i);
                describe_and_check(blocks, i, mode);
            }
        });
    }
}

} // namespace

TEST_CASE("averaged and weighted edges of the reference and of dav1d") {
    Random random(Catch::rngSeed());
    for (const int mode :
         {TEST_INTRA_DC, TEST_INTRA_PAETH, TEST_INTRA_SMOOTH, TEST_INTRA_SMOOTH_V, TEST_INTRA_SMOOTH_H})
        for (unsigned round = 0; round < 3; round++)
            check_mode(random, {mode, 0}, 6);
}

TEST_CASE("directions of the reference and of dav1d") {
    Random random(Catch::rngSeed());
    for (int mode = TEST_INTRA_V; mode <= TEST_INTRA_D67; mode++)
        for (int delta = -3; delta <= 3; delta++)
            check_mode(random, {mode, delta}, 6);
}

TEST_CASE("recursive predictions of the reference and of dav1d") {
    Random random(Catch::rngSeed());
    for (int mode = 0; mode < 5; mode++)
        check_mode(random, {TEST_INTRA_FILTER, mode}, 5);
}

TEST_CASE("chroma from luma of the reference and of dav1d") {
    Random random(Catch::rngSeed());
    for (const unsigned depth : {8u, 10u, 12u})
        for (int layout = 0; layout < 3; layout++) {
            Blocks blocks(random, depth, kFormats[layout]);
            for_all_sizes(5, [&](unsigned w, unsigned h) {
                const PictureFormat &format = blocks.layout().format;
                if (w + format.ss_h > 5 || h + format.ss_v > 5)
                    return;
                for (unsigned variant = 0; variant < 8; variant++) {
                    if (!chosen(random))
                        continue;
                    DdAv1Intra i = blocks.place(true, w, h);
                    i.mode = DD_AV1_INTRA_CFL;
                    for (std::int8_t &alpha : i.alpha)
                        alpha = static_cast<std::int8_t>(between(random, -16, 16));
                    i.luma_w4 = with_luma(random, w, format.ss_h);
                    i.luma_h4 = with_luma(random, h, format.ss_v);
                    blocks.add_residuals(i);
                    INFO((1 << w) << "x" << (1 << h) << " at " << i.x << " " << i.y << ", luma " << +i.luma_w4 << " "
                                  << +i.luma_h4 << ", " << +i.alpha[0] << " " << +i.alpha[1]);
                    blocks.check({i}, [&](const TestIntraDsp *dsp, Picture &picture, unsigned plane) {
                        const TestIntra block = blocks.test_block(i, {TEST_INTRA_DC, 0}, picture, plane);
                        const TestLuma luma{
                            blocks.at(picture, 0, unsigned{i.x} << format.ss_h, unsigned{i.y} << format.ss_v),
                            blocks.stride(0), layout, (1 << (w - 2)) - i.luma_w4, (1 << (h - 2)) - i.luma_h4};
                        std::uint8_t *to = blocks.at(picture, plane, i);
                        if (i.alpha[plane - 1])
                            test_chroma_from_luma(dsp, &block, &luma, i.alpha[plane - 1], to, blocks.stride(plane));
                        else // as dav1d does it
                            test_intra(dsp, &block, to, blocks.stride(plane));
                    });
                }
            });
        }
}

TEST_CASE("palettes of the reference and of dav1d") {
    Random random(Catch::rngSeed());
    for (const unsigned depth : {8u, 10u, 12u}) {
        Blocks blocks(random, depth, kFormats[below(random, 3)]);
        for_all_sizes(6, [&](unsigned w, unsigned h) {
            for (unsigned variant = 0; variant < 8; variant++) {
                const bool chroma = variant & 1;
                if (!chosen(random) || (!chroma && std::min(w, h) < 3))
                    continue;
                const DdAv1Intra whole = blocks.place(chroma, w, h);
                Aligned<std::uint8_t, 64 * 64 / 2> indices;
                for (std::uint8_t &two : indices.values)
                    two = random() & 0x77;
                Aligned<std::uint16_t, 16> palettes;
                for (std::uint16_t &pixel : palettes.values)
                    pixel = static_cast<std::uint16_t>(below(random, depth == 8 ? 1u << 16 : 1u << depth));
                // Transform blocks of any size that fit into it.
                std::vector<DdAv1Intra> parts;
                unsigned tw, th;
                do {
                    tw = 2 + below(random, w - 1);
                    th = 2 + below(random, h - 1);
                } while (tw > th + 2 || th > tw + 2);
                for (unsigned y = 0; y < 1u << h; y += 1u << th)
                    for (unsigned x = 0; x < 1u << w; x += 1u << tw) {
                        DdAv1Intra &part = parts.emplace_back();
                        part.chroma = chroma;
                        part.mode = DD_AV1_INTRA_PALETTE;
                        part.w_log2 = static_cast<std::uint8_t>(tw);
                        part.h_log2 = static_cast<std::uint8_t>(th);
                        part.x = static_cast<std::uint16_t>(whole.x + x);
                        part.y = static_cast<std::uint16_t>(whole.y + y);
                        part.palette[0] = palettes.data();
                        part.palette[1] = chroma ? palettes.data() + 8 : nullptr;
                        part.indices = indices.data() + (y << w) / 2 + x / 2;
                        part.index_stride = (1u << w) / 2;
                        blocks.add_residuals(part);
                    }
                INFO((1 << w) << "x" << (1 << h) << " in " << (1 << tw) << "x" << (1 << th) << " at " << whole.x << " "
                              << whole.y);
                blocks.check(parts, [&](const TestIntraDsp *dsp, Picture &picture, unsigned plane) {
                    test_palette(dsp, palettes.data() + (plane == 2 ? 8 : 0), indices.data(), 1 << w, 1 << h,
                                 blocks.at(picture, plane, whole), blocks.stride(plane));
                });
            }
        });
    }
}

TEST_CASE("blended predictions of the reference and of dav1d") {
    constexpr int modes[] = {TEST_INTRA_DC, TEST_INTRA_V, TEST_INTRA_H, TEST_INTRA_SMOOTH};
    Random random(Catch::rngSeed());
    for (const unsigned depth : {8u, 10u, 12u}) {
        Blocks blocks(random, depth, kFormats[below(random, 3)]);
        for_all_sizes(5, [&](unsigned w, unsigned h) {
            for (unsigned variant = 0; variant < 16; variant++) {
                const bool chroma = variant & 1;
                if (!chosen(random) || w > h + 1 || h > w + 1 || (!chroma && std::min(w, h) < 3))
                    continue;
                Aligned<std::uint8_t, 32 * 32> mask;
                for (std::uint8_t &weight : mask.values)
                    weight = static_cast<std::uint8_t>(below(random, 65));
                const Mode mode{modes[variant / 4], 0};
                std::vector<DdAv1Intra> both(2, blocks.place(chroma, w, h));
                set_mode(both[0], mode);
                both[0].mask = mask.data();
                both[1].mode = DD_AV1_INTRA_NONE;
                blocks.add_residuals(both[1]);
                if (!both[1].residual[0] && !both[1].residual[1])
                    both.pop_back();
                INFO("mode " << mode.number << ", " << (1 << w) << "x" << (1 << h) << " at " << both[0].x << " "
                             << both[0].y);
                blocks.check(both, [&](const TestIntraDsp *dsp, Picture &picture, unsigned plane) {
                    Aligned<std::uint8_t, 2 * 32 * 32> over;
                    const TestIntra block = blocks.test_block(both[0], mode, picture, plane);
                    const auto bytes = static_cast<std::ptrdiff_t>(blocks.layout().bytes_per_pixel());
                    test_intra(dsp, &block, over.data(), block.w * bytes);
                    test_blend(dsp, over.data(), mask.data(), block.w, block.h, blocks.at(picture, plane, both[0]),
                               blocks.stride(plane));
                });
            }
        });
    }
}
