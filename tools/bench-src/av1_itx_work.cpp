// SPDX-License-Identifier: BSD-2-Clause
#include "av1_work.h"

#include <cstring>
#include <stdexcept>

namespace bench {
namespace {

struct Shape {
    unsigned size, type, eob; // as DdAv1Residual has them
};

struct Block {
    unsigned x, y;
    std::size_t coefs; // first coefficient
};

// int16 where pixels have 8 bits, else int32, and a copy: the DSP functions clear them.
struct Coefs {
    PixelBuffer storage, pristine;
    void restore() { std::memcpy(storage.data(), pristine.data(), storage.size()); }
};

unsigned coded_side(unsigned side) {
    return side < 32 ? side : 32;
}

// Small enough for every value between to stay in the range in which all implementations agree.
int amplitude(unsigned position, unsigned bit_depth) {
    return (position == 0 ? 400 : 60) << (bit_depth - 8);
}

template <typename Coef>
void fill_block(Coef *block, const Shape &shape, unsigned bit_depth, Random &random) {
    const std::uint16_t *scan = dav1d_av1_scan(static_cast<int>(shape.size));
    for (unsigned i = 0; i <= shape.eob; i++) {
        const int most = amplitude(i, bit_depth);
        const int value = static_cast<int>(random() % static_cast<unsigned>(2 * most + 1)) - most;
        block[scan[i]] = static_cast<Coef>(i == shape.eob && value == 0 ? 1 : value); // the last one is not 0
    }
}

void fill(Coefs &coefs, std::vector<Block> &blocks, const Shape &shape, const dd::PictureLayout &layout,
          Random &random) {
    const dd::Av1Shape block = dd::av1_shape(shape.size, shape.type);
    const std::size_t each = std::size_t{coded_side(block.w)} * coded_side(block.h);
    for (unsigned y = 0; y + block.h <= layout.plane[0].height; y += block.h)
        for (unsigned x = 0; x + block.w <= layout.plane[0].width; x += block.w)
            blocks.push_back({x, y, blocks.size() * each});
    const unsigned bytes = 2 * layout.bytes_per_pixel();
    coefs.storage = PixelBuffer(blocks.size() * each * bytes);
    coefs.pristine = PixelBuffer(coefs.storage.size());
    std::memset(coefs.pristine.data(), 0, coefs.pristine.size());
    for (const Block &b : blocks)
        if (bytes == 2)
            fill_block(reinterpret_cast<std::int16_t *>(coefs.pristine.data()) + b.coefs, shape, 8, random);
        else
            fill_block(reinterpret_cast<std::int32_t *>(coefs.pristine.data()) + b.coefs, shape,
                       layout.format.bit_depth, random);
    coefs.restore();
}

Work make(const std::string &name, const Shape &shape, const Scene &scene) {
    Random random(scene.seed);
    Work work = start_av1(name, scene.format, random);
    auto &batch = std::get<dd::Av1Batch>(work.batch);
    const auto coefs = std::make_shared<Coefs>();
    std::vector<Block> blocks;
    fill(*coefs, blocks, shape, batch.dst, random);
    const std::size_t bytes = 2 * batch.dst.bytes_per_pixel();
    batch.recon.reset(batch.dst, {}, 1);
    for (const Block &block : blocks) {
        DdAv1Residual residual{};
        residual.size = static_cast<std::uint8_t>(shape.size);
        residual.type = static_cast<std::uint8_t>(shape.type);
        residual.eob = static_cast<std::uint16_t>(shape.eob);
        residual.x = static_cast<std::uint16_t>(block.x);
        residual.y = static_cast<std::uint16_t>(block.y);
        residual.coefs = coefs->storage.data() + block.coefs * bytes;
        if (batch.recon.recorders[0].residuals.take(residual) != dd::Av1Recorded::ok)
            throw std::runtime_error(name + ": a residual was refused");
    }
    const dd::Av1Shape block_shape = dd::av1_shape(shape.size, shape.type);
    work.blocks = static_cast<double>(blocks.size());
    work.pixels = work.blocks * block_shape.w * block_shape.h;
    work.prepare = [coefs] { coefs->restore(); };
    const dd::PlaneLayout plane = batch.dst.plane[0];
    work.run = [=](const Dsp &dsp, std::byte *dst) {
        for (const Block &block : blocks)
            dav1d_av1_residual(dsp.av1(), static_cast<int>(shape.size), static_cast<int>(shape.type),
                               reinterpret_cast<std::uint8_t *>(
                                   dst + plane.offset + std::size_t{block.y} * plane.stride + block.x * (bytes / 2)),
                               plane.stride, coefs->storage.data() + block.coefs * bytes, static_cast<int>(shape.eob));
    };
    return work;
}

// As DdAv1Residual numbers them.
constexpr unsigned kDct = 0, kAdst = 3, kIdentity = 9, kWht = 16, kShortScan = 9;

} // namespace

void add_av1_itx_kernels(std::vector<Kernel> &list) {
    const auto add = [&](const std::string &what, unsigned size, unsigned type, unsigned eob) {
        const dd::Av1Shape block = dd::av1_shape(size, type);
        const std::string name = "av1-itx-" + what + "-" + std::to_string(block.w) + "x" + std::to_string(block.h);
        list.push_back({name, [=](const Scene &scene) { return make(name, {size, type, eob}, scene); }});
    };
    const auto last = [](unsigned size, unsigned type) {
        const dd::Av1Shape block = dd::av1_shape(size, type);
        return coded_side(block.w) * coded_side(block.h) - 1;
    };
    for (unsigned size = 0; size < 5; size++) { // squares of 4 to 64
        add("dc", size, kDct, 0);
        if (size)
            add("corner", size, kDct, kShortScan);
        add("dct", size, kDct, last(size, kDct));
    }
    for (const unsigned size : {5u, 8u, 10u, 11u, 13u, 16u, 17u}) // 4x8, 16x8, 32x16, 32x64, 4x16, 32x8, 16x64
        add("dct", size, kDct, last(size, kDct));
    for (const unsigned size : {0u, 1u, 2u})
        add("adst", size, kAdst, last(size, kAdst));
    for (const unsigned size : {0u, 2u, 3u})
        add("identity", size, kIdentity, last(size, kIdentity));
    add("wht", 0, kWht, last(0, kWht));
}

} // namespace bench
