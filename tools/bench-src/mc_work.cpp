// SPDX-License-Identifier: BSD-2-Clause
#include "work.h"

#include <array>

namespace bench {
namespace {

// How far a block may reach over its own place: the reference is read inside its true size, as nearly always.
constexpr int kReach = 16, kTaps = 8;

struct Block {
    unsigned x, y;             // of the destination
    std::array<int, 2> sx, sy; // whole pixels in the reference
    std::array<int, 2> mx, my; // 1/16 pixel
};

struct Shape {
    unsigned size, filter;
    bool compound, whole_pixel;
};

int place(Random &random, unsigned at, unsigned size, unsigned limit) {
    const int wanted = static_cast<int>(at) + static_cast<int>(random() % (2 * kReach + 1)) - kReach;
    const int highest = static_cast<int>(limit) - static_cast<int>(size) - kTaps;
    return std::min(std::max(wanted, kTaps), highest);
}

std::vector<Block> random_blocks(const Shape &shape, const dd::PlaneLayout &plane, Random &random) {
    std::vector<Block> blocks;
    for (unsigned y = 0; y + shape.size <= plane.height; y += shape.size)
        for (unsigned x = 0; x + shape.size <= plane.width; x += shape.size) {
            Block block{x, y, {}, {}, {}, {}};
            for (unsigned i = 0; i < 2; i++) {
                block.sx[i] = place(random, x, shape.size, plane.width);
                block.sy[i] = place(random, y, shape.size, plane.height);
                block.mx[i] = shape.whole_pixel ? 0 : 1 + static_cast<int>(random() % 15);
                block.my[i] = shape.whole_pixel ? 0 : 1 + static_cast<int>(random() % 15);
            }
            blocks.push_back(block);
        }
    return blocks;
}

void record(const Shape &shape, const std::vector<Block> &blocks, dd::Vp9Recorder &recorder) {
    for (const Block &block : blocks) {
        recorder.begin_block();
        for (unsigned i = 0; i < (shape.compound ? 2u : 1u); i++) {
            dd::Vp9Prediction p;
            p.ref = i;
            p.second = i == 1;
            p.filter = shape.filter;
            p.x = block.x;
            p.y = block.y;
            p.w = p.h = shape.size;
            p.src_x = block.sx[i] * 16 + block.mx[i];
            p.src_y = block.sy[i] * 16 + block.my[i];
            if (!recorder.predict(p))
                throw std::runtime_error("a prediction was refused");
        }
    }
}

Work make(const std::string &name, const Shape &shape, const Scene &scene) {
    Random random(scene.seed);
    Work work;
    work.name = name;
    const dd::PictureLayout layout = dd::make_picture_layout(scene.format, 64);
    paint(layout, random, work.before);
    for (unsigned slot = 0; slot < 2; slot++)
        paint(layout, random, work.reference[slot]);
    const dd::PlaneLayout plane = layout.plane[0];
    const std::vector<Block> blocks = random_blocks(shape, plane, random);
    auto &batch = work.batch.emplace<dd::Vp9Batch>();
    batch.reset(layout, {layout, layout, {}}, 1);
    record(shape, blocks, batch.recorders[0]);
    work.blocks = static_cast<double>(blocks.size());
    work.pixels = work.blocks * shape.size * shape.size;

    const std::size_t wide = layout.bytes_per_pixel();
    const std::array<const std::byte *, 2> ref = {work.reference[0].data() + plane.offset,
                                                  work.reference[1].data() + plane.offset};
    work.run = [=](const Dsp &dsp, std::byte *dst) {
        for (const Block &block : blocks)
            for (unsigned i = 0; i < (shape.compound ? 2u : 1u); i++)
                ffmpeg_vp9_mc(
                    dsp.vp9(), shape.size, shape.filter, static_cast<int>(i),
                    reinterpret_cast<std::uint8_t *>(dst + plane.offset + block.y * plane.stride + block.x * wide),
                    plane.stride,
                    reinterpret_cast<const std::uint8_t *>(
                        ref[i] + static_cast<std::ptrdiff_t>(block.sy[i]) * plane.stride +
                        static_cast<std::ptrdiff_t>(block.sx[i]) * static_cast<std::ptrdiff_t>(wide)),
                    plane.stride, block.mx[i], block.my[i]);
    };
    return work;
}

} // namespace

void add_mc_kernels(std::vector<Kernel> &list) {
    const auto add = [&](const std::string &name, Shape shape) {
        list.push_back({name, [=](const Scene &scene) { return make(name, shape, scene); }});
    };
    constexpr unsigned regular = 1, bilinear = 3;
    for (const unsigned size : {4u, 8u, 16u, 32u, 64u}) {
        const std::string side = std::to_string(size);
        add("mc-8tap-" + side, {size, regular, false, false});
        add("mc-8tap-compound-" + side, {size, regular, true, false});
    }
    add("mc-bilinear-16", {16, bilinear, false, false});
    add("mc-copy-64", {64, regular, false, true});
}

} // namespace bench
