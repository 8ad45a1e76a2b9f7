// SPDX-License-Identifier: BSD-2-Clause
#include "vp9/filter_lines.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace dd {
namespace {

constexpr unsigned kColumns = 0, kRows = 1; // directions: edges between columns, edges between rows

// Masks of a superblock have bit row * 8 + column.
constexpr std::uint64_t in_all_rows(std::uint64_t row) {
    return row * 0x0101010101010101;
}
constexpr std::uint64_t kEvenRows = 0x00ff00ff00ff00ff, kFourthRows = 0x000000ff000000ff;

// Rows become columns.
constexpr std::uint64_t transpose(std::uint64_t x) {
    std::uint64_t t = (x ^ x >> 7) & 0x00aa00aa00aa00aa;
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & 0x0000cccc0000cccc;
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & 0x00000000f0f0f0f0;
    return x ^ t ^ t << 28;
}

struct Edges {
    std::uint64_t wide16, wide8, narrow;
    std::uint64_t inner; // of 4x4 blocks inside of an 8x8 block

    // Two groups of eight lines share their 16 wide edges: where the first one has such an edge, the second one has
    // no other. Alone in the second one it counts as a narrow one between rows, and not at all between columns.
    template <unsigned direction, unsigned ss_h, unsigned ss_v>
    static Edges of(const std::uint64_t m[4]) {
        constexpr bool columns = direction == kColumns;
        constexpr unsigned halved = columns ? ss_h : ss_v;
        constexpr std::uint64_t firsts = columns ? (ss_v ? kFourthRows : kEvenRows) : in_all_rows(ss_h ? 0x11 : 0x55);
        std::uint64_t pair16 = m[0] & firsts;
        pair16 |= pair16 << (columns ? 8 << ss_v : 1 << ss_h);
        Edges e{};
        e.wide16 = m[0] & pair16;
        e.narrow = (m[1] | m[2] | (columns ? 0 : m[0])) & ~pair16;
        e.wide8 = m[1] & e.narrow;
        e.inner = halved ? 0 : m[3];
        return e;
    }
    // 16 wide edges that reach over the picture's border or the superblock's end, which no decoder's masks have.
    void drop_outside(bool halved, bool at_border) { // bits of a line are a row's
        const unsigned first = at_border ? 3 : 0, last = 0x80;
        if (halved)
            wide16 &= ~in_all_rows(first | last);
    }
};

template <unsigned direction, unsigned ss_h, unsigned ss_v>
void put(const std::uint32_t *mask, bool at_border, std::uint32_t *line) {
    static_assert(std::endian::native == std::endian::little);
    std::uint8_t from[8][4], bytes[4][8], to[8][4];
    std::memcpy(from, mask, sizeof(from));
    for (unsigned row = 0; row < 8; row++)
        for (unsigned width = 0; width < 4; width++)
            bytes[width][row] = from[row][width];
    std::uint64_t m[4];
    std::memcpy(m, bytes, sizeof(m));
    Edges e = Edges::of<direction, ss_h, ss_v>(m);
    if (direction == kRows)
        e = {transpose(e.wide16), transpose(e.wide8), transpose(e.narrow), transpose(e.inner)};
    e.drop_outside(direction == kColumns ? ss_h : ss_v, at_border);
    const std::uint64_t made[4] = {e.wide16, e.wide8, e.narrow, e.inner};
    std::memcpy(bytes, made, sizeof(made));
    for (unsigned unit = 0; unit < 8; unit++)
        for (unsigned k = 0; k < 4; k++)
            to[unit][k] = bytes[k][unit];
    std::memcpy(line, to, sizeof(to));
}

template <unsigned ss_h, unsigned ss_v>
void put_kind(const std::uint32_t *mask, bool leftmost, bool uppermost, std::uint32_t *line) {
    put<kColumns, ss_h, ss_v>(mask, leftmost, line);
    put<kRows, ss_h, ss_v>(mask + 8, uppermost, line + 8);
}

} // namespace

void write_vp9_filter_lines(const Vp9Batch &batch, std::byte *to) {
    const Vp9LoopFilter &lf = batch.lf;
    const PictureFormat &format = batch.dst.format;
    const auto put_luma = put_kind<0, 0>;
    const auto put_chroma = format.ss_h && format.ss_v ? put_kind<1, 1>
                            : format.ss_h              ? put_kind<1, 0>
                            : format.ss_v              ? put_kind<0, 1>
                                                       : nullptr; // has luma's edges
    const DdLfSuperblock *sb = lf.superblocks.data();
    for (unsigned row = 0; row < lf.sb_rows; row++)
        for (unsigned column = 0; column < lf.sb_cols; column++, sb++, to += sizeof(DdLfLines)) {
            DdLfLines lines{};
            std::memcpy(lines.level, sb->level, sizeof(lines.level));
            put_luma(sb->mask, column == 0, row == 0, lines.line);
            if (put_chroma && format.planes > 1)
                put_chroma(sb->mask + 16, column == 0, row == 0, lines.line + 16);
            std::memcpy(to, &lines, sizeof(lines));
        }
}

} // namespace dd
