// SPDX-License-Identifier: BSD-2-Clause
//
// AV1's inter prediction: the scalar reference against dav1d's functions, C and SIMD.
#include "catch.h"
#include "kernels/av1_dav1d_predictor.h"
#include "kernels/av1_scene.h"
#include "kernels/spread.h"

#include <cstring>

using namespace dd;
using namespace dd::test;

namespace {

constexpr unsigned kSide = 128; // of the square that is predicted, with blocks of one size

struct alignas(64) Line {
    std::array<std::uint8_t, 64> bytes;
};

struct Layout {
    std::uint8_t ss_h, ss_v, planes;
};
constexpr Layout kLayouts[] = {{1, 1, 3}, {1, 0, 3}, {0, 0, 3}, {1, 1, 1}};

// A random frame, and what dav1d makes of its predictions: without and with SIMD.
struct Compared {
    Compared(Random &random, unsigned depth, const Layout &layout)
        : scene(random,
                {100 + below(random, 157), 100 + below(random, 157), static_cast<std::uint8_t>(depth), layout.ss_h,
                 layout.ss_v, layout.planes},
                kAv1Refs) {
        for (unsigned simd = 0; simd < 2; simd++) {
            lines[simd].resize((scene.before.size() + 63) / 64);
            std::memcpy(lines[simd].data(), scene.before.data(), scene.before.size());
            dav1d[simd] = std::make_unique<Dav1dPredictor>(simd != 0, scene.batch.dst, scene.pixels_of, bytes(simd));
        }
    }
    std::uint8_t *bytes(unsigned simd) { return lines[simd].data()->bytes.data(); }

    void predict(const DdAv1Prediction &p) {
        scene.predictor().predict(p);
        for (const auto &d : dav1d)
            d->predict(p);
    }
    void overlap(const OverlappedBlock &b) {
        for_each_part(b, [&](const DdAv1Overlap &part) { scene.predictor().overlap(part); });
        for (const auto &d : dav1d)
            d->overlap(b);
    }
    void difference(const DdAv1Difference &difference) {
        scene.predictor().difference(difference);
        for (const auto &d : dav1d)
            d->difference(difference);
    }

    void check() {
        for (unsigned simd = 0; simd < 2; simd++) {
            INFO((simd ? "SIMD" : "C"));
            CHECK(std::memcmp(bytes(simd), scene.expected.data(), scene.expected.size()) == 0);
        }
    }

    Av1Scene scene;
    std::vector<Line> lines[2];
    std::unique_ptr<Dav1dPredictor> dav1d[2];
};

struct Size {
    unsigned w, h;
};

// Of blocks with sides from `shortest` to `longest`, one up to four times the other.
template <typename Use>
void for_each_size(unsigned shortest_w, unsigned shortest_h, unsigned longest, Use use) {
    for (unsigned w = shortest_w; w <= longest; w *= 2)
        for (unsigned h = std::max(shortest_h, w / 4); h <= std::min(longest, 4 * w); h *= 2)
            use(Size{w, h});
}

template <typename Use>
void for_each_place(const Size &size, Use use) {
    for (unsigned y = 0; y < kSide; y += size.h)
        for (unsigned x = 0; x < kSide; x += size.w)
            use(x, y);
}

// Weights that blocks get by the distance of their references, clause 7.11.3.15, or 32: the average.
unsigned random_weight(Random &random) {
    constexpr unsigned sixteenths[] = {8, 9, 11, 12, 13, 7, 5, 4, 3};
    return 4 * sixteenths[below(random, std::size(sixteenths))];
}

// `warps`: bit i: source i is warped.
void predict(Compared &c, const Size &size, unsigned x, unsigned y, bool chroma, unsigned kind, unsigned warps) {
    Random &random = c.scene.random;
    DdAv1Prediction p{};
    p.chroma = chroma;
    p.kind = static_cast<std::uint8_t>(kind);
    p.weight = static_cast<std::uint8_t>(random_weight(random));
    p.x = static_cast<std::uint16_t>(x);
    p.y = static_cast<std::uint16_t>(y);
    p.w = static_cast<std::uint16_t>(size.w);
    p.h = static_cast<std::uint16_t>(size.h);
    for (unsigned i = 0; i < 2; i++) {
        p.source[i] = c.scene.source(x + (i && kind == DD_AV1_SPLIT ? 2 : 0), y, size.w, size.h);
        p.source[i].warp = warps >> i & 1 ? c.scene.warp() : nullptr;
    }
    if (kind == DD_AV1_BY_MASK)
        p.mask = c.scene.mask(size.w, size.h);
    c.predict(p);
}

void check_predictions(unsigned kind, bool warped) {
    Random random(Catch::rngSeed() + kind);
    const unsigned longest = kind == DD_AV1_BY_MASK ? 32 : kind == DD_AV1_SPLIT ? 4 : kSide;
    const bool two_rows = !warped && (kind == DD_AV1_SINGLE || kind == DD_AV1_SPLIT);
    for (const unsigned depth : {8u, 10u, 12u})
        for_each_size(warped ? 8 : 4,
                      warped     ? 8
                      : two_rows ? 2
                                 : 4,
                      longest, [&](const Size &size) {
                          if (!chosen(random))
                              return;
                          const Layout &layout = kLayouts[below(random, std::size(kLayouts))];
                          Compared c(random, depth, layout);
                          const bool chroma = layout.planes == 3 && !layout.ss_h && below(random, 2);
                          for_each_place(size, [&](unsigned x, unsigned y) {
                              const unsigned warps = !warped ? 0 : kind == DD_AV1_SINGLE ? 1 : 1 + below(random, 3);
                              predict(c, size, x, y, chroma, kind, warps);
                          });
                          INFO(depth << " bits, " << size.w << "x" << size.h << (chroma ? ", chroma" : ""));
                          c.check();
                      });
}

} // namespace

TEST_CASE("AV1 single predictions: the reference is dav1d's") {
    check_predictions(DD_AV1_SINGLE, false);
}
TEST_CASE("AV1 predictions of two halves: the reference is dav1d's") {
    check_predictions(DD_AV1_SPLIT, false);
}
TEST_CASE("AV1 weighted predictions: the reference is dav1d's") {
    check_predictions(DD_AV1_WEIGHTED, false);
}
TEST_CASE("AV1 masked predictions: the reference is dav1d's") {
    check_predictions(DD_AV1_BY_MASK, false);
}
TEST_CASE("AV1 warped predictions: the reference is dav1d's") {
    check_predictions(DD_AV1_SINGLE, true);
    check_predictions(DD_AV1_WEIGHTED, true);
    check_predictions(DD_AV1_BY_MASK, true);
}

TEST_CASE("AV1 overlapped predictions: the reference is dav1d's") {
    Random random(Catch::rngSeed());
    for (const unsigned depth : {8u, 10u, 12u})
        for (const bool chroma : {false, true})
            for_each_size(chroma ? 4 : 8, chroma ? 4 : 8, chroma ? 32 : 64, [&](const Size &size) {
                if (!chosen(random))
                    return;
                Compared c(random, depth, kLayouts[2]);
                for_each_place(size, [&](unsigned x, unsigned y) {
                    OverlappedBlock b{chroma, x, y, size.w, size.h, {}};
                    b.source[0] = c.scene.source(x, y, size.w, size.h);
                    b.source[1] = c.scene.source(x, y, size.w, b.above());
                    b.source[2] = c.scene.source(x, y, b.left(), size.h);
                    c.overlap(b);
                });
                INFO(depth << " bits, " << size.w << "x" << size.h << (chroma ? ", chroma" : ""));
                c.check();
            });
}

TEST_CASE("AV1 difference-weighted predictions: the reference is dav1d's") {
    Random random(Catch::rngSeed());
    for (const unsigned depth : {8u, 10u, 12u})
        for (const Layout &layout : kLayouts)
            for_each_size(8, 8, kSide, [&](const Size &size) {
                // AV1 has no blocks whose chroma is narrower than a quarter of its height.
                if (size.h >> layout.ss_v > 4 * (size.w >> layout.ss_h) || !chosen(random))
                    return;
                Compared c(random, depth, layout);
                for_each_place(size, [&](unsigned x, unsigned y) {
                    DdAv1Difference d{};
                    d.chroma = layout.planes == 3;
                    d.sign = static_cast<std::uint8_t>(below(random, 2));
                    d.x = static_cast<std::uint16_t>(x);
                    d.y = static_cast<std::uint16_t>(y);
                    d.w = static_cast<std::uint16_t>(size.w);
                    d.h = static_cast<std::uint16_t>(size.h);
                    for (unsigned i = 0; i < 2; i++) {
                        d.source[i] = c.scene.source(x, y, size.w, size.h);
                        d.chroma_source[i] = c.scene.source(x >> layout.ss_h, y >> layout.ss_v, size.w >> layout.ss_h,
                                                            size.h >> layout.ss_v);
                    }
                    c.difference(d);
                });
                INFO(depth << " bits, " << size.w << "x" << size.h << ", " << unsigned{layout.planes} << " planes "
                           << unsigned{layout.ss_h} << unsigned{layout.ss_v});
                c.check();
            });
}
