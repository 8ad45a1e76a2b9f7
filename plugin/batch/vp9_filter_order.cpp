// SPDX-License-Identifier: BSD-2-Clause
#include "batch/vp9_filter_order.h"

#include <algorithm>

namespace dd {
namespace {

constexpr unsigned kColumns = 0, kRows = 1; // directions: edges between columns, edges between rows
constexpr unsigned kNarrow = 0, kEight = 1, kSixteen = 2;
constexpr unsigned kLevelsOfRow = 2; // of superblocks, before the next one may begin

} // namespace

struct Vp9FilterOrder::PlaneView {
    const Vp9LoopFilter &lf;
    std::uint16_t *cells;
    unsigned kind, ss_h, ss_v;
    unsigned cell_cols, cell_rows; // cells are four pixels wide and high
    std::uint32_t offset, stride;  // words
    std::uint32_t cell_words;      // words of four pixels
    std::uint32_t chroma;          // DD_LF_CHROMA

    const DdLfSuperblock &superblock(unsigned sb_col, unsigned sb_row) const {
        return lf.superblocks[std::size_t{sb_row} * lf.sb_cols + sb_col];
    }
    std::uint32_t masks(const DdLfSuperblock &sb, unsigned direction, unsigned row) const {
        return sb.mask[(kind * 2 + direction) * 8 + row];
    }
    DdLfEdge edge(const DdLfSuperblock &sb, unsigned cell_x, unsigned cell_y, unsigned row, unsigned column,
                  unsigned width) const {
        const unsigned level = sb.level[row * 2 + column / 4] >> (column % 4 * 8) & 0x3f;
        return {(offset + cell_y * 4 * stride + cell_x * cell_words) | chroma,
                lf.limits[level] | level >> 4 << DD_LF_VARIANCE_SHIFT | width << DD_LF_WIDTH_SHIFT};
    }
};

template <unsigned direction>
void Vp9FilterOrder::add(const PlaneView &view, Chain &chain, const Edge &edge, unsigned across) {
    const unsigned reach = edge.width == kSixteen ? 2 : 1;
    // No decoder's masks reach out of the plane.
    if (edge.cell < reach || edge.cell + reach > (direction == kColumns ? view.cell_cols : view.cell_rows))
        return;
    const unsigned begin = edge.cell - reach, end = edge.cell + reach;
    if (chain.count && begin >= chain.end)
        finish<direction>(view, chain, across);
    if (!chain.count) {
        chain.begin = begin;
        chain.end = end;
    }
    chain.begin = std::min(chain.begin, begin);
    chain.end = std::max(chain.end, end);
    chain.edge[chain.count++] = edge.record;
}

template <unsigned direction>
void Vp9FilterOrder::finish(const PlaneView &view, Chain &chain, unsigned across) {
    if (!chain.count)
        return;
    const unsigned width = chain.edge[0].how >> DD_LF_WIDTH_SHIFT;
    const unsigned rank = chain.count > 1 ? kMostEdges - chain.count : kRanks - 1 - width;
    const Node node{static_cast<std::uint32_t>(found_.size()), raise<direction>(view, chain, across),
                    static_cast<std::uint8_t>(direction), static_cast<std::uint8_t>(chain.count),
                    static_cast<std::uint8_t>(rank)};
    if (node.level >= ranks_.size())
        ranks_.resize(node.level + 1u);
    ranks_[node.level][direction][rank]++;
    nodes_.push_back(node);
    for (unsigned k = 0; k < chain.count; k++)
        found_.push_back(chain.edge[k]);
    chain.count = 0;
}

// The chain's level; `across` is its first cell across the line, and it is two cells wide.
template <unsigned direction>
std::uint16_t Vp9FilterOrder::raise(const PlaneView &view, const Chain &chain, unsigned across) {
    const std::size_t along = direction == kColumns ? 1 : view.cell_cols,
                      beside = direction == kColumns ? view.cell_cols : 1;
    std::uint16_t *const first = &view.cells[chain.begin * along + across * beside];
    if (chain.end - chain.begin == 2) { // the most frequent one
        const auto level = std::max({lowest_, first[0], first[beside], first[along], first[along + beside]});
        first[0] = first[beside] = first[along] = first[along + beside] = static_cast<std::uint16_t>(level + 1);
        return level;
    }
    std::uint16_t level = lowest_;
    for (std::size_t i = 0; i < chain.end - chain.begin; i++)
        level = std::max({level, first[i * along], first[i * along + beside]});
    for (std::size_t i = 0; i < chain.end - chain.begin; i++)
        first[i * along] = first[i * along + beside] = static_cast<std::uint16_t>(level + 1);
    return level;
}

void Vp9FilterOrder::build(const Vp9Batch &batch) {
    levels.clear();
    segments.clear();
    found_.clear();
    nodes_.clear();
    ranks_.clear();
    const Vp9LoopFilter &lf = batch.lf;
    if (lf.superblocks.empty()) {
        edges.clear();
        return;
    }
    const PictureFormat &format = batch.dst.format;
    for (unsigned plane = 0; plane < format.planes; plane++)
        cells_[plane].assign((std::size_t{lf.sb_cols} * 16 >> (plane ? format.ss_h : 0)) *
                                 (std::size_t{lf.sb_rows} * 16 >> (plane ? format.ss_v : 0)),
                             0);
    lowest_ = 0;
    for (unsigned sb_row = 0; sb_row < lf.sb_rows; sb_row++) {
        for (unsigned plane = 0; plane < format.planes; plane++)
            walk_row(batch, plane, sb_row);
        lowest_ = static_cast<std::uint16_t>(std::min<std::size_t>(lowest_ + kLevelsOfRow, ranks_.size()));
    }
    sort();
}

void Vp9FilterOrder::walk_row(const Vp9Batch &batch, unsigned plane, unsigned sb_row) {
    const PictureFormat &format = batch.dst.format;
    const Vp9LoopFilter &lf = batch.lf;
    const unsigned ss_h = plane ? format.ss_h : 0, ss_v = plane ? format.ss_v : 0;
    const PlaneView view{lf,
                         cells_[plane].data(),
                         (ss_h | ss_v) != 0u,
                         ss_h,
                         ss_v,
                         lf.sb_cols * 16 >> ss_h,
                         lf.sb_rows * 16 >> ss_v,
                         batch.dst.plane[plane].offset / 4,
                         batch.dst.plane[plane].stride / 4,
                         batch.dst.bytes_per_pixel(),
                         plane ? DD_LF_CHROMA : 0};
    for (unsigned sb_col = 0; sb_col < lf.sb_cols; sb_col++) {
        walk_columns(view, sb_col, sb_row);
        walk_rows(view, sb_col, sb_row);
    }
}

// Pairs of eight-line groups share their 16 wide edges; where the first one has such an edge, the second one has no
// other.
void Vp9FilterOrder::walk_columns(const PlaneView &view, unsigned sb_col, unsigned sb_row) {
    const DdLfSuperblock &sb = view.superblock(sb_col, sb_row);
    const unsigned left = sb_col * 16 >> view.ss_h, top = sb_row * 16 >> view.ss_v;
    for (unsigned row = 0; row < 8; row += 1u << view.ss_v) {
        const unsigned first = row & ~((2u << view.ss_v) - 1);
        const std::uint32_t a = view.masks(sb, kColumns, first), b = view.masks(sb, kColumns, row);
        std::uint32_t wide16 = a & 0xff, wide8 = a >> 8 & ~a & 0xff, any = (a | a >> 8 | a >> 16) & 0xff;
        if (row != first) {
            wide16 = a & b & 0xff;
            wide8 = b >> 8 & ~a & 0xff;
            any = wide16 | ((b >> 8 | b >> 16) & ~a & 0xff);
        }
        const std::uint32_t inner = view.ss_h ? 0 : b >> 24;
        const unsigned across = top + (row * 2 >> view.ss_v);
        Chain chain;
        for (unsigned bit = 0; bit < 8; bit++) {
            const unsigned column = view.ss_h ? bit & ~1u : bit, cell = left + (bit * 2 >> view.ss_h);
            if (any >> bit & 1) {
                const bool is16 = wide16 >> bit & 1;
                const unsigned width = is16 ? kSixteen : wide8 >> bit & 1 ? kEight : kNarrow;
                add<kColumns>(view, chain,
                              {cell, width, view.edge(sb, cell, across, is16 ? first : row, column, width)}, across);
            }
            if (inner >> bit & 1)
                add<kColumns>(view, chain, {cell + 1, kNarrow, view.edge(sb, cell + 1, across, row, column, kNarrow)},
                              across);
        }
        finish<kColumns>(view, chain, across);
    }
}

// Pairs of eight-pixel groups are as above, but that a 16 wide edge of the second one alone counts as a narrow one.
void Vp9FilterOrder::walk_rows(const PlaneView &view, unsigned sb_col, unsigned sb_row) {
    const DdLfSuperblock &sb = view.superblock(sb_col, sb_row);
    const unsigned left = sb_col * 16 >> view.ss_h, top = sb_row * 16 >> view.ss_v;
    std::array<Chain, 8> chains;
    for (unsigned row = 0; row < 8; row++) {
        const std::uint32_t masks = view.masks(sb, kRows, row);
        if (!masks)
            continue;
        const unsigned level_row = view.ss_v ? row & ~1u : row, cell = top + (row * 2 >> view.ss_v);
        const auto has = [&](unsigned what, unsigned bit) { return (masks >> (8 * what + bit) & 1) != 0; };
        for (unsigned bit = 0; bit < 8; bit += 1u << view.ss_h) {
            const unsigned first = bit & ~((2u << view.ss_h) - 1), across = left + (bit * 2 >> view.ss_h);
            const bool is16 = has(0, first) && has(0, bit), none = has(0, first) && !is16;
            if (is16 || (!none && (has(0, bit) || has(1, bit) || has(2, bit)))) {
                const unsigned width = is16 ? kSixteen : has(1, bit) ? kEight : kNarrow;
                add<kRows>(view, chains[bit],
                           {cell, width, view.edge(sb, across, cell, level_row, is16 ? first : bit, width)}, across);
            }
            if (!view.ss_v && has(3, bit))
                add<kRows>(view, chains[bit],
                           {cell + 1, kNarrow, view.edge(sb, across, cell + 1, level_row, bit, kNarrow)}, across);
        }
    }
    for (unsigned bit = 0; bit < 8; bit += 1u << view.ss_h)
        finish<kRows>(view, chains[bit], left + (bit * 2 >> view.ss_h));
}

void Vp9FilterOrder::sort() {
    edges.resize(found_.size());
    first_segment_.resize(ranks_.size());
    std::uint32_t placed = 0;
    for (std::size_t l = 0; l < ranks_.size(); l++) {
        DdLfLevel level{static_cast<std::uint32_t>(segments.size()), 0};
        for (unsigned direction : {kColumns, kRows}) {
            first_segment_[l][direction] = static_cast<std::uint32_t>(segments.size());
            Ranks &ranks = ranks_[l][direction];
            std::uint32_t chains = 0;
            std::array<std::uint32_t, kMostEdges> longer{}; // chains with more than that many edges
            for (unsigned rank = 0; rank < kRanks; rank++) {
                const std::uint32_t count = ranks[rank];
                ranks[rank] = chains;
                chains += count;
                const unsigned length = rank < kMostEdges - 1 ? kMostEdges - rank : 1;
                for (unsigned k = 0; k < length; k++)
                    longer[k] += count;
            }
            for (unsigned k = 0; k < kMostEdges && longer[k]; k++) {
                segments.push_back({placed, longer[k] | direction << DD_LF_DIRECTION_SHIFT});
                placed += longer[k];
            }
        }
        level.end_segment = static_cast<std::uint32_t>(segments.size());
        levels.push_back(level);
    }
    for (const Node &node : nodes_) {
        const std::uint32_t at = ranks_[node.level][node.direction][node.rank]++;
        const DdLfSegment *segment = &segments[first_segment_[node.level][node.direction]];
        for (unsigned k = 0; k < node.count; k++)
            edges[segment[k].first_edge + at] = found_[node.first_edge + k];
    }
}

} // namespace dd
