// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/av1_scene.h"
#include "catch.h"
#include "kernels/av1_random_block.h"
#include "kernels/av1_random_residual.h"
#include "reference/av1_residual.h"

#include <bit>
#include <cstring>

namespace dd::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes random_pixels(Random &random, const PictureLayout &layout) {
    Bytes pixels(layout.size);
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

} // namespace

Av1Scene::Av1Scene(Random &r, const PictureFormat &format, unsigned pictures) : random(r) {
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

DdAv1Source Av1Scene::source(unsigned x, unsigned y, unsigned w, unsigned h) {
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
    const unsigned kinds = below(random, 4) ? 2 : 3; // few are sharp: such records have no dispatch of their own
    s.taps_x = static_cast<std::uint8_t>(bilinear ? 5 : w > 4 ? below(random, kinds) : 3 + below(random, 2));
    s.taps_y = static_cast<std::uint8_t>(bilinear ? 5 : h > 4 ? below(random, kinds) : 3 + below(random, 2));
    return s;
}

const DdAv1Warp *Av1Scene::warp() {
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

const std::uint8_t *Av1Scene::mask(unsigned w, unsigned h) {
    auto m = std::make_unique<Pixels>(w * h);
    for (auto &v : *m)
        v = static_cast<std::uint8_t>(below(random, 65));
    masks.push_back(std::move(m));
    return masks.back()->data();
}

void fill_with_predictions(Av1Scene &scene, const Square &q, unsigned kind, bool warped) {
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

void fill_with_blocks(Av1Scene &scene, const Square &q) {
    const DdAv1InterBlock shape = random_block(scene.random, static_cast<unsigned>(std::countr_zero(q.side)));
    for (unsigned y = 0; y < q.side; y += 1u << shape.h_log2)
        for (unsigned x = 0; x < q.side; x += 1u << shape.w_log2) {
            DdAv1InterBlock b = random_block(scene.random, 7);
            b.w_log2 = shape.w_log2;
            b.h_log2 = shape.h_log2;
            b.x = static_cast<std::uint16_t>(q.x + x);
            b.y = static_cast<std::uint16_t>(q.y + y);
            REQUIRE(scene.recorder().predict(b));
            for (unsigned plane = 0; plane < std::min<unsigned>(scene.format().planes, 2); plane++)
                scene.predictor().predict(prediction_of(b, scene.format(), plane != 0));
        }
}

void fill_with_overlaps(Av1Scene &scene, const Square &q) {
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

void fill_with_differences(Av1Scene &scene, const Square &q, bool chroma) {
    Random &random = scene.random;
    const unsigned sizes = static_cast<unsigned>(std::countr_zero(q.side)) - 2;
    const unsigned w = 8u << below(random, sizes), h = 8u << below(random, sizes);
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

void fill_with_residuals(Av1Scene &scene, unsigned plane, unsigned left, unsigned top, unsigned side) {
    Random &random = scene.random;
    unsigned size, type;
    do {
        size = below(random, kAv1TxSizes);
        type = below(random, kAv1TxTypes);
    } while (!av1_shape(size, type).valid);
    const Av1Shape shape = av1_shape(size, type);
    const unsigned stride = std::min(shape.h, 32u);
    for (unsigned y = 0; y + shape.h <= side; y += shape.h)
        for (unsigned x = 0; x + shape.w <= side; x += shape.w) {
            RandomResidual residual;
            residual.fill(random, size, type, scene.format().bit_depth, [&](unsigned i) {
                const Av1Corner corner = i ? av1_corner(size, type, i) : Av1Corner{};
                return i ? below(random, 1u << corner.cols) * stride + below(random, 1u << corner.rows) : 0u;
            });
            residual.record.plane = static_cast<std::uint8_t>(plane);
            residual.record.x = static_cast<std::uint16_t>(left + x);
            residual.record.y = static_cast<std::uint16_t>(top + y);
            const Av1Recorded recorded = residual.record_in(scene.recorder().residuals);
            REQUIRE(recorded != Av1Recorded::invalid);
            if (recorded == Av1Recorded::ok)
                reference::add_residual(scene.batch.dst, residual.record,
                                        reinterpret_cast<std::byte *>(scene.expected.data()));
        }
}

} // namespace dd::test
