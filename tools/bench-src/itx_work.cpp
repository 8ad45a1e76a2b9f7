// SPDX-License-Identifier: BSD-2-Clause
#include "work.h"

#include <cstring>
#include <stdexcept>

namespace bench {
namespace {

struct Shape {
    unsigned kind; // as DdItxRecord: DCT by size, WHT
    unsigned eob;
};

struct Block {
    unsigned x, y;
    std::size_t coefs; // first coefficient of the block
};

// The blocks' coefficients, int16 where pixels have 8 bits, else int32, and a copy: the DSP functions clear them.
struct Coefs {
    PixelBuffer storage, pristine;
    void restore() { std::memcpy(storage.data(), pristine.data(), storage.size()); }
};

// Small enough for every intermediate to stay in the range in which all implementations agree.
int amplitude(unsigned position, unsigned bit_depth) {
    return (position == 0 ? 400 : 60) << (bit_depth - 8);
}

template <typename Coef>
void fill_block(Coef *block, const Shape &shape, unsigned bit_depth, Random &random) {
    const std::int16_t *scan = ffmpeg_vp9_scan(shape.kind);
    for (unsigned i = 0; i < shape.eob; i++) {
        const int most = amplitude(i, bit_depth);
        const int value = static_cast<int>(random() % static_cast<unsigned>(2 * most + 1)) - most;
        block[scan[i]] = static_cast<Coef>(i + 1 == shape.eob && value == 0 ? 1 : value); // eob says the last is not 0
    }
}

template <typename Coef>
std::vector<Block> fill(Coef *coefs, const Shape &shape, const dd::PictureLayout &layout, Random &random) {
    const unsigned size = dd::itx_size(shape.kind);
    std::vector<Block> blocks;
    for (unsigned y = 0; y + size <= layout.plane[0].height; y += size)
        for (unsigned x = 0; x + size <= layout.plane[0].width; x += size) {
            const std::size_t at = blocks.size() * size * size;
            fill_block(coefs + at, shape, layout.format.bit_depth, random);
            blocks.push_back({x, y, at});
        }
    return blocks;
}

Work make(const std::string &name, const Shape &shape, const Scene &scene) {
    Random random(scene.seed);
    Work work;
    work.name = name;
    const dd::PictureLayout layout = dd::make_picture_layout(scene.format, 64);
    const dd::PlaneLayout plane = layout.plane[0];
    paint(layout, random, work.before);
    const auto coefs = std::make_shared<Coefs>();
    const std::size_t wide = layout.bytes_per_pixel();
    const std::size_t bytes = std::size_t{plane.padded_width} * plane.padded_height * 2 * wide;
    coefs->storage = PixelBuffer(bytes);
    coefs->pristine = PixelBuffer(bytes);
    std::memset(coefs->storage.data(), 0, bytes);
    const std::vector<Block> blocks =
        wide == 1 ? fill(reinterpret_cast<std::int16_t *>(coefs->storage.data()), shape, layout, random)
                  : fill(reinterpret_cast<std::int32_t *>(coefs->storage.data()), shape, layout, random);
    std::memcpy(coefs->pristine.data(), coefs->storage.data(), bytes);

    const auto block_coefs = [coefs, wide](const Block &block) {
        return reinterpret_cast<std::int16_t *>(coefs->storage.data()) + block.coefs * wide;
    };
    auto &batch = work.batch.emplace<dd::Vp9Batch>();
    batch.reset(layout, {}, 1);
    for (const Block &block : blocks)
        if (!batch.recorders[0].residual({0, block.x, block.y, shape.kind, shape.eob, block_coefs(block)}))
            throw std::runtime_error("a residual was refused");
    work.blocks = static_cast<double>(blocks.size());
    work.pixels = work.blocks * dd::itx_size(shape.kind) * dd::itx_size(shape.kind);
    work.prepare = [coefs] { coefs->restore(); };
    work.run = [=](const Dsp &dsp, std::byte *dst) {
        for (const Block &block : blocks)
            ffmpeg_vp9_itx(
                dsp.vp9(), shape.kind,
                reinterpret_cast<std::uint8_t *>(dst + plane.offset + block.y * plane.stride + block.x * wide),
                plane.stride, block_coefs(block), static_cast<int>(shape.eob));
    };
    return work;
}

} // namespace

void add_itx_kernels(std::vector<Kernel> &list) {
    const auto add = [&](const std::string &name, Shape shape) {
        list.push_back({name, [=](const Scene &scene) { return make(name, shape, scene); }});
    };
    for (unsigned kind = 0; kind < 4; kind++) {
        const unsigned size = dd::itx_size(kind);
        const std::string side = std::to_string(size);
        add("itx-dc-" + side, {kind, 1});
        if (size > 4)
            add("itx-corner-" + side, {kind, 10});
        add("itx-full-" + side, {kind, size * size});
    }
    add("itx-wht-4", {dd::DD_ITX_WHT, 16});
}

} // namespace bench
