// SPDX-License-Identifier: BSD-2-Clause
#include "plugin/random_frame.h"

#include "util/environment.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace dd::test {
namespace {

class Maker {
  public:
    Maker(std::mt19937 &random, RandomFrame &frame, const RandomOptions &options)
        : random_(random), frame_(frame), options_(options) {}

    void all_blocks() {
        const PlaneLayout &luma = frame_.dst.plane[0];
        for (unsigned y = 0; y < luma.padded_height; y += 64)
            for (unsigned x = 0; x < luma.padded_width; x += 64)
                split(x, y, 64);
    }

    void loop_filter() {
        frame_.sb_cols = (frame_.dst.format.width + 63) / 64;
        frame_.sb_rows = (frame_.dst.format.height + 63) / 64;
        for (unsigned level = 0; level < 64; level++) {
            frame_.limit[level] = static_cast<std::uint8_t>(1 + level / 2);
            frame_.mblimit[level] = static_cast<std::uint8_t>(2 * (level + 2) + frame_.limit[level]);
        }
        for (unsigned i = 0; i < frame_.sb_cols * frame_.sb_rows; i++)
            frame_.superblocks.push_back(superblock());
    }

  private:
    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

    void split(unsigned x, unsigned y, unsigned side) {
        if (side > 8 && below(64) < side) {
            const unsigned half = side / 2;
            for (unsigned i = 0; i < 4; i++)
                split(x + i % 2 * half, y + i / 2 * half, half);
        } else {
            block(x, y, side);
        }
    }

    void block(unsigned x, unsigned y, unsigned side) {
        RandomFrame::Block block;
        const bool compound = below(3) == 0;
        const unsigned filter = below(4), refs[2] = {below(3), below(3)};
        for (unsigned second = 0; second <= (compound ? 1u : 0u); second++)
            for (unsigned plane = 0; plane < frame_.dst.format.planes; plane++)
                block.predictions.push_back(prediction(plane, x, y, side, filter, refs[second], second != 0));
        for (unsigned plane = 0; options_.residuals && plane < frame_.dst.format.planes; plane++)
            if (below(2))
                residual(block, plane, x, y, side);
        frame_.blocks.push_back(std::move(block));
    }

    Vp9Prediction prediction(unsigned plane, unsigned x, unsigned y, unsigned side, unsigned filter, unsigned ref,
                             bool second) {
        const unsigned ss_h = plane ? frame_.dst.format.ss_h : 0, ss_v = plane ? frame_.dst.format.ss_v : 0;
        Vp9Prediction p;
        p.plane = plane;
        p.ref = ref;
        p.filter = filter;
        p.second = second;
        p.x = x >> ss_h;
        p.y = y >> ss_v;
        p.w = side >> ss_h;
        p.h = side >> ss_v;
        // Some point far outside the reference, as vectors near the border do.
        const int reach = below(8) ? 200 : 4000;
        p.src_x = static_cast<int>(p.x * 16) + static_cast<int>(below(2 * reach)) - reach;
        p.src_y = static_cast<int>(p.y * 16) + static_cast<int>(below(2 * reach)) - reach;
        if (options_.scaled && ref == 1) {
            p.step_x = 32;
            p.step_y = 24;
            p.src_x *= 2;
            p.src_y = p.src_y * 3 / 2;
        }
        return p;
    }

    void residual(RandomFrame::Block &block, unsigned plane, unsigned x, unsigned y, unsigned side) {
        const unsigned ss_h = plane ? frame_.dst.format.ss_h : 0, ss_v = plane ? frame_.dst.format.ss_v : 0;
        const unsigned fits = std::min({side >> ss_h, side >> ss_v, 32u});
        unsigned kind = below(4);
        while (itx_size(kind) > fits)
            kind--;
        if (kind == 0 && below(4) == 0)
            kind = DD_ITX_WHT;
        const unsigned n = itx_size(kind);
        Vp9Residual r;
        r.plane = plane;
        r.x = x >> ss_h;
        r.y = y >> ss_v;
        r.kind = kind;
        // Any eob, but only coefficients inside of what its corner class holds.
        r.eob = below(3) ? 1 + below(n * n) : 1;
        const unsigned corner = itx_corner(kind, r.eob), d = corner ? corner_size(corner) : 1;
        frame_.coefs.emplace_back(n * n);
        auto &to = frame_.coefs.back();
        const bool wide = frame_.dst.format.bit_depth > 8;
        for (unsigned column = 0; column < d; column++)
            for (unsigned row = 0; row < d; row++) {
                const int value = static_cast<int>(below(200)) - 100;
                const unsigned at = column * n + row;
                if (wide)
                    to[at] = value;
                else
                    reinterpret_cast<std::int16_t *>(to.data())[at] = static_cast<std::int16_t>(value);
            }
        r.coefs = to.data();
        block.residuals.push_back(r);
    }

    // Edges as real frames have them: none is nearer to another one than its filter reaches.
    DdLfSuperblock superblock() {
        DdLfSuperblock sb{};
        for (std::uint32_t &word : sb.level)
            for (unsigned i = 0; i < 4; i++)
                word |= below(64) << (8 * i);
        for (unsigned direction = 0; direction < 2; direction++)
            for (unsigned row = 0; row < 8; row++) {
                const unsigned size = below(3); // 16, 8 or 4 wide at the edges of 16, 8, 8 pixels
                const std::uint32_t luma = size == 0 ? (direction && row % 2 ? 0u : direction ? 0xffu : 0x55u) : 0xffu;
                sb.mask[direction * 8 + row] = luma << (8 * size);
                if (row % 2 == 0)
                    sb.mask[(2 + direction) * 8 + row] = 0x55u << (8 * (1 + below(2)));
            }
        return sb;
    }

    std::mt19937 &random_;
    RandomFrame &frame_;
    const RandomOptions &options_;
};

} // namespace

PictureFormat format(unsigned width, unsigned height, unsigned depth, unsigned ss_h, unsigned ss_v) {
    PictureFormat f;
    f.width = width;
    f.height = height;
    f.bit_depth = static_cast<std::uint8_t>(depth);
    f.ss_h = static_cast<std::uint8_t>(ss_h);
    f.ss_v = static_cast<std::uint8_t>(ss_v);
    return f;
}

RandomFrame make_random_frame(std::mt19937 &random, const PictureFormat &format, const RandomOptions &options) {
    RandomFrame frame;
    frame.dst = make_picture_layout(format, 64);
    frame.ref.fill(frame.dst);
    if (options.scaled) {
        PictureFormat other = format;
        other.width = std::max(1u, format.width * 2);
        other.height = std::max(1u, format.height * 3 / 2);
        frame.ref[1] = make_picture_layout(other, 64);
    }
    Maker maker(random, frame, options);
    maker.all_blocks();
    if (options.filter)
        maker.loop_filter();
    return frame;
}

void record(const RandomFrame &frame, Vp9Batch &batch, unsigned recorders) {
    batch.reset(frame.dst, frame.ref, recorders);
    for (std::size_t i = 0; i < frame.blocks.size(); i++) {
        Vp9Recorder &recorder = batch.recorders[i % recorders];
        recorder.begin_block();
        for (const Vp9Prediction &p : frame.blocks[i].predictions)
            if (!recorder.predict(p))
                throw std::runtime_error("a prediction was refused");
        for (const Vp9Residual &r : frame.blocks[i].residuals)
            if (!recorder.residual(r))
                throw std::runtime_error("a residual was refused");
    }
    if (!frame.superblocks.empty() && !batch.set_loop_filter(frame.superblocks.data(), frame.sb_cols, frame.sb_rows,
                                                             frame.limit.data(), frame.mblimit.data()))
        throw std::runtime_error("the loop filter was refused");
}

std::vector<std::byte> random_pixels(std::mt19937 &random, const PictureLayout &layout) {
    std::vector<std::byte> pixels(layout.size);
    if (layout.bytes_per_pixel() == 1) {
        for (std::byte &pixel : pixels)
            pixel = static_cast<std::byte>(random());
        return pixels;
    }
    const unsigned most = (1u << layout.format.bit_depth) - 1;
    for (std::size_t i = 0; i + 1 < pixels.size(); i += 2) {
        const auto value = static_cast<std::uint16_t>(random() & most);
        std::memcpy(pixels.data() + i, &value, 2);
    }
    return pixels;
}

std::uint32_t test_seed() {
    return static_cast<std::uint32_t>(test_hook_number("DAEDALUS_TEST_SEED", 1));
}

} // namespace dd::test
