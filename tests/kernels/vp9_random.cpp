// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vp9_random.h"
#include "catch.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

namespace dd::test {
namespace {

constexpr std::align_val_t kAlign{64};

unsigned pixel(Random &random, Content content, unsigned depth, unsigned x, unsigned y) {
    const unsigned max = (1u << depth) - 1;
    switch (content) {
    case Content::noise:
        return random() & max;
    case Content::extreme:
        return random() & 1 ? max : 0;
    case Content::smooth: // steps at block edges, small noise: all of the loop filter's branches are taken
        break;
    }
    const unsigned step = (x / 8 * 7 + y / 8 * 13) % 23, unit = 1u << (depth - 8);
    return std::min(max, (100 + step / 4) * unit + below(random, 2 * unit));
}

void fill(Random &random, const PictureLayout &layout, Content content, HostPicture &picture) {
    for (std::size_t i = 0; i < picture.size(); i++) // slack and padding too
        picture.data()[i] = static_cast<std::byte>(random());
    const unsigned bytes = layout.bytes_per_pixel();
    for (unsigned p = 0; p < layout.format.planes; p++)
        for (unsigned y = 0; y < layout.plane[p].padded_height; y++)
            for (unsigned x = 0; x < layout.plane[p].padded_width; x++) {
                const auto value = static_cast<std::uint16_t>(pixel(random, content, layout.format.bit_depth, x, y));
                std::memcpy(picture.data() + layout.plane[p].offset + std::size_t{y} * layout.plane[p].stride +
                                std::size_t{x} * bytes,
                            &value, bytes);
            }
}

// A side of a reference that VP9 allows for a picture's side: from half to sixteen times... of it.
unsigned scaled_side(Random &random, unsigned side) {
    const unsigned low = (side + 15) / 16, high = std::min(side * 2, side + 300);
    return low + below(random, high - low + 1);
}

PictureLayout reference_layout(Random &random, const FrameOptions &options) {
    PictureFormat format = options.format;
    if (options.scaled && chance(random, 70)) {
        format.width = scaled_side(random, format.width);
        format.height = scaled_side(random, format.height);
    }
    return make_picture_layout(format, 64);
}

struct Block {
    unsigned x, y, w, h; // luma
};

void split(Random &random, Block b, std::vector<Block> &out) {
    const unsigned kind = below(random, b.w > 16 ? 5 : 4);
    if (b.w > 8 && kind >= 3) {
        for (unsigned i = 0; i < 4; i++)
            split(random, {b.x + (i & 1) * b.w / 2, b.y + (i >> 1) * b.h / 2, b.w / 2, b.h / 2}, out);
    } else if (kind == 1) {
        out.push_back({b.x, b.y, b.w / 2, b.h});
        out.push_back({b.x + b.w / 2, b.y, b.w / 2, b.h});
    } else if (kind == 2) {
        out.push_back({b.x, b.y, b.w, b.h / 2});
        out.push_back({b.x, b.y + b.h / 2, b.w, b.h / 2});
    } else {
        out.push_back(b);
    }
}

std::vector<Block> blocks_of(Random &random, const PictureLayout &layout) {
    std::vector<Block> blocks;
    for (unsigned y = 0; y < layout.format.height; y += 64)
        for (unsigned x = 0; x < layout.format.width; x += 64)
            split(random, {x, y, 64, 64}, blocks);
    return blocks;
}

Vp9Prediction prediction(Random &random, const RandomFrame &frame, unsigned plane, const Block &b, unsigned ref) {
    const PictureLayout &from = frame.ref_layout[ref];
    const unsigned ss_h = plane ? frame.layout.format.ss_h : 0, ss_v = plane ? frame.layout.format.ss_v : 0;
    Vp9Prediction p;
    p.plane = plane;
    p.ref = ref;
    p.x = b.x >> ss_h & ~3u;
    p.y = b.y >> ss_v & ~3u;
    p.w = std::max(b.w >> ss_h, 4u);
    p.h = std::max(b.h >> ss_v, 4u);
    const auto position = [&](unsigned at, unsigned step, unsigned side) {
        const int start = static_cast<int>(at * step);
        switch (below(random, 6)) {
        case 0:
            return start / 16 * 16; // whole pixels
        case 1:                     // around the border
            return (chance(random, 50) ? 0 : static_cast<int>(side) * 16) + between(random, -90 * 16, 90 * 16);
        case 2: // far away
            return between(random, -3000 * 16, 3000 * 16);
        default:
            return start + between(random, -40 * 16, 40 * 16);
        }
    };
    const bool same =
        from.format.width == frame.layout.format.width && from.format.height == frame.layout.format.height;
    if (!same) { // as the decoder: 2^14 times the ratio, then 1/16 pixels
        p.step_x = 16 * ((from.format.width << 14) / frame.layout.format.width) >> 14;
        p.step_y = 16 * ((from.format.height << 14) / frame.layout.format.height) >> 14;
    }
    p.src_x = position(p.x, p.step_x, from.plane[plane].width);
    p.src_y = position(p.y, p.step_y, from.plane[plane].height);
    if (frame.options.content == Content::extreme && same && chance(random, 30))
        p.src_x = (p.src_x & ~15) | 8; // the strongest filters
    return p;
}

void draw_coefs(Random &random, const RandomFrame &frame, unsigned kind, unsigned corner, RandomResidual &r) {
    const unsigned n = itx_size(kind), side = corner ? corner_size(corner) : 1, depth = frame.layout.format.bit_depth;
    const unsigned percent = between(random, 1, 100);
    const std::size_t element = depth == 8 ? 2 : 4;
    r.coefs.assign(n * n * element, std::byte{0});
    const auto set = [&](unsigned column, unsigned row, std::int64_t value) {
        std::memcpy(r.coefs.data() + (column * n + row) * element, &value, element);
    };
    const std::int64_t same = random_coefficient(random, depth);
    for (unsigned column = 0; column < side; column++)
        for (unsigned row = 0; row < side; row++)
            if (chance(random, percent))
                set(column, row,
                    frame.options.content == Content::extreme
                        ? same
                        : random_coefficient(random, depth) >> between(random, 0, 4));
    if (corner == 0)
        set(0, 0, random_coefficient(random, depth));
}

void residual(Random &random, RandomFrame &frame, unsigned recorder, unsigned plane, const Block &b, unsigned kind) {
    static constexpr unsigned last[4][5] = {
        {1, 16, 0, 0, 0}, {1, 12, 64, 0, 0}, {1, 10, 38, 256, 0}, {1, 1, 34, 135, 1024}};
    unsigned eob = kind == DD_ITX_WHT ? 16 : last[kind][below(random, kind == 0 ? 2 : kind + 2)];
    RandomResidual r;
    r.call = {plane, b.x, b.y, kind, eob, nullptr};
    for (int attempt = 0; attempt < 20; attempt++) {
        draw_coefs(random, frame, kind, itx_corner(kind, eob), r);
        r.call.coefs = r.coefs.data();
        if (frame.batch.recorders[recorder].residual(r.call)) {
            frame.residuals.push_back(std::move(r));
            frame.residuals.back().call.coefs = frame.residuals.back().coefs.data();
            return;
        }
    }
}

std::uint32_t mask(Random &random, unsigned direction, unsigned row, bool halved, bool halved_across) {
    const auto bits = [&] { return random() & random() & 0xff; };
    std::uint32_t wide = chance(random, 60) ? bits() : 0;
    // A 16 wide edge needs eight pixels on both sides in the superblock and its left or upper neighbour.
    if (direction == 0 && halved)
        wide &= 0x55;
    if (direction == 1 && halved_across && (row & 1))
        wide = 0;
    const std::uint32_t eight = bits(), four = bits(), any = wide | eight | four;
    return wide | eight << 8 | four << 16 | (bits() & any) << 24;
}

} // namespace

std::int64_t random_coefficient(Random &random, unsigned depth) {
    const std::int64_t magnitude = (random() >> (31 - between(random, 1, static_cast<int>(depth) + 7))) + 1;
    return chance(random, 50) ? magnitude : -magnitude;
}

std::uint32_t seed() {
    static const std::uint32_t value = [] {
        const char *text = std::getenv("DAEDALUS_SEED");
        return text ? static_cast<std::uint32_t>(std::strtoul(text, nullptr, 0)) : Catch::rngSeed();
    }();
    return value;
}

void HostPicture::Free::operator()(std::byte *p) const {
    ::operator delete[](p, kAlign);
}

HostPicture::HostPicture(const PictureLayout &layout)
    : bytes_(static_cast<std::byte *>(::operator new[](layout.size, kAlign))), size_(layout.size) {}

void HostPicture::copy_from(const HostPicture &other) {
    std::memcpy(data(), other.data(), size_);
}

RandomFrame make_frame(Random &random, const FrameOptions &options) {
    RandomFrame frame;
    frame.options = options;
    frame.layout = make_picture_layout(options.format, 64);
    frame.start = HostPicture(frame.layout);
    fill(random, frame.layout, options.content, frame.start);
    for (unsigned slot = 0; slot < DD_MAX_REFS; slot++) {
        frame.ref_layout[slot] = reference_layout(random, options);
        frame.ref[slot] = HostPicture(frame.ref_layout[slot]);
        fill(random, frame.ref_layout[slot], options.content, frame.ref[slot]);
    }
    frame.batch.reset(frame.layout, frame.ref_layout, options.recorders);
    return frame;
}

namespace {

bool has_frame_size(const RandomFrame &frame, unsigned ref) {
    return frame.ref_layout[ref].format.width == frame.layout.format.width &&
           frame.ref_layout[ref].format.height == frame.layout.format.height;
}

// 1/8 pixel of luma: to whole pixels of luma, of chroma, nearby, anywhere.
std::int16_t vector_part(Random &random) {
    const int near = between(random, -60 * 8, 60 * 8);
    switch (below(random, 5)) {
    case 0:
        return static_cast<std::int16_t>(near & ~7);
    case 1:
        return static_cast<std::int16_t>(near & ~15);
    case 2:
        return static_cast<std::int16_t>(random());
    default:
        return static_cast<std::int16_t>(near);
    }
}

// A block of 8x8 or more, as one call; and the calls for its planes that it stands for. Both references have the
// frame's size.
void add_whole_block(Random &random, RandomFrame &frame, Vp9Recorder &recorder, const Block &b, DdVp9Block block) {
    const unsigned wide = static_cast<unsigned>(std::countr_zero(b.w)),
                   high = static_cast<unsigned>(std::countr_zero(b.h));
    block.col = b.x / 8;
    block.row = b.y / 8;
    block.size = 3 * (std::min(wide, high) - 2) + (wide < high ? 1 : wide > high ? 2 : 0);
    for (auto &mv : block.mv)
        for (std::int16_t &part : mv)
            part = vector_part(random);
    REQUIRE(recorder.predict_block(block));
    for (unsigned i = 0; i <= block.compound; i++)
        for (unsigned plane = 0; plane < frame.layout.format.planes; plane++) {
            const unsigned ss_h = plane ? frame.layout.format.ss_h : 0, ss_v = plane ? frame.layout.format.ss_v : 0;
            Vp9Prediction p{plane,       block.ref[i], block.filter, i == 1,
                            b.x >> ss_h, b.y >> ss_v,  b.w >> ss_h,  b.h >> ss_v};
            p.src_x = static_cast<int>(p.x * 16) + (block.mv[i][0] * 2 >> ss_h);
            p.src_y = static_cast<int>(p.y * 16) + (block.mv[i][1] * 2 >> ss_v);
            frame.predictions.push_back(p);
        }
}

} // namespace

void add_predictions(Random &random, RandomFrame &frame) {
    // Compound blocks of a frame have one reference in common, always the first or always the second one.
    const unsigned common = below(random, 3);
    const bool common_first = chance(random, 50);
    for (const Block &b : blocks_of(random, frame.layout)) {
        if (chance(random, 15)) // intra
            continue;
        Vp9Recorder &recorder = frame.batch.recorders[below(random, frame.options.recorders)];
        recorder.begin_block();
        const unsigned filter = below(random, 4), other = below(random, 3);
        const bool compound = chance(random, 40) && other != common;
        const unsigned first = compound && common_first ? common : other, second = common_first ? other : common;
        if (b.w >= 8 && b.h >= 8 && has_frame_size(frame, first) && has_frame_size(frame, second) &&
            chance(random, 50)) {
            DdVp9Block block{};
            block.filter = static_cast<std::uint8_t>(filter);
            block.compound = compound;
            block.ref[0] = static_cast<std::uint8_t>(first);
            block.ref[1] = static_cast<std::uint8_t>(second);
            add_whole_block(random, frame, recorder, b, block);
            continue;
        }
        for (unsigned i = 0; i <= (compound ? 1u : 0u); i++)
            for (unsigned plane = 0; plane < frame.layout.format.planes; plane++) {
                // Chroma of two blocks smaller than it is predicted once.
                const bool odd_x = plane && frame.layout.format.ss_h && b.w == 4 && (b.x & 4);
                const bool odd_y = plane && frame.layout.format.ss_v && b.h == 4 && (b.y & 4);
                if (odd_x || odd_y)
                    continue;
                Vp9Prediction p = prediction(random, frame, plane, b, i ? second : first);
                p.filter = filter;
                p.second = i == 1;
                REQUIRE(recorder.predict(p));
                frame.predictions.push_back(p);
            }
    }
}

void add_residuals(Random &random, RandomFrame &frame) {
    const bool lossless = chance(random, 20);
    for (unsigned plane = 0; plane < frame.layout.format.planes; plane++) {
        const PlaneLayout &p = frame.layout.plane[plane];
        const unsigned max_kind = p.padded_width >= 32 && p.padded_height >= 32 ? 3 : 2;
        for (unsigned y = 0; y < p.padded_height; y += 4u << max_kind)
            for (unsigned x = 0; x < p.padded_width; x += 4u << max_kind) {
                const unsigned kind = lossless ? DD_ITX_WHT : below(random, max_kind + 1), n = itx_size(kind);
                for (unsigned by = y; by < y + (4u << max_kind); by += n)
                    for (unsigned bx = x; bx < x + (4u << max_kind); bx += n)
                        if (chance(random, 70))
                            residual(random, frame, below(random, frame.options.recorders), plane, {bx, by, n, n},
                                     kind);
            }
    }
}

void add_loop_filter(Random &random, RandomFrame &frame) {
    const unsigned columns = (frame.layout.format.width + 63) / 64, rows = (frame.layout.format.height + 63) / 64;
    frame.superblocks.resize(std::size_t{columns} * rows);
    for (DdLfSuperblock &sb : frame.superblocks) {
        for (std::uint32_t &word : sb.level)
            word = random() & (chance(random, 50) ? 0x3f3f3f3f : 0x0f0f0f0f);
        for (unsigned kind = 0; kind < 2; kind++) {
            const bool ss_h = kind && frame.layout.format.ss_h, ss_v = kind && frame.layout.format.ss_v;
            for (unsigned row = 0; row < 8; row++) {
                sb.mask[(kind * 2) * 8 + row] = mask(random, 0, row, ss_h, ss_v);
                sb.mask[(kind * 2 + 1) * 8 + row] = mask(random, 1, row, ss_h, ss_v);
            }
        }
    }
    const unsigned sharpness = below(random, 8); // clause 8.8.1
    for (unsigned level = 1; level < DD_LF_LEVELS; level++) {
        unsigned limit = level >> (sharpness > 4 ? 2 : sharpness > 0 ? 1 : 0);
        if (sharpness)
            limit = std::min(limit, 9 - sharpness);
        limit = std::max(limit, 1u);
        frame.limit[level] = static_cast<std::uint8_t>(limit);
        frame.mblimit[level] = static_cast<std::uint8_t>(2 * (level + 2) + limit);
    }
    REQUIRE(
        frame.batch.set_loop_filter(frame.superblocks.data(), columns, rows, frame.limit.data(), frame.mblimit.data()));
}

} // namespace dd::test
