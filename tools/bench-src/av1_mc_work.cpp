// SPDX-License-Identifier: BSD-2-Clause
#include "av1_work.h"

#include "kernels/av1_dav1d_predictor.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace bench {
namespace {

// How far a block may reach over its own place: references are read inside their true size, as nearly always.
constexpr int kReach = 16, kTaps = 8;
constexpr unsigned kMasks = 16, kLargestMask = 32;

enum class Kind { single, copy, bilinear, average, wedge, difference, overlap, warp };

struct Shape {
    Kind kind;
    unsigned side;
};

// The calls of one frame, for the recorder and for dav1d.
struct Calls {
    std::vector<DdAv1Prediction> predictions;
    std::vector<dd::test::OverlappedBlock> overlaps;
    std::vector<DdAv1Difference> differences;
    DdAv1Warp warp{};
    PixelBuffer masks;
};

class Maker {
  public:
    Maker(const Shape &shape, const dd::PictureLayout &layout, Random &random, Calls &calls)
        : shape_(shape), layout_(layout), random_(random), calls_(calls) {
        // A small rotation with zoom, within the limits of clause 7.11.3.6.
        calls.warp = {{-3 << 12, 5 << 12, (1 << 16) + 640, -704, 512, (1 << 16) - 576}, {640, -704, 512, -576}};
        calls.masks = PixelBuffer(std::size_t{kMasks} * kLargestMask * kLargestMask);
        for (std::size_t i = 0; i < calls.masks.size(); i++)
            calls.masks.data()[i] = static_cast<std::byte>(random() % 65);
    }

    void run() {
        const unsigned side = shape_.side;
        for (unsigned y = 0; y + side <= layout_.plane[0].height; y += side)
            for (unsigned x = 0; x + side <= layout_.plane[0].width; x += side)
                block(static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y));
    }

  private:
    int place(unsigned at, unsigned limit, unsigned side) {
        const int wanted = static_cast<int>(at) + static_cast<int>(random_() % (2 * kReach + 1)) - kReach;
        return std::clamp(wanted, kTaps, static_cast<int>(limit) - static_cast<int>(side) - kTaps);
    }
    std::int32_t position(unsigned at, unsigned limit, unsigned side) {
        const int sixteenth = shape_.kind == Kind::copy ? 0 : 1 + static_cast<int>(random_() % 15);
        return place(at, limit, side) * 16 + sixteenth;
    }
    // w, h: of the prediction, which choose the filters; the block's own where 0.
    DdAv1Source source(unsigned plane, unsigned x, unsigned y, unsigned w, unsigned h, unsigned ref) {
        const dd::PlaneLayout &p = layout_.plane[plane];
        const auto taps = [&](unsigned side) -> std::uint8_t {
            return shape_.kind == Kind::bilinear ? DD_AV1_TAPS_BILINEAR
                   : side > 4                    ? DD_AV1_TAPS_REGULAR
                                                 : DD_AV1_TAPS_REGULAR_4;
        };
        const unsigned room = shape_.side >> (plane ? layout_.format.ss_h : 0);
        return {
            nullptr, position(x, p.width, room), position(y, p.height, room), static_cast<std::uint8_t>(ref), taps(w),
            taps(h)};
    }
    void block(std::uint16_t x, std::uint16_t y) {
        if (shape_.kind == Kind::overlap)
            return overlap(x, y);
        if (shape_.kind == Kind::difference)
            return difference(x, y);
        const auto side = static_cast<std::uint16_t>(shape_.side);
        DdAv1Prediction p{};
        p.x = x;
        p.y = y;
        p.w = p.h = side;
        p.weight = 32;
        p.kind = shape_.kind == Kind::average ? DD_AV1_WEIGHTED
                 : shape_.kind == Kind::wedge ? DD_AV1_BY_MASK
                                              : DD_AV1_SINGLE;
        for (unsigned i = 0; i < 2; i++)
            p.source[i] = source(0, x, y, side, side, i);
        if (shape_.kind == Kind::wedge)
            p.mask = reinterpret_cast<const std::uint8_t *>(calls_.masks.data()) +
                     random_() % kMasks * (kLargestMask * kLargestMask);
        if (shape_.kind == Kind::warp)
            p.source[0].warp = &calls_.warp;
        calls_.predictions.push_back(p);
    }
    void overlap(unsigned x, unsigned y) {
        dd::test::OverlappedBlock b{false, x, y, shape_.side, shape_.side, {}};
        b.source[0] = source(0, x, y, b.w, b.h, 0);
        b.source[1] = source(0, x, y, b.w, b.above(), 1);
        b.source[2] = source(0, x, y, b.left(), b.h, 1);
        calls_.overlaps.push_back(b);
    }
    void difference(std::uint16_t x, std::uint16_t y) {
        const unsigned ss_h = layout_.format.ss_h, ss_v = layout_.format.ss_v;
        DdAv1Difference d{};
        d.chroma = 1;
        d.x = x;
        d.y = y;
        d.w = d.h = static_cast<std::uint16_t>(shape_.side);
        for (unsigned i = 0; i < 2; i++) {
            d.source[i] = source(0, x, y, d.w, d.h, i);
            d.chroma_source[i] =
                source(1, unsigned{x} >> ss_h, unsigned{y} >> ss_v, unsigned{d.w} >> ss_h, unsigned{d.h} >> ss_v, i);
        }
        calls_.differences.push_back(d);
    }

    Shape shape_;
    const dd::PictureLayout &layout_;
    Random &random_;
    Calls &calls_;
};

void record(const Calls &calls, dd::Av1Recorder &recorder) {
    bool taken = true;
    for (const DdAv1Prediction &p : calls.predictions)
        taken = recorder.predict(p) && taken;
    for (const dd::test::OverlappedBlock &b : calls.overlaps)
        dd::test::for_each_part(b, [&](const DdAv1Overlap &part) { taken = recorder.overlap(part) && taken; });
    for (const DdAv1Difference &d : calls.differences)
        taken = recorder.difference(d) && taken;
    if (!taken)
        throw std::runtime_error("a prediction was refused");
}

Work make(const std::string &name, const Shape &shape, const Scene &scene) {
    Random random(scene.seed);
    Work work = start_av1(name, scene.format, random);
    auto &batch = std::get<dd::Av1Batch>(work.batch);
    std::array<const void *, dd::kAv1Refs> pictures{};
    std::array<const std::uint8_t *, dd::kAv1Refs> pixels{};
    for (unsigned slot = 0; slot < 2; slot++) {
        paint(batch.dst, random, work.reference[slot]);
        pictures[slot] = pixels[slot] = reinterpret_cast<const std::uint8_t *>(work.reference[slot].data());
    }
    dd::Av1References references;
    references.set(pictures);
    batch.recon.reset(batch.dst, references, 1);
    const auto calls = std::make_shared<Calls>();
    Maker(shape, batch.dst, random, *calls).run();
    record(*calls, batch.recon.recorders[0]);
    work.blocks = static_cast<double>(calls->predictions.size() + calls->overlaps.size() + calls->differences.size());
    work.pixels = work.blocks * shape.side * shape.side * (shape.kind == Kind::difference ? 1.5 : 1); // with chroma
    work.run = [calls, pixels, layout = batch.dst](const Dsp &dsp, std::byte *dst) {
        dd::test::Dav1dPredictor predictor(dsp.simd(), layout, pixels, reinterpret_cast<std::uint8_t *>(dst));
        for (const DdAv1Prediction &p : calls->predictions)
            predictor.predict(p);
        for (const dd::test::OverlappedBlock &b : calls->overlaps)
            predictor.overlap(b);
        for (const DdAv1Difference &d : calls->differences)
            predictor.difference(d);
    };
    return work;
}

} // namespace

void add_av1_mc_kernels(std::vector<Kernel> &list) {
    const auto add = [&](const std::string &what, Kind kind, std::initializer_list<unsigned> sides) {
        for (const unsigned side : sides) {
            const std::string name = "av1-mc-" + what + "-" + std::to_string(side);
            list.push_back({name, [=](const Scene &scene) { return make(name, {kind, side}, scene); }});
        }
    };
    add("8tap", Kind::single, {4, 8, 16, 32, 64});
    add("bilinear", Kind::bilinear, {16});
    add("copy", Kind::copy, {64});
    add("average", Kind::average, {4, 8, 16, 32, 64});
    add("wedge", Kind::wedge, {8, 16, 32});
    add("difference", Kind::difference, {8, 16, 64});
    add("overlap", Kind::overlap, {8, 16, 32});
    add("warp", Kind::warp, {8, 32});
}

} // namespace bench
