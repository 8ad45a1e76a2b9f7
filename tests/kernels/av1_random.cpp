// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/av1_random.h"

#include <algorithm>
#include <cstring>

namespace dd::test {
namespace {

// log2 of the transform's width and height in units of 4 pixels, by 4x4 block of one plane.
struct TransformMap {
    unsigned cols, rows;
    std::vector<std::uint8_t> w, h;
    TransformMap(unsigned c, unsigned r) : cols(c), rows(r), w(std::size_t{c} * r), h(std::size_t{c} * r) {}
    std::size_t at(unsigned x, unsigned y) const { return std::size_t{y} * cols + x; }
};

void fill(TransformMap &map, unsigned x0, unsigned y0, unsigned log2_w, unsigned log2_h) {
    for (unsigned y = y0; y < std::min(map.rows, y0 + (1u << log2_h)); y++)
        for (unsigned x = x0; x < std::min(map.cols, x0 + (1u << log2_w)); x++) {
            map.w[map.at(x, y)] = static_cast<std::uint8_t>(log2_w);
            map.h[map.at(x, y)] = static_cast<std::uint8_t>(log2_h);
        }
}

void split(Random &random, TransformMap &map, unsigned x, unsigned y, unsigned log2) {
    const unsigned choice = below(random, 4);
    const unsigned half = log2 ? 1u << (log2 - 1) : 0;
    if (!log2 || choice == 0)
        return fill(map, x, y, log2, log2);
    if (choice == 1) {
        fill(map, x, y, log2, log2 - 1);
        return fill(map, x, y + half, log2, log2 - 1);
    }
    if (choice == 2) {
        fill(map, x, y, log2 - 1, log2);
        return fill(map, x + half, y, log2 - 1, log2);
    }
    for (unsigned i = 0; i < 4; i++)
        split(random, map, x + (i & 1) * half, y + (i >> 1) * half, log2 - 1);
}

// Bits of the edges of one plane, as a decoder's masks have them. `halves`: the superblocks' 16-bit halves.
class EdgeWriter {
  public:
    EdgeWriter(Av1RandomFrame &frame, unsigned plane_kind, unsigned ss_h, unsigned ss_v)
        : halves_(reinterpret_cast<std::uint16_t *>(frame.superblocks.data())), kind_(plane_kind), ss_h_(ss_h),
          ss_v_(ss_v), sb_cols_((frame.layout.format.width + 127) / 128) {}

    void write(Random &random, const TransformMap &map) {
        const unsigned largest = kind_ ? 1 : 2;
        for (unsigned y = 0; y < map.rows; y++)
            for (unsigned x = 0; x < map.cols; x++) {
                const std::size_t at = map.at(x, y);
                const bool column = x % (1u << map.w[at]) == 0, row = y % (1u << map.h[at]) == 0;
                const unsigned left = x ? map.w[map.at(x - 1, y)] : 2u, above = y ? map.h[map.at(x, y - 1)] : 2u;
                if (column && below(random, 8))
                    set(0, x, y, std::min<unsigned>({left, map.w[at], largest}));
                if (row && below(random, 8))
                    set(1, x, y, std::min<unsigned>({above, map.h[at], largest}));
            }
    }

  private:
    void set(unsigned dir, unsigned x, unsigned y, unsigned size) {
        const unsigned sb = (y >> (5 - ss_v_)) * sb_cols_ + (x >> (5 - ss_h_));
        const unsigned in_x = x & (31 >> ss_h_), in_y = y & (31 >> ss_v_);
        const unsigned line = dir ? in_y : in_x, along = dir ? in_x : in_y, half = 16 >> (dir ? ss_h_ : ss_v_);
        const unsigned sizes = kind_ ? 2 : 3;
        std::uint16_t *masks = halves_ + std::size_t{sb} * DD_AV1_SB_WORDS * 2 + (kind_ ? DD_AV1_SB_CHROMA * 2 : 0);
        masks[((dir * 32 + line) * sizes + size) * 2 + along / half] |=
            static_cast<std::uint16_t>(1u << (along % half));
    }

    std::uint16_t *halves_;
    unsigned kind_, ss_h_, ss_v_, sb_cols_;
};

void random_edges(Random &random, Av1RandomFrame &frame) {
    const PictureFormat &format = frame.layout.format;
    for (unsigned kind = 0; kind < (format.planes > 1 ? 2u : 1u); kind++) {
        const unsigned ss_h = kind ? format.ss_h : 0, ss_v = kind ? format.ss_v : 0;
        // Whole 8x8 blocks, as decoders keep them.
        TransformMap map((format.width + 7) / 8 * 2 >> ss_h, (format.height + 7) / 8 * 2 >> ss_v);
        for (unsigned y = 0; y < map.rows; y += 16)
            for (unsigned x = 0; x < map.cols; x += 16)
                split(random, map, x, y, 4);
        EdgeWriter(frame, kind, ss_h, ss_v).write(random, map);
    }
    const unsigned stride = (format.width + 127) / 128 * 32, rows = (format.height + 127) / 128 * 32;
    frame.levels.resize(std::size_t{stride} * rows);
    const unsigned strongest = below(random, 2) ? 63 : 20;
    for (std::uint32_t &level : frame.levels)
        for (unsigned byte = 0; byte < 4; byte++)
            level |= (below(random, 6) ? below(random, strongest + 1) : 0) << (8 * byte);
    frame.tables.level_stride = stride;
    frame.tables.levels = frame.levels;
    frame.tables.deblock_luma = true;
    frame.tables.deblock_chroma = format.planes > 1 && below(random, 4);
    frame.tables.sharpness = below(random, 8);
}

void random_cdef(Random &random, Av1RandomFrame &frame) {
    auto *bytes = reinterpret_cast<std::uint8_t *>(frame.superblocks.data());
    for (std::size_t sb = 0; sb < frame.superblocks.size() / DD_AV1_SB_WORDS; sb++) {
        std::uint8_t *words = bytes + sb * DD_AV1_SB_WORDS * 4;
        for (unsigned i = 0; i < 4; i++)
            words[DD_AV1_SB_CDEF * 4 + i] =
                static_cast<std::uint8_t>(below(random, 9)) == 8 ? 255 : static_cast<std::uint8_t>(below(random, 8));
        for (unsigned i = 0; i < 64; i++)
            words[DD_AV1_SB_CODED * 4 + i] = static_cast<std::uint8_t>(random() | random());
    }
    frame.tables.cdef = true;
    frame.tables.cdef_damping = 3 + below(random, 4);
    for (unsigned i = 0; i < 8; i++) {
        frame.tables.cdef_luma[i] = static_cast<std::uint8_t>(below(random, 5) ? below(random, 64) : 0);
        frame.tables.cdef_chroma[i] = static_cast<std::uint8_t>(below(random, 5) ? below(random, 64) : 0);
    }
}

std::int8_t between(Random &random, int low, int high) {
    return static_cast<std::int8_t>(low + static_cast<int>(below(random, static_cast<unsigned>(high - low + 1))));
}

Av1RestorationUnit random_unit(Random &random, bool chroma) {
    Av1RestorationUnit unit;
    unit.kind = static_cast<std::uint8_t>(below(random, 8) ? 1 + below(random, 2) : 0);
    unit.set = static_cast<std::uint8_t>(below(random, 16));
    for (auto *taps : {&unit.horizontal, &unit.vertical})
        *taps = {chroma ? std::int8_t{0} : between(random, -5, 10), between(random, -23, 8), between(random, -17, 46)};
    const bool wide = unit.set < 10 || unit.set > 13, narrow = unit.set < 14;
    unit.weight = {wide ? between(random, -96, 31) : std::int8_t{0},
                   narrow ? between(random, -32, 95) : std::int8_t{95}};
    return unit;
}

void random_units(Random &random, Av1RandomFrame &frame) {
    const PictureFormat &format = frame.layout.format;
    const unsigned luma_log2 = 6 + below(random, 3), chroma_log2 = luma_log2 - (format.ss_v ? below(random, 2) : 0);
    for (unsigned p = 0; p < format.planes; p++) {
        if (p && !below(random, 4))
            continue;
        Av1PlaneUnits &plane = frame.tables.restoration[p];
        plane.log2 = p ? chroma_log2 : luma_log2;
        const auto count = [&](unsigned pixels) {
            return std::max((pixels + (1u << plane.log2) / 2) >> plane.log2, 1u);
        };
        plane.cols = count(frame.layout.plane[p].width);
        plane.rows = count(frame.layout.plane[p].height);
        frame.units[p].resize(std::size_t{plane.cols} * plane.rows);
        for (Av1RestorationUnit &unit : frame.units[p])
            unit = random_unit(random, p != 0);
        plane.units = frame.units[p];
    }
}

void random_pixels(Random &random, Av1RandomFrame &frame, Pixels kind) {
    const unsigned top = (1u << frame.layout.format.bit_depth) - 1;
    frame.pixels.resize(frame.layout.size);
    const unsigned bytes = frame.layout.bytes_per_pixel();
    unsigned value = top / 2;
    for (std::size_t at = 0; at + bytes <= frame.pixels.size(); at += bytes) {
        if (kind == Pixels::noise)
            value = below(random, top + 1);
        else if (kind == Pixels::extreme)
            value = below(random, 3) ? value : below(random, 2) * top;
        else if (!below(random, 7))
            value = std::min(top, static_cast<unsigned>(std::max(0, static_cast<int>(value) + between(random, -9, 9))));
        const auto stored = static_cast<std::uint16_t>(value);
        std::memcpy(&frame.pixels[at], &stored, bytes);
    }
    // Smooth from row to row too.
    for (unsigned p = 0; kind == Pixels::smooth && p < frame.layout.format.planes; p++) {
        const PlaneLayout &plane = frame.layout.plane[p];
        for (unsigned y = 1; y < plane.padded_height; y++)
            if (y % (4u + y % 13))
                std::memcpy(&frame.pixels[plane.offset + std::size_t{y} * plane.stride],
                            &frame.pixels[plane.offset + std::size_t{y - 1} * plane.stride],
                            std::size_t{plane.padded_width} * bytes);
    }
}

} // namespace

Av1RandomFrame random_frame(Random &random, const PictureFormat &format, Pixels pixels, unsigned stages) {
    Av1RandomFrame frame;
    frame.layout = make_picture_layout(format, 128);
    frame.superblocks.resize(std::size_t{(format.width + 127) / 128} * ((format.height + 127) / 128) * DD_AV1_SB_WORDS);
    random_pixels(random, frame, pixels);
    if (stages & 1)
        random_edges(random, frame);
    if (stages & 2)
        random_cdef(random, frame);
    if (stages & 4)
        random_units(random, frame);
    frame.tables.superblocks = frame.superblocks;
    return frame;
}

} // namespace dd::test
