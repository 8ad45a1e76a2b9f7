// SPDX-License-Identifier: BSD-2-Clause
#include "debug/av1_validate.h"

#include "debug/av1_block_planes.h"
#include "debug/av1_coded_shape.h"

#include <algorithm>
#include <bit>

namespace dd {
namespace {

// Of a record: what part of a plane (of both planes of chroma) it predicts.
struct Part {
    bool chroma;
    unsigned x, y, w, h;
    unsigned size_class; // log2 of its lanes
};

Part part_of(std::uint32_t dst, std::uint32_t ctl) {
    const unsigned w4 = ctl >> DD_AV1_W4_SHIFT & 3, h4 = ctl >> DD_AV1_H4_SHIFT & 3;
    const bool chroma = ctl & DD_AV1_CHROMA;
    return {chroma, dst & 0xffff, dst >> 16, 4u << w4, ctl & DD_AV1_TWO_ROWS ? 2 : 4u << h4, w4 + h4 + chroma};
}

class Checker {
  public:
    Checker(const Av1Recon &recon, const PictureLayout &dst, unsigned present)
        : recon_(recon), dst_(dst), present_(present) {
        for (unsigned p = 0; p < dst.format.planes; p++)
            cells_left_ += std::uint64_t{dst.plane[p].padded_width / 4} * (dst.plane[p].padded_height / 2);
        residuals_left_ = cells_left_ / 2; // of 4x4
    }

    bool recorder(const Av1Recorder &r) {
        const auto all = [&](const auto &kernel, auto check) {
            for (unsigned group = 0; group < kernel.size(); group++)
                for (unsigned c = 0; c < DD_AV1_CLASSES; c++)
                    for (const auto &record : kernel[group][c])
                        if (group >= recon_.references.groups() || !lanes(c) || !check(record, group, c))
                            return false;
            return true;
        };
        const auto planes = [&](const auto &kernel, auto check) {
            return each_av1_plane(kernel, dst_, [&](const auto &record, unsigned group, unsigned c) {
                return group < recon_.references.groups() && c < DD_AV1_CLASSES && lanes(c) && check(record, group, c);
            });
        };
        const auto is_single = [&](const auto &m, unsigned group, unsigned c) { return single(m, group, c); };
        const auto is_pair = [&](const auto &m, unsigned group, unsigned c) { return pair(r, m, group, c); };
        return are_whole(r.blocks) && are_whole(r.pair_blocks) && all(r.mc, is_single) && all(r.pairs, is_pair) &&
               planes(r.blocks, is_single) && planes(r.pair_blocks, is_pair) &&
               all(r.overlaps, [&](const auto &o, unsigned group, unsigned c) { return overlap(o, group, c); }) &&
               all(r.warps, [&](const auto &w, unsigned group, unsigned c) { return warp(r, w, group, c); }) &&
               all(r.differences, [&](const auto &d, unsigned group, unsigned c) { return difference(d, group, c); }) &&
               std::ranges::all_of(r.residuals.bins, [&](const Av1ItxBin &bin) { return residuals(r, bin); });
    }

  private:
    // No cell is predicted twice, so there are no more lanes than cells.
    bool lanes(unsigned size_class) {
        const std::uint64_t count = std::uint64_t{1} << size_class;
        const bool fit = count <= cells_left_;
        cells_left_ -= fit ? count : 0;
        return fit;
    }
    // Records of whole blocks, whose planes may be looked at then.
    template <typename Record>
    static bool are_whole(const Av1Streams<Record> &blocks) {
        constexpr std::uint32_t others = DD_AV1_CHROMA | DD_AV1_TWO_ROWS | DD_AV1_HALVES | DD_AV1_MASKED;
        const auto is_whole = [](const Record &block) {
            return (block.ctl & DD_AV1_WHOLE) && !(block.ctl & others) && !((block.dst | block.dst >> 16) & 7) &&
                   (block.ctl >> DD_AV1_W4_SHIFT & 3) && (block.ctl >> DD_AV1_H4_SHIFT & 3);
        };
        return std::ranges::all_of(blocks, [&](const auto &group) {
            return std::ranges::all_of(group,
                                       [&](const auto &records) { return std::ranges::all_of(records, is_whole); });
        });
    }
    bool in_plane(unsigned plane, unsigned x, unsigned y, unsigned w, unsigned h) const {
        const PlaneLayout &p = dst_.plane[plane];
        return plane < dst_.format.planes && x + w <= p.padded_width && y + h <= p.padded_height;
    }
    bool placed(const Part &part, unsigned size_class) const {
        return part.size_class == size_class && !(part.x & 3) && !(part.y & 1) &&
               in_plane(part.chroma ? 2 : 0, part.x, part.y, part.w, part.h);
    }
    static bool cells(std::uint32_t ctl) { return !(ctl & DD_AV1_TWO_ROWS) || !(ctl >> DD_AV1_H4_SHIFT & 3); }

    bool reference(const DdAv1RecordSource &source, unsigned group) const {
        const unsigned binding = source.how >> DD_AV1_REF_SHIFT & 7;
        return binding < DD_AV1_BOUND_REFS && present_ >> recon_.references.bound(group)[binding] & 1;
    }
    bool translated(const DdAv1RecordSource &source, unsigned group) const {
        return reference(source, group) && !(source.how & DD_AV1_WARPED) &&
               (source.how >> DD_AV1_TAPS_X_SHIFT & 7) < DD_AV1_TAP_KINDS &&
               (source.how >> DD_AV1_TAPS_Y_SHIFT & 7) < DD_AV1_TAP_KINDS;
    }
    // All 8 by `rows` filters of a direction are in the table, and the position that they start from is one of a pixel.
    static bool shear(std::int32_t first, std::uint32_t packed, int rows, int before) {
        const int along = static_cast<std::int16_t>(packed), down = static_cast<std::int16_t>(packed >> 16);
        for (const int row : {0, rows - 1})
            for (const int column : {0, 7}) {
                const std::int64_t at = std::int64_t{first} + along * column + down * row;
                const std::int64_t tap = 64 + ((at + 512) >> 10);
                if (tap < 0 || tap > 192)
                    return false;
            }
        const std::int64_t middle = std::int64_t{first} + 4 * along + before * down;
        return !(first & 63) && middle > -64 && middle < 65536;
    }
    // A source that may be warped; x, y: of the pixels that it is for.
    bool any_source(const DdAv1RecordSource &source, const DdAv1RecordWarp &w, unsigned group, unsigned x,
                    unsigned y) const {
        if (!(source.how & DD_AV1_WARPED))
            return translated(source, group);
        return reference(source, group) && (source.how >> DD_AV1_CELL_X_SHIFT & 1) == (x >> 2 & 1) &&
               (source.how >> DD_AV1_CELL_Y_SHIFT & 1) == (y >> 2 & 1) && shear(w.mx, w.alpha_beta, 15, 7) &&
               shear(w.my, w.gamma_delta, 8, 4);
    }
    bool combined(const Av1Recorder &r, std::uint32_t ctl, std::uint32_t mask, const Part &part) const {
        if (ctl & DD_AV1_MASKED)
            return mask + std::uint64_t{part.w} * part.h / 4 <= r.masks.size();
        return (ctl >> DD_AV1_WEIGHT_SHIFT & 127) <= 64;
    }

    bool single(const DdAv1McRecord &m, unsigned group, unsigned size_class) const {
        return placed(part_of(m.dst, m.ctl), size_class) && cells(m.ctl) &&
               !(m.ctl & (DD_AV1_HALVES | DD_AV1_COMPOUND | DD_AV1_MASKED | DD_AV1_WHOLE)) &&
               translated(m.source[0], group);
    }
    bool pair(const Av1Recorder &r, const DdAv1PairRecord &m, unsigned group, unsigned size_class) const {
        const Part part = part_of(m.dst, m.ctl);
        const bool halves = m.ctl & DD_AV1_HALVES, compound = m.ctl & DD_AV1_COMPOUND;
        return placed(part, size_class) && cells(m.ctl) && halves != compound && !(m.ctl & DD_AV1_WHOLE) &&
               (halves ? part.w == 4 && !(m.ctl & DD_AV1_MASKED) : combined(r, m.ctl, m.mask, part)) &&
               translated(m.source[0], group) && translated(m.source[1], group);
    }
    // Index of the first weight, in a table of twice each overlap's size.
    static bool weights(unsigned first, unsigned count) {
        return !first || (first >= 4 && first + count <= 2 * std::bit_floor(first));
    }
    bool overlap(const DdAv1OverlapRecord &o, unsigned group, unsigned size_class) const {
        const Part part = part_of(o.dst, o.ctl);
        return placed(part, size_class) && cells(o.ctl) && part.w <= 8 && part.h <= 8 &&
               weights(o.ctl >> DD_AV1_ABOVE_SHIFT & 127, part.h) &&
               weights(o.ctl >> DD_AV1_LEFT_SHIFT & 127, part.w) &&
               std::ranges::all_of(o.source, [&](const auto &s) { return translated(s, group); });
    }
    bool warp(const Av1Recorder &r, const DdAv1WarpRecord &w, unsigned group, unsigned size_class) const {
        const Part part = part_of(w.dst, w.ctl);
        if (!placed(part, size_class) || !cells(w.ctl) || part.w != 8 || part.h != 8 || ((part.x | part.y) & 7) ||
            (w.ctl & DD_AV1_HALVES) || !any_source(w.source[0], w.warp[0], group, part.x, part.y))
            return false;
        if (!(w.ctl & DD_AV1_COMPOUND))
            return !(w.ctl & DD_AV1_MASKED);
        return combined(r, w.ctl, w.mask, part) && any_source(w.source[1], w.warp[1], group, part.x, part.y);
    }
    bool difference(const DdAv1DiffRecord &d, unsigned group, unsigned size_class) const {
        const unsigned ss_h = dst_.format.ss_h, ss_v = dst_.format.ss_v, x = d.dst & 0xffff, y = d.dst >> 16;
        const bool chroma = d.ctl & DD_AV1_HAS_CHROMA;
        if (size_class || x & ((4u << ss_h) - 1) || y & ((4u << ss_v) - 1) ||
            !in_plane(0, x, y, 4u << ss_h, 4u << ss_v) || (chroma && !in_plane(2, x >> ss_h, y >> ss_v, 4, 4)))
            return false;
        for (unsigned i = 0; i < 2; i++)
            if (!any_source(d.source[i], d.warp[i], group, x, y) ||
                (chroma && !any_source(d.chroma_source[i], d.chroma_warp[i], group, x >> ss_h, y >> ss_v)))
                return false;
        return true;
    }

    bool residuals(const Av1Recorder &r, const Av1ItxBin &bin) {
        const auto shape = av1_shape_of_bits(bin.shape);
        if (!shape)
            return false;
        const Av1Shape block = av1_shape(shape->size, shape->type);
        const bool dc_alone = bin.shape & DD_AV1_ITX_DC_ALONE;
        const std::uint64_t words =
            dc_alone ? 0 : (std::uint64_t{1} << (shape->corner.cols + shape->corner.rows)) * dst_.bytes_per_pixel() / 2;
        return std::ranges::all_of(bin.records, [&](const DdAv1ItxRecord &i) {
            const unsigned x = i.dst & 0xfffc, y = i.dst >> 16;
            return residuals_left_-- && !(y & 3) && in_plane(i.dst & 3, x, y, block.w, block.h) &&
                   (dc_alone || i.coefs + words <= r.residuals.coefs.size());
        });
    }

    const Av1Recon &recon_;
    const PictureLayout &dst_;
    unsigned present_;
    std::uint64_t cells_left_ = 0, residuals_left_ = 0;
};

// Pixels on each side of an edge that its filter reads, by size: luma's 4, 8, 14 wide, chroma's 4, 6.
constexpr unsigned kReach[2][3] = {{2, 4, 7}, {2, 3, 0}};

// The edges of one 128x128, of one plane kind in one direction. `first`: position of its first line in blocks of 4x4,
// `end`: of the picture's padded end.
bool edges_inside(std::span<const std::uint32_t> words, unsigned kind, unsigned dir, unsigned first, unsigned end) {
    const unsigned sizes = kind ? 2 : 3, at = kind ? DD_AV1_SB_CHROMA : 0;
    for (unsigned line = 0; line < 32; line++)
        for (unsigned size = 0; size < sizes; size++) {
            const unsigned position = 4 * (first + line), reach = kReach[kind][size];
            if (words[at + (dir * 32 + line) * sizes + size] && position && position < 4 * end &&
                (position < reach || position + reach > 4 * end))
                return false;
        }
    return true;
}

} // namespace

bool is_valid(const Av1Recon &recon, const PictureLayout &dst, unsigned present) {
    Checker checker(recon, dst, present);
    return std::ranges::all_of(recon.recorders, [&](const Av1Recorder &r) { return checker.recorder(r); });
}

bool are_valid(const Av1FilterTables &t, const PictureLayout &dst) {
    const auto coded = [](std::uint8_t strength) { return strength < 64; };
    if (!std::ranges::all_of(t.cdef_luma, coded) || !std::ranges::all_of(t.cdef_chroma, coded))
        return false;
    const unsigned sb_cols = dst.plane[0].padded_width / 128;
    for (std::size_t sb = 0; (sb + 1) * DD_AV1_SB_WORDS <= t.superblocks.size(); sb++) {
        const auto words = t.superblocks.subspan(sb * DD_AV1_SB_WORDS, DD_AV1_SB_WORDS);
        const auto x = static_cast<unsigned>(sb % sb_cols), y = static_cast<unsigned>(sb / sb_cols);
        for (unsigned kind = 0; kind < (dst.format.planes > 1 ? 2u : 1u); kind++) {
            const PlaneLayout &plane = dst.plane[kind];
            const unsigned ss_h = kind ? dst.format.ss_h : 0, ss_v = kind ? dst.format.ss_v : 0;
            if (!edges_inside(words, kind, 0, x * 32 >> ss_h, plane.padded_width / 4) ||
                !edges_inside(words, kind, 1, y * 32 >> ss_v, plane.padded_height / 4))
                return false;
        }
    }
    return true;
}

} // namespace dd
