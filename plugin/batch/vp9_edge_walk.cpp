// SPDX-License-Identifier: BSD-2-Clause
#include "batch/vp9_edge_walk.h"

#include <algorithm>
#include <bit>

namespace dd {
namespace {

constexpr unsigned kColumns = 0, kRows = 1;        // directions: edges between columns, edges between rows
constexpr unsigned kSixteen = 2;                   // widths are 0, 1 and 2
constexpr unsigned kLevelsOfRow = 2;               // of superblocks, before the next one may begin
constexpr unsigned kLevelsOfSuperblock = 2;        // that it may add: chains between columns, then those between rows
constexpr unsigned kMostOfSuperblock = 2 * 8 * 16; // edges

constexpr unsigned lowest_bit(std::uint64_t bits) {
    return static_cast<unsigned>(std::countr_zero(bits));
}
constexpr unsigned reach_of(unsigned width) { // in cells of four pixels
    return width == kSixteen ? 2 : 1;
}
constexpr unsigned width_of(std::uint64_t wide16, std::uint64_t wide8, unsigned at) {
    return static_cast<unsigned>((wide16 >> at & 1) * kSixteen | (wide8 >> at & 1));
}

// Masks of a superblock have bit row * 8 + column.
constexpr std::uint64_t in_all_rows(std::uint64_t row) {
    return row * 0x0101010101010101;
}
constexpr std::uint64_t kFirstRow = 0xff, kFirstColumn = in_all_rows(1);
constexpr std::uint64_t kEvenRows = 0x00ff00ff00ff00ff, kFourthRows = 0x000000ff000000ff;

constexpr unsigned row_of(std::uint64_t bits, unsigned row) {
    return bits >> (row * 8) & 0xff;
}
constexpr unsigned column_of(std::uint64_t bits, unsigned column) { // a product that moves bit 8 * i to 56 + i
    return static_cast<unsigned>((bits >> column & kFirstColumn) * 0x0102040810204080 >> 56);
}
// All of a row or a column where any of it is set.
constexpr std::uint64_t whole_rows(std::uint64_t bits) {
    return ((((bits & in_all_rows(0x7f)) + in_all_rows(0x7f)) | bits) >> 7 & kFirstColumn) * 0xff;
}
constexpr std::uint64_t whole_columns(std::uint64_t bits) {
    bits |= bits >> 32;
    bits |= bits >> 16;
    return in_all_rows((bits | bits >> 8) & 0xff);
}
// Bit i of eight goes to bit 2 * i.
constexpr unsigned spread(unsigned bits) {
    bits = (bits | bits << 4) & 0x0f0f;
    bits = (bits | bits << 2) & 0x3333;
    return (bits | bits << 1) & 0x5555;
}

// Edges of one direction in a superblock.
struct Edges {
    std::uint64_t any, wide16, wide8;
    std::uint64_t inner;  // of 4x4 blocks inside of an 8x8 block; the others are at its border
    std::uint64_t within; // all that lie inside of an 8x8 block: with subsampling they are among `any`

    unsigned width(unsigned at) const { return width_of(wide16, wide8, at); }
};

// Two groups of eight lines share their 16 wide edges: where the first one has such an edge, the second one has no other. Alone in
// the second one it counts as a narrow one between rows, and not at all between columns.
inline Edges edges_of(const DdLfSuperblock &sb, unsigned kind, unsigned direction, unsigned ss_h, unsigned ss_v) {
    std::uint64_t m16 = 0, m8 = 0, m4 = 0, inner = 0;
    for (unsigned row = 0; row < 8; row++) {
        const std::uint64_t masks = sb.mask[(kind * 2 + direction) * 8 + row];
        m16 |= (masks & 0xff) << (8 * row);
        m8 |= (masks >> 8 & 0xff) << (8 * row);
        m4 |= (masks >> 16 & 0xff) << (8 * row);
        inner |= (masks >> 24) << (8 * row);
    }
    const bool columns = direction == kColumns;
    const unsigned halved = columns ? ss_h : ss_v;
    const std::uint64_t used = columns ? (ss_v ? kEvenRows : ~std::uint64_t{0}) : in_all_rows(ss_h ? 0x55 : 0xff);
    const std::uint64_t firsts = columns ? (ss_v ? kFourthRows : kEvenRows) : in_all_rows(ss_h ? 0x11 : 0x55);
    std::uint64_t pair16 = m16 & firsts;
    pair16 |= pair16 << (columns ? 8 << ss_v : 1 << ss_h);
    Edges e{};
    e.wide16 = m16 & pair16 & used;
    e.any = e.wide16 | ((m8 | m4 | (columns ? 0 : m16)) & ~pair16 & used);
    e.wide8 = m8 & e.any & ~e.wide16;
    e.inner = halved ? 0 : inner & used;
    e.within = halved ? e.any & (columns ? in_all_rows(0xaa) : ~kEvenRows) : e.inner;
    return e;
}

// The edges along a line, a bit for each cell.
struct Line {
    std::uint32_t any, wide16, wide8;

    // From a row or a column of masks.
    Line(unsigned edges, unsigned is16, unsigned is8, unsigned inner, bool halved)
        : any(halved ? edges : spread(edges) | spread(inner) << 1), wide16(halved ? is16 : spread(is16)),
          wide8(halved ? is8 : spread(is8)) {}

    // Calls put(cell, width) for each edge of a chain, then done(begin, end, count, width) with the cells that it reads and the
    // first one's width. 16 wide edges that reach over the picture's border or the line's end, which no decoder's masks
    // have, are left out.
    template <typename Put, typename Done>
    void each_chain(bool at_border, unsigned cells, Put put, Done done) const {
        std::uint32_t rest = any & ~(wide16 & 1u << (cells - 1));
        if (at_border)
            rest &= ~(wide16 & 2u);
        while (rest) {
            const unsigned first = lowest_bit(rest), width = width_of(wide16, wide8, first);
            int begin = static_cast<int>(first - reach_of(width));
            unsigned end = first + reach_of(width), count = 1;
            put(first, width);
            for (rest &= rest - 1; rest; rest &= rest - 1, count++) {
                const unsigned next = lowest_bit(rest), next_width = width_of(wide16, wide8, next);
                if (next >= end + reach_of(next_width))
                    break;
                put(next, next_width);
                begin = std::min(begin, static_cast<int>(next - reach_of(next_width)));
                end = std::max(end, next + reach_of(next_width));
            }
            done(begin, end, count, width);
        }
    }
};

// The blocks that cells lie in; a line's begin may be before the superblock.
constexpr unsigned first_block(int begin) {
    return static_cast<unsigned>(std::max(begin, 0)) / 2;
}
constexpr unsigned end_block(unsigned end) {
    return (end + 1) / 2;
}

} // namespace

inline void Vp9EdgeWalk::Halves::raise(unsigned next, bool to_the_border) {
    const auto level = static_cast<std::uint16_t>(next);
    if (to_the_border)
        outer = std::max(outer, level);
    inner = std::max(inner, level);
}

// A superblock's place in a plane.
struct Vp9EdgeWalk::Plane {
    const DdLfSuperblock *sb;
    bool leftmost, uppermost; // in the picture
    unsigned kind;            // of its masks
    std::uint32_t at, line,
        cell;              // words: the first cell, with DD_LF_CHROMA; from a cell to the one below, and to the next
    Halves *above, *below; // by column of blocks
};

struct Vp9EdgeWalk::Output {
    Vp9EdgeWalk &walk;
    DdLfEdge *edge;
    Vp9Chain *chain;

    // `block`: whose strength it has, by row and column of luma.
    void put_edge(const DdLfSuperblock &sb, std::uint32_t at, unsigned block, unsigned width) {
        const unsigned level = sb.level[block / 4] >> (block % 4 * 8) & (DD_LF_LEVELS - 1);
        *edge++ = {at, walk.strength_[level] | width << DD_LF_WIDTH_SHIFT};
    }
    void put_chain(unsigned level, unsigned direction, unsigned count, unsigned width) {
        const unsigned kind = kind_of(direction, count, width);
        walk.levels = std::max<std::size_t>(walk.levels, level + 1);
        walk.chains_of[level][kind]++;
        *chain++ = {level, kind, count};
    }
};

template <unsigned ss_h, unsigned ss_v>
class Vp9EdgeWalk::Superblock {
  public:
    Superblock(Vp9EdgeWalk &walk, const Plane &plane, Output &to) : walk_(walk), plane_(plane), to_(to) {}
    void walk_columns();
    void walk_rows();

  private:
    // From a block to the next one and to the one below, in masks; cells; blocks.
    static constexpr unsigned dx = 1u << ss_h, dy = 1u << ss_v, kCols = 16 >> ss_h, kLines = 16 >> ss_v;
    static constexpr unsigned kBlockCols = kBlocks >> ss_h;

    void start_levels(std::uint64_t singles, std::uint64_t inside, std::uint64_t wide16);
    void put_of_columns(unsigned row, unsigned cell, unsigned width);
    void finish_columns(unsigned row, int begin, unsigned end, unsigned count, unsigned width);
    void put_of_rows(unsigned bit, unsigned cell, unsigned width);
    void finish_rows(unsigned bit, int begin, unsigned end, unsigned count, unsigned width);
    void leave_rows(unsigned bit, int begin, unsigned end, unsigned level);

    Vp9EdgeWalk &walk_;
    const Plane &plane_;
    Output &to_;
};

template <unsigned ss_h, unsigned ss_v>
inline void Vp9EdgeWalk::Superblock<ss_h, ss_v>::put_of_columns(unsigned row, unsigned cell, unsigned width) {
    const unsigned first = width == kSixteen ? row & ~(2 * dy - 1) : row, column = ss_h ? cell & ~1u : cell / 2;
    to_.put_edge(*plane_.sb, plane_.at + (row * 2 >> ss_v) * plane_.line + cell * plane_.cell, first * 8 + column,
                 width);
}

// A chain that isn't single, or reaches over the border.
template <unsigned ss_h, unsigned ss_v>
inline void Vp9EdgeWalk::Superblock<ss_h, ss_v>::finish_columns(unsigned row, int begin, unsigned end, unsigned count,
                                                                unsigned width) {
    const unsigned y = row >> ss_v;
    unsigned level = walk_.lowest_;
    if (begin < 0) {
        const Halves &left = walk_.left_[y];
        level = std::max({level, unsigned{left.outer}, begin < -1 ? left.inner : 0u});
        if (row == kBlocks - dy)
            plane_.below[-1].raise(level + 1);
    }
    for (unsigned k = first_block(begin); k < end_block(end); k++) {
        std::uint16_t &next = walk_.next_level_[row][k * dx];
        next = std::max(next, static_cast<std::uint16_t>(level + 1));
    }
    if (end + 1 >= kCols)
        walk_.right_[y].raise(level + 1, end == kCols);
    to_.put_chain(level, kColumns, count, width);
}

// Nearly all chains between columns are single edges inside: what comes after those.
template <unsigned ss_h, unsigned ss_v>
inline void Vp9EdgeWalk::Superblock<ss_h, ss_v>::start_levels(std::uint64_t singles, std::uint64_t inside,
                                                              std::uint64_t wide16) {
    const std::uint64_t touched = singles | inside >> dx;
    const auto next_if = [&](std::uint64_t bit) { return static_cast<std::uint16_t>(bit & 1 ? walk_.lowest_ + 1 : 0); };
    for (unsigned row = 0; row < kBlocks; row += dy) {
        for (unsigned k = 0; k < kBlocks; k++)
            walk_.next_level_[row][k] = static_cast<std::uint16_t>(walk_.lowest_ + (touched >> (row * 8 + k) & 1));
        const unsigned last = row * 8 + kBlocks - dx;
        walk_.right_[row >> ss_v] = {next_if((singles & wide16) >> last), next_if(singles >> last)};
    }
}

template <unsigned ss_h, unsigned ss_v>
void Vp9EdgeWalk::Superblock<ss_h, ss_v>::walk_columns() {
    constexpr std::uint64_t last_column = kFirstColumn << (kBlocks - dx);
    const Edges e = edges_of(*plane_.sb, plane_.kind, kColumns, ss_h, ss_v);
    const std::uint64_t linked = e.any & (e.any & ~last_column) << dx & (e.wide16 | e.wide16 << dx);
    const std::uint64_t chained = whole_rows(e.within | linked);
    const std::uint64_t singles = e.any & ~chained, inside = singles & ~kFirstColumn;

    start_levels(singles, inside, e.wide16);
    for (std::uint64_t rest = singles & kFirstColumn; rest; rest &= rest - 1) {
        const unsigned at = lowest_bit(rest), row = at / 8, width = e.width(at), reach = reach_of(width);
        put_of_columns(row, 0, width);
        finish_columns(row, -static_cast<int>(reach), reach, 1, width);
    }
    for (std::uint64_t rest = chained & kFirstColumn; rest; rest &= rest - 1) {
        const unsigned row = lowest_bit(rest) / 8;
        const Line line(row_of(e.any, row), row_of(e.wide16, row), row_of(e.wide8, row), row_of(e.inner, row), ss_h);
        line.each_chain(
            plane_.leftmost, kCols, [&](unsigned cell, unsigned width) { put_of_columns(row, cell, width); },
            [&](int begin, unsigned end, unsigned count, unsigned width) {
                finish_columns(row, begin, end, count, width);
            });
    }
    for (std::uint64_t rest = inside; rest; rest &= rest - 1) {
        const unsigned at = lowest_bit(rest), width = e.width(at);
        put_of_columns(at / 8, at % 8 * 2 >> ss_h, width);
        to_.put_chain(walk_.lowest_, kColumns, 1, width);
    }
    for (unsigned k = 0; k < kBlockCols; k++) {
        const std::uint16_t next = walk_.next_level_[kBlocks - dy][k * dx];
        plane_.below[k] = {next, next};
    }
}

template <unsigned ss_h, unsigned ss_v>
inline void Vp9EdgeWalk::Superblock<ss_h, ss_v>::put_of_rows(unsigned bit, unsigned cell, unsigned width) {
    const unsigned first = width == kSixteen ? bit & ~(2 * dx - 1) : bit, row = ss_v ? cell & ~1u : cell / 2;
    to_.put_edge(*plane_.sb, plane_.at + cell * plane_.line + (bit * 2 >> ss_h) * plane_.cell, row * 8 + first, width);
}

// What comes after the chain: to the right, and below.
template <unsigned ss_h, unsigned ss_v>
inline void Vp9EdgeWalk::Superblock<ss_h, ss_v>::leave_rows(unsigned bit, int begin, unsigned end, unsigned level) {
    if (end + 1 >= kLines)
        plane_.below[bit >> ss_h].raise(level + 1, end == kLines);
    if (bit == kBlocks - dx)
        for (unsigned y = first_block(begin); y < end_block(end); y++)
            walk_.right_[y].raise(level + 1);
}

template <unsigned ss_h, unsigned ss_v>
inline void Vp9EdgeWalk::Superblock<ss_h, ss_v>::finish_rows(unsigned bit, int begin, unsigned end, unsigned count,
                                                             unsigned width) {
    const Halves &above = plane_.above[bit >> ss_h];
    unsigned level = walk_.lowest_;
    for (unsigned y = first_block(begin); y < end_block(end); y++)
        level = std::max(level, unsigned{walk_.next_level_[y * dy][bit]});
    if (begin < 0)
        level = std::max({level, unsigned{above.outer}, begin < -1 ? above.inner : 0u});
    leave_rows(bit, begin, end, level);
    to_.put_chain(level, kRows, count, width);
}

template <unsigned ss_h, unsigned ss_v>
void Vp9EdgeWalk::Superblock<ss_h, ss_v>::walk_rows() {
    const Edges e = edges_of(*plane_.sb, plane_.kind, kRows, ss_h, ss_v);
    const std::uint64_t linked = e.any & e.any << (8 * dy) & (e.wide16 | e.wide16 << (8 * dy));
    const std::uint64_t chained = whole_columns(e.within | linked);

    // Row by row, so that neighbours in the picture are neighbours in their segment.
    for (std::uint64_t rest = e.any & ~chained; rest; rest &= rest - 1) {
        const unsigned at = lowest_bit(rest);
        const unsigned bit = at % 8, cell = at / 8 * 2 >> ss_v, width = e.width(at), reach = reach_of(width);
        put_of_rows(bit, cell, width);
        finish_rows(bit, static_cast<int>(cell - reach), cell + reach, 1, width);
    }
    for (std::uint64_t rest = chained & kFirstRow; rest; rest &= rest - 1) {
        const unsigned bit = lowest_bit(rest);
        const Line line(column_of(e.any, bit), column_of(e.wide16, bit), column_of(e.wide8, bit),
                        column_of(e.inner, bit), ss_v);
        line.each_chain(
            plane_.uppermost, kLines, [&](unsigned cell, unsigned width) { put_of_rows(bit, cell, width); },
            [&](int begin, unsigned end, unsigned count, unsigned width) {
                finish_rows(bit, begin, end, count, width);
            });
    }
}

template <unsigned ss_h, unsigned ss_v>
void Vp9EdgeWalk::walk_superblocks(Plane plane, unsigned count) {
    constexpr unsigned columns = kBlocks >> ss_h;
    for (unsigned i = 0; i < count; i++) {
        if (chains_of.size() < levels + 1 + kLevelsOfSuperblock)
            chains_of.resize(levels + 1 + kLevelsOfSuperblock);
        Output to{*this, edges.room(kMostOfSuperblock), chains.room(kMostOfSuperblock)};
        std::swap(left_, right_);
        Superblock<ss_h, ss_v> superblock(*this, plane, to);
        superblock.walk_columns();
        superblock.walk_rows();
        edges.keep(to.edge);
        chains.keep(to.chain);
        plane.sb++;
        plane.leftmost = false;
        plane.at += columns * 2 * plane.cell;
        plane.above += columns;
        plane.below += columns;
    }
}

void Vp9EdgeWalk::walk_row(const Vp9Batch &batch, unsigned plane, unsigned sb_row) {
    const PlaneLayout &layout = batch.dst.plane[plane];
    const unsigned ss_h = plane ? batch.dst.format.ss_h : 0, ss_v = plane ? batch.dst.format.ss_v : 0;
    const unsigned sb_cols = batch.lf.sb_cols;
    Rows &rows = rows_[plane != 0];
    std::swap(rows.above, rows.below);
    const Plane first{&batch.lf.superblocks[std::size_t{sb_row} * sb_cols],
                      true,
                      sb_row == 0,
                      (ss_h | ss_v) != 0u,
                      (layout.offset / 4 + sb_row * (16 >> ss_v) * layout.stride) | (plane ? DD_LF_CHROMA : 0),
                      layout.stride,
                      batch.dst.bytes_per_pixel(),
                      rows.above.data(),
                      rows.below.data()};
    if (ss_h && ss_v)
        walk_superblocks<1, 1>(first, sb_cols);
    else if (ss_h)
        walk_superblocks<1, 0>(first, sb_cols);
    else if (ss_v)
        walk_superblocks<0, 1>(first, sb_cols);
    else
        walk_superblocks<0, 0>(first, sb_cols);
}

// Both planes of chroma have the same edges.
void Vp9EdgeWalk::repeat_plane(std::size_t first_chain, std::size_t first_edge, std::uint32_t offset) {
    const std::size_t chain_count = chains.size() - first_chain, edge_count = edges.size() - first_edge;
    Vp9Chain *const chain = chains.extend(chain_count);
    for (std::size_t i = 0; i < chain_count; i++) {
        chain[i] = chains[first_chain + i];
        chains_of[chain[i].level()][chain[i].kind()]++;
    }
    DdLfEdge *const edge = edges.extend(edge_count);
    for (std::size_t i = 0; i < edge_count; i++)
        edge[i] = {edges[first_edge + i].at + offset, edges[first_edge + i].how};
}

void Vp9EdgeWalk::walk(const Vp9Batch &batch) {
    chains.clear();
    edges.clear();
    chains_of.clear();
    levels = 0;
    const Vp9LoopFilter &lf = batch.lf;
    for (unsigned level = 0; level < DD_LF_LEVELS; level++)
        strength_[level] = lf.limits[level] | level >> 4 << DD_LF_VARIANCE_SHIFT;
    for (Rows &rows : rows_) {
        rows.above.assign(std::size_t{lf.sb_cols} * kBlocks, {});
        rows.below.assign(std::size_t{lf.sb_cols} * kBlocks, {});
    }
    lowest_ = 0;
    for (unsigned sb_row = 0; sb_row < lf.sb_rows; sb_row++) {
        walk_row(batch, 0, sb_row);
        if (batch.dst.format.planes > 1) {
            const std::size_t first_chain = chains.size(), first_edge = edges.size();
            walk_row(batch, 1, sb_row);
            repeat_plane(first_chain, first_edge, (batch.dst.plane[2].offset - batch.dst.plane[1].offset) / 4);
        }
        lowest_ = std::min(lowest_ + kLevelsOfRow, static_cast<unsigned>(levels));
    }
}

} // namespace dd
