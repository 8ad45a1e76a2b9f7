// SPDX-License-Identifier: BSD-2-Clause
#include "av1_work.h"

#include <algorithm>

namespace bench {
namespace {

// A line of edges in one direction of one plane.
struct Line {
    std::size_t at; // byte of the picture
    std::ptrdiff_t stride;
    BenchEdges edges;
};

// All transforms are squares of 4 << log2 pixels of luma, and of half of that of subsampled chroma.
class Edges {
  public:
    Edges(const dd::PictureLayout &layout, unsigned log2, Random &random)
        : layout_(layout), log2_(log2), sb_cols_((layout.format.width + 127) / 128),
          superblocks_(blank_superblocks(layout.format)) {
        level_stride_ = sb_cols_ * 32;
        levels_.resize(std::size_t{level_stride_} * (layout.plane[0].padded_height / 4));
        for (std::uint32_t &level : levels_)
            for (unsigned byte = 0; byte < 4; byte++)
                level |= static_cast<std::uint32_t>(1 + random() % 63) << (8 * byte);
        auto *halves = reinterpret_cast<std::uint16_t *>(superblocks_.data());
        for (std::size_t sb = 0; sb < superblocks_.size() / dd::DD_AV1_SB_WORDS; sb++)
            for (unsigned kind = 0; kind < (layout.format.planes > 1 ? 2u : 1u); kind++)
                fill(halves + 2 * (sb * dd::DD_AV1_SB_WORDS + (kind ? dd::DD_AV1_SB_CHROMA : 0)), kind);
    }

    dd::Av1FilterTables tables() const {
        dd::Av1FilterTables t;
        t.superblocks = superblocks_;
        t.levels = levels_;
        t.level_stride = level_stride_;
        t.deblock_luma = true;
        t.deblock_chroma = layout_.format.planes > 1;
        return t;
    }

    // In the order in which they are filtered; `count`: of edges, four pixels long each.
    std::vector<Line> lines(double &count) const {
        std::vector<Line> all;
        for (unsigned plane = 0; plane < layout_.format.planes; plane++)
            for (unsigned rows = 0; rows < 2; rows++)
                append(all, plane, rows, count);
        return all;
    }

  private:
    unsigned ss_h(unsigned plane) const { return plane ? layout_.format.ss_h : 0; }
    unsigned ss_v(unsigned plane) const { return plane ? layout_.format.ss_v : 0; }
    // Of the transform, in blocks of 4x4 pixels, across the edge.
    unsigned step(unsigned plane, unsigned rows) const {
        const unsigned ss = rows ? ss_v(plane) : ss_h(plane);
        return 1u << (log2_ > ss ? log2_ - ss : 0);
    }
    unsigned size(unsigned plane, unsigned rows) const {
        const unsigned blocks = step(plane, rows), largest = plane ? 1 : 2;
        return std::min(blocks == 1 ? 0u : blocks == 2 ? 1u : 2u, largest);
    }

    void fill(std::uint16_t *masks, unsigned kind) const {
        const unsigned sizes = kind ? 2 : 3;
        for (unsigned rows = 0; rows < 2; rows++)
            for (unsigned line = 0; line < 32u >> (rows ? ss_v(kind) : ss_h(kind)); line += step(kind, rows))
                for (unsigned half = 0; half < 2; half++)
                    masks[((rows * 32 + line) * sizes + size(kind, rows)) * 2 + half] =
                        static_cast<std::uint16_t>((1u << (16 >> (rows ? ss_h(kind) : ss_v(kind)))) - 1);
    }

    void append(std::vector<Line> &all, unsigned plane, unsigned rows, double &count) const {
        const dd::PlaneLayout &p = layout_.plane[plane];
        const unsigned w4 = (p.width + 3) / 4, h4 = (p.height + 3) / 4;
        const unsigned across = rows ? h4 : w4, along = rows ? w4 : h4;
        const unsigned piece = 32u >> (rows ? ss_h(plane) : ss_v(plane)); // what a superblock has of it
        for (unsigned first = 0; first < along; first += piece)
            for (unsigned line = step(plane, rows); line < across; line += step(plane, rows)) {
                const unsigned x4 = rows ? first : line, y4 = rows ? line : first;
                const unsigned length = std::min(piece, along - first);
                Line l{p.offset + std::size_t{y4} * 4 * p.stride + std::size_t{x4} * 4 * layout_.bytes_per_pixel(),
                       std::ptrdiff_t{p.stride},
                       {}};
                l.edges.chroma = plane != 0;
                l.edges.rows = static_cast<int>(rows);
                l.edges.mask[size(plane, rows)] = length < 32 ? (1u << length) - 1 : ~0u;
                const auto *level =
                    reinterpret_cast<const std::uint8_t *>(&levels_[std::size_t{y4} * level_stride_ + x4]);
                l.edges.levels = reinterpret_cast<const std::uint8_t(*)[4]>(level + (plane ? plane + 1 : rows));
                l.edges.level_stride = level_stride_;
                l.edges.length = static_cast<int>(length);
                all.push_back(l);
                count += length;
            }
    }

    dd::PictureLayout layout_;
    unsigned log2_, sb_cols_, level_stride_;
    std::vector<std::uint32_t> superblocks_, levels_;
};

Work make(const std::string &name, unsigned log2, bool monochrome, const Scene &scene) {
    Random random(scene.seed);
    dd::PictureFormat format = scene.format;
    if (monochrome)
        format.planes = 1;
    Work work = start_av1_filter(name, format, random);
    const auto edges = std::make_shared<Edges>(work.layout(), log2, random);
    set_av1_filters(work, edges->tables());
    const std::vector<Line> lines = edges->lines(work.blocks);
    work.run = [edges, lines](const Dsp &dsp, std::byte *dst) {
        for (const Line &line : lines)
            dav1d_av1_deblock(dsp.av1(), reinterpret_cast<std::uint8_t *>(dst + line.at), line.stride, &line.edges);
    };
    return work;
}

} // namespace

void add_av1_deblock_kernels(std::vector<Kernel> &list) {
    const auto add = [&](const std::string &name, unsigned log2, bool monochrome) {
        list.push_back({name, [=](const Scene &scene) { return make(name, log2, monochrome, scene); }});
    };
    for (const unsigned log2 : {0u, 1u, 2u}) {
        const std::string side = std::to_string(4u << log2);
        add("av1-deblock-luma-" + side, log2, true);
        add("av1-deblock-" + side, log2, false);
    }
}

} // namespace bench
