// SPDX-License-Identifier: BSD-2-Clause
#include "vp9/filter_order.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace dd {
namespace {

constexpr unsigned kColumns = 0, kRows = 1; // directions: edges between columns, edges between rows
constexpr unsigned kSixteen = 2;            // widths are 0, 1 and 2

constexpr unsigned lowest_bit(std::uint64_t bits) {
    return static_cast<unsigned>(std::countr_zero(bits));
}
constexpr unsigned reach_of(unsigned width) { // in cells of four pixels
    return width == kSixteen ? 2 : 1;
}

// Masks of a superblock have bit row * 8 + column.
constexpr std::uint64_t in_all_rows(std::uint64_t row) {
    return row * 0x0101010101010101;
}
constexpr std::uint64_t kFirstRow = 0xff, kFirstColumn = in_all_rows(1), kLastColumn = in_all_rows(0x80);
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

} // namespace

// Edges of one direction in a superblock.
struct Vp9FilterOrder::Edges {
    std::uint64_t any, wide16, wide8;
    std::uint64_t inner;  // of 4x4 blocks inside of an 8x8 block; the others are at its border
    std::uint64_t within; // all that lie inside of an 8x8 block: with subsampling they are among `any`

    // Two groups of eight lines share their 16 wide edges: where the first one has such an edge, the second one has
    // no other. Alone in the second one it counts as a narrow one between rows, and not at all between columns.
    template <unsigned direction, unsigned ss_h, unsigned ss_v>
    static Edges of(const DdLfSuperblock &sb, unsigned kind) {
        constexpr bool columns = direction == kColumns;
        constexpr unsigned halved = columns ? ss_h : ss_v;
        constexpr std::uint64_t used =
            columns ? (ss_v ? kEvenRows : ~std::uint64_t{0}) : in_all_rows(ss_h ? 0x55 : 0xff);
        constexpr std::uint64_t firsts = columns ? (ss_v ? kFourthRows : kEvenRows) : in_all_rows(ss_h ? 0x11 : 0x55);
        std::uint8_t bytes[4][8];
        for (unsigned row = 0; row < 8; row++)
            for (unsigned width = 0; width < 4; width++)
                bytes[width][row] = static_cast<std::uint8_t>(sb.mask[(kind * 2 + direction) * 8 + row] >> (width * 8));
        std::uint64_t m[4];
        static_assert(std::endian::native == std::endian::little);
        std::memcpy(m, bytes, sizeof(m));
        std::uint64_t pair16 = m[0] & firsts;
        pair16 |= pair16 << (columns ? 8 << ss_v : 1 << ss_h);
        Edges e{};
        e.wide16 = m[0] & pair16 & used;
        e.any = e.wide16 | ((m[1] | m[2] | (columns ? 0 : m[0])) & ~pair16 & used);
        e.wide8 = m[1] & e.any & ~e.wide16;
        e.inner = halved ? 0 : m[3] & used;
        e.within = halved ? e.any & (columns ? in_all_rows(0xaa) : ~kEvenRows) : e.inner;
        return e;
    }
};

// The edges along a line, a bit for each cell.
struct Vp9FilterOrder::Line {
    std::uint32_t any, wide16, wide8;

    // From a row or a column of masks.
    Line(unsigned edges, unsigned is16, unsigned is8, unsigned inner, bool halved)
        : any(halved ? edges : spread(edges) | spread(inner) << 1), wide16(halved ? is16 : spread(is16)),
          wide8(halved ? is8 : spread(is8)) {}

    unsigned width(unsigned cell) const { return (wide16 >> cell & 1) * kSixteen | (wide8 >> cell & 1); }

    // Calls put(cell, width) for each edge of a chain, then done(count, width) with the first one's width. 16 wide
    // edges that reach over the picture's border or the line's end, which no decoder's masks have, are left out.
    template <typename Put, typename Done>
    void each_chain(bool at_border, unsigned cells, Put put, Done done) const {
        std::uint32_t rest = any & ~(wide16 & 1u << (cells - 1));
        if (at_border)
            rest &= ~(wide16 & 2u);
        while (rest) {
            const unsigned first = lowest_bit(rest), first_width = width(first);
            unsigned end = first + reach_of(first_width), count = 1;
            put(first, first_width);
            for (rest &= rest - 1; rest; rest &= rest - 1, count++) {
                const unsigned next = lowest_bit(rest), next_width = width(next);
                if (next >= end + reach_of(next_width))
                    break;
                put(next, next_width);
                end = std::max(end, next + reach_of(next_width));
            }
            done(count, first_width);
        }
    }
};

// What edges of one width and direction of a part are made of.
struct Vp9FilterOrder::Maker {
    std::uint32_t at, how;
    const std::uint32_t *offset, *strength;
    const std::uint8_t *level, *level_of;

    Maker(const Vp9FilterOrder &order, const Part &part, const Component &component, unsigned direction, unsigned width)
        : at(part.at), how(width << DD_LF_WIDTH_SHIFT), offset(component.offset.data()),
          strength(order.strength_.data()), level(reinterpret_cast<const std::uint8_t *>(part.sb->level)),
          level_of(component.level_of[direction][width == kSixteen].data()) {}
    DdLfEdge edge(unsigned bit) const {
        return {at + offset[bit], how | strength[level[level_of[bit]] & (DD_LF_LEVELS - 1)]};
    }
};

template <unsigned direction, unsigned ss_h, unsigned ss_v>
void Vp9FilterOrder::take_line(const Part &part, const Component &component, const Edges &e, unsigned line) {
    constexpr bool columns = direction == kColumns;
    constexpr unsigned halved = columns ? ss_h : ss_v, cells = 16 >> halved;
    const auto along = [&](std::uint64_t bits) { return columns ? row_of(bits, line) : column_of(bits, line); };
    const Maker makers[] = {{*this, part, component, direction, 0},
                            {*this, part, component, direction, 1},
                            {*this, part, component, direction, kSixteen}};
    Chain *next_chain = chains_.reserve(cells);
    DdLfEdge *next_edge = chain_edges_.reserve(cells);
    Line(along(e.any), along(e.wide16), along(e.wide8), along(e.inner), halved)
        .each_chain(
            columns ? part.leftmost : part.uppermost, cells,
            [&](unsigned cell, unsigned width) {
                const unsigned block = halved ? cell : cell / 2, bit = columns ? line * 8 + block : block * 8 + line;
                *next_edge = makers[width].edge(bit);
                next_edge++->at += halved || cell % 2 == 0 ? 0 : component.cell[direction];
            },
            [&](unsigned count, unsigned width) {
                *next_chain++ = {static_cast<std::uint8_t>(count), static_cast<std::uint8_t>(width),
                                 static_cast<std::uint8_t>(part.component)};
                next_[rank_of(count, width)] += component.copies;
            });
    chains_.keep(next_chain);
    chain_edges_.keep(next_edge);
}

// Edges at the borders of 8x8 blocks share no pixels, unless they are 16 wide and 8 pixels apart. Lines that have no
// others have single edges alone.
template <unsigned direction, unsigned ss_h, unsigned ss_v>
void Vp9FilterOrder::take(Part &part, const Component &component) {
    constexpr bool columns = direction == kColumns;
    constexpr unsigned step = columns ? 1u << ss_h : 8u << ss_v; // from an edge to the next one, in bits
    constexpr std::uint64_t last = columns ? kLastColumn >> ((1 << ss_h) - 1) : 0;
    const Edges e = Edges::of<direction, ss_h, ss_v>(*part.sb, component.kind);
    const std::uint64_t linked = e.any & (e.any & ~last) << step & (e.wide16 | e.wide16 << step);
    const std::uint64_t chained = columns ? whole_rows(e.within | linked) : whole_columns(e.within | linked);
    const std::uint64_t singles = e.any & ~chained;
    part.of_width = {singles & ~e.wide16 & ~e.wide8, singles & e.wide8, singles & e.wide16};
    for (unsigned width = 0; width <= kSixteen; width++)
        next_[rank_of(1, width)] += static_cast<std::uint32_t>(std::popcount(part.of_width[width])) * component.copies;
    for (std::uint64_t rest = chained & (columns ? kFirstColumn : kFirstRow); rest; rest &= rest - 1)
        take_line<direction, ss_h, ss_v>(part, component, e, columns ? lowest_bit(rest) / 8 : lowest_bit(rest));
}

template <unsigned ss_h, unsigned ss_v>
void Vp9FilterOrder::set_component(Component &c, const Vp9Batch &batch, unsigned plane) {
    constexpr unsigned dx = 1 << ss_h, dy = 1 << ss_v;
    const PlaneLayout &layout = batch.dst.plane[plane];
    c.take[kColumns] = &Vp9FilterOrder::take<kColumns, ss_h, ss_v>;
    c.take[kRows] = &Vp9FilterOrder::take<kRows, ss_h, ss_v>;
    c.kind = ss_h || ss_v;
    c.copies = plane ? batch.dst.format.planes - 1u : 1;
    c.to_copy = c.copies > 1 ? (batch.dst.plane[2].offset - layout.offset) / 4 : 0;
    c.cell = {batch.dst.bytes_per_pixel(), layout.stride};
    c.at = layout.offset / 4 | (plane ? DD_LF_CHROMA : 0);
    c.across = (16 >> ss_h) * c.cell[kColumns];
    c.down = (16 >> ss_v) * c.cell[kRows];
    for (unsigned bit = 0; bit < 64; bit++) {
        const unsigned row = bit / 8, column = bit % 8;
        c.offset[bit] = (row * 2 >> ss_v) * c.cell[kRows] + (column * 2 >> ss_h) * c.cell[kColumns];
        for (unsigned wide = 0; wide < 2; wide++) {
            const unsigned pair_row = wide ? row & ~(2 * dy - 1) : row;
            const unsigned pair_column = wide ? column & ~(2 * dx - 1) : column;
            c.level_of[kColumns][wide][bit] = static_cast<std::uint8_t>(pair_row * 8 + (column & ~(dx - 1)));
            c.level_of[kRows][wide][bit] = static_cast<std::uint8_t>((row & ~(dy - 1)) * 8 + pair_column);
        }
    }
}

void Vp9FilterOrder::set_components(const Vp9Batch &batch) {
    const PictureFormat &format = batch.dst.format;
    set_component<0, 0>(components_[0], batch, 0);
    component_count_ = format.planes > 1 ? 2 : 1;
    if (component_count_ == 1)
        return;
    if (format.ss_h && format.ss_v)
        set_component<1, 1>(components_[1], batch, 1);
    else if (format.ss_h)
        set_component<1, 0>(components_[1], batch, 1);
    else if (format.ss_v)
        set_component<0, 1>(components_[1], batch, 1);
    else
        set_component<0, 0>(components_[1], batch, 1);
}

void Vp9FilterOrder::find_parts(const Vp9LoopFilter &lf, unsigned wave) {
    parts_.clear();
    for (unsigned row = wave < lf.sb_cols ? 0 : (wave - lf.sb_cols) / 2 + 1; row < lf.sb_rows && row * 2 <= wave;
         row++) {
        const unsigned column = wave - row * 2;
        const DdLfSuperblock &sb = lf.superblocks[std::size_t{row} * lf.sb_cols + column];
        for (unsigned i = 0; i < component_count_; i++) {
            const Component &c = components_[i];
            parts_.push_back({&sb, i, c.at + row * c.down + column * c.across, column == 0, row == 0, {}});
        }
    }
}

void Vp9FilterOrder::put_singles(const Part &part, unsigned direction) {
    const Component &c = components_[part.component];
    for (unsigned width = 0; width <= kSixteen; width++) {
        const Maker maker(*this, part, c, direction, width);
        std::uint32_t &next = next_[rank_of(1, width)];
        DdLfEdge *to = edges.data() + next;
        std::uint64_t rest = part.of_width[width];
        next += static_cast<std::uint32_t>(std::popcount(rest)) * c.copies;
        if (c.copies == 1) {
            for (; rest; rest &= rest - 1)
                *to++ = maker.edge(lowest_bit(rest));
            continue;
        }
        for (; rest; rest &= rest - 1) {
            const DdLfEdge edge = maker.edge(lowest_bit(rest));
            *to++ = edge;
            *to++ = {edge.at + c.to_copy, edge.how};
        }
    }
}

void Vp9FilterOrder::put_chains(const DdLfSegment *segment) {
    DdLfEdge *const to = edges.data();
    const DdLfEdge *from = chain_edges_.data();
    for (const Chain &chain : chains_) {
        const Component &c = components_[chain.component];
        std::uint32_t &next = next_[rank_of(chain.count, chain.width)];
        for (unsigned copy = 0; copy < c.copies; copy++) {
            const std::uint32_t place = next++, to_copy = copy * c.to_copy;
            to[place] = {from->at + to_copy, from->how};
            for (unsigned k = 1; k < chain.count; k++)
                to[segment[k].first_edge + (place - segment->first_edge)] = {from[k].at + to_copy, from[k].how};
        }
        from += chain.count;
    }
}

void Vp9FilterOrder::put_level(unsigned direction) {
    next_.fill(0);
    chains_.clear();
    chain_edges_.clear();
    for (Part &part : parts_) {
        const Component &component = components_[part.component];
        const auto take = component.take[direction];
        (this->*take)(part, component);
    }
    std::array<std::uint32_t, kMostEdges> longer{}; // chains with more than that many edges
    auto place = static_cast<std::uint32_t>(edges.size());
    for (unsigned rank = 0; rank < kRanks; rank++) {
        const std::uint32_t count = next_[rank];
        next_[rank] = place;
        place += count;
        for (unsigned k = 0; count && k < length_of(rank); k++)
            longer[k] += count;
    }
    if (!longer[0])
        return;
    const auto first_segment = static_cast<std::uint32_t>(segments.size());
    for (const std::uint32_t count : longer) {
        if (!count)
            break;
        const auto first = static_cast<std::uint32_t>(edges.size());
        segments.push_back({first, count | direction << DD_LF_DIRECTION_SHIFT});
        edges.extend(count);
    }
    levels.push_back({first_segment, static_cast<std::uint32_t>(segments.size())});
    for (const Part &part : parts_)
        put_singles(part, direction);
    put_chains(&segments[first_segment]);
}

void Vp9FilterOrder::build(const Vp9Batch &batch) {
    levels.clear();
    segments.clear();
    edges.clear();
    const Vp9LoopFilter &lf = batch.lf;
    if (lf.superblocks.empty())
        return;
    for (unsigned level = 0; level < DD_LF_LEVELS; level++)
        strength_[level] = lf.limits[level] | level >> 4 << DD_LF_VARIANCE_SHIFT;
    set_components(batch);
    for (unsigned wave = 0; wave < lf.sb_cols + 2 * (lf.sb_rows - 1); wave++) {
        find_parts(lf, wave);
        put_level(kColumns);
        put_level(kRows);
    }
}

} // namespace dd
