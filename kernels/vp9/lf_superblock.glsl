// SPDX-License-Identifier: BSD-2-Clause
//
// The loop filter in the specification's own order (clause 8.8.1): superblock after superblock, in each the edges
// between columns, then those between rows. For GPUs that run many workgroups at a time. Edges along a line that share
// pixels are a chain, which one lane walks along; chains of a line are independent. Pixels are those of
// vp9/lf_tile.glsl.
//
// A superblock changes pixels of its left and upper neighbours only by chains that begin at its own left and upper
// border. All others but those between rows that meet such a chain of columns are inner ones: no superblock waits for
// them, and none is waited for. So there are two kernels: with INNER a workgroup has a superblock's inner chains, all
// superblocks at a time (lf_inner.glsl); then a workgroup goes along a row with the rest, as fast as the rows above
// allow (lf_row.glsl).

#include "vp9/lf_lines.glsl"

layout(push_constant) uniform Push {
    DdLfSuperblockPush push;
};

// What a superblock's pixels are filtered with: its record, the levels' limits, and of each unit the edges.
#ifdef INNER
const uint SLOTS = 1u;
#else
const uint SLOTS = 2u; // the next superblock's edges are found while this one is filtered
#endif
const uint UNITS_A_SIDE = 8u;
shared uint record[SLOTS * SUPERBLOCK_WORDS];
shared uint all_limits[DD_LF_LEVELS];
shared uint unit_edges[SLOTS * 2u * UNITS_A_SIDE]; // by direction: narrow | wide << 16
shared uint unit_eights[SLOTS * 2u * UNITS_A_SIDE];
shared uint reach[SLOTS * UNITS_A_SIDE]; // cells that the chain of columns from the left border meets
shared uint met[16];                     // by cell of a line: the units in which it is so met

// A plane, and a superblock in it. Cells are four pixels wide and high, units eight.
struct Place {
    uint ss_h, ss_v; // of the plane
    uint kind;       // of the masks
    uint slot;       // of what is known of the superblock
};

Place place_of(uint plane) {
    Place p;
    p.ss_h = plane == 0u ? 0u : push.ss_h;
    p.ss_v = plane == 0u ? 0u : push.ss_v;
    p.kind = (p.ss_h | p.ss_v) != 0u ? 1u : 0u;
    p.slot = 0u;
    return p;
}

void go_to_column(inout Place p, uint column) { p.slot = column & 1u; }

// Sides of a superblock, as powers of two. Words and quads are the tile's.
uint quads_log2(Place p) { return 4u - p.ss_h; }
uint words_log2(Place p) { return 5u - p.ss_h; }
uint lines_log2(Place p) { return 6u - p.ss_v; }
uint cells_high_log2(Place p) { return 4u - p.ss_v; }
uint low_bits(uint value, uint bits) { return value & (1u << bits) - 1u; }

// Edges of a line inside the superblock: bit c is the edge before cell c.
struct Line {
    uint narrow, wide; // wide: 16
    uint eight;        // of the narrow ones, those that are 8 wide
};

uint superblock_word(Place p, uint word) { return record[p.slot * SUPERBLOCK_WORDS + word]; }

// An edge reads one cell on each side; a wide one two.
uint chained(Line l) {
    return (l.narrow & (l.narrow << 1 | l.wide << 1 | l.wide << 2)) |
           (l.wide & (l.narrow << 1 | l.narrow << 2 | l.wide << 1 | l.wide << 2 | l.wide << 3));
}

Strength strength_at(Place p, uint row, uint column, uint width) {
    const uint levels = superblock_word(p, row * 2u + column / 4u);
    const uint level = levels >> (column % 4u * 8u) & (DD_LF_LEVELS - 1u);
    return strength_of(level, all_limits[level], width);
}

uint width_at(Line l, uint bit) { return (l.wide & bit) != 0u ? SIXTEEN : (l.eight & bit) != 0u ? EIGHT : NARROW; }

// Edges of a unit: a row or a column of 8x8 blocks of luma.
Line edges_of(Place p, uint direction, uint unit) {
    const uint word = superblock_word(p, LINES_AT + (p.kind * 2u + direction) * 8u + unit);
    const uint wide = word & 0xffu, eight = word >> 8 & 0xffu, narrow = word >> 16 & 0xffu;
    if ((direction == COLUMNS ? p.ss_h : p.ss_v) != 0u)
        return Line(narrow, wide, eight);
    return Line(spread(narrow) | spread(word >> 24) << 1, spread(wide), spread(eight));
}

// A chain begins there.
bool begins(Line l, uint cell) { return ((l.narrow | l.wide) & ~chained(l) & 1u << cell) != 0u; }

// The last edge of the chain that begins there.
uint last_of(Line l, uint cell) {
    const uint edges = l.narrow | l.wide, others = edges & ~chained(l) & ~((2u << cell) - 1u);
    const uint before = others == 0u ? ~0u : (others & -others) - 1u;
    return uint(findMSB(edges & before));
}

// The next edge of the chain, or the end.
uint next_of(Line l, uint cell) {
    const uint later = (l.narrow | l.wide) & ~((2u << cell) - 1u);
    if (later == 0u)
        return ~0u;
    const uint next = uint(findLSB(later));
    return (chained(l) & 1u << next) != 0u ? next : ~0u;
}

uint cells_beside(Line l, uint cell) { return (l.wide & 1u << cell) != 0u ? 2u : 1u; }

Line line_of(Place p, uint direction, uint unit) {
    const uint at = (p.slot * 2u + direction) * UNITS_A_SIDE + unit, edges = unit_edges[at];
    return Line(edges & 0xffffu, edges >> 16, unit_eights[at]);
}

// The edges of a unit: sixteen lanes have one each. Returns those that begin inner chains.
uint find_edges(Place p, uint lane) {
    const uint direction = lane / UNITS_A_SIDE, unit = lane % UNITS_A_SIDE;
    Line l = Line(0u, 0u, 0u);
    if (direction == COLUMNS && unit < UNITS_A_SIDE >> p.ss_v)
        l = edges_of(p, COLUMNS, unit << p.ss_v);
    if (direction == ROWS && unit < UNITS_A_SIDE >> p.ss_h)
        l = edges_of(p, ROWS, unit << p.ss_h);
    unit_edges[p.slot * 2u * UNITS_A_SIDE + lane] = l.narrow | l.wide << 16;
    unit_eights[p.slot * 2u * UNITS_A_SIDE + lane] = l.eight;
    if (direction == COLUMNS) {
        const uint last = last_of(l, 0u);
        reach[p.slot * UNITS_A_SIDE + unit] = begins(l, 0u) ? last + cells_beside(l, last) : 0u;
    }
    return (l.narrow | l.wide) & ~chained(l) & ~1u;
}

// Sixteen lanes, behind a barrier.
void find_met(Place p, uint cell) {
    uint units = 0u;
    for (uint unit = 0u; unit < UNITS_A_SIDE; unit++)
        units |= cell < reach[p.slot * UNITS_A_SIDE + unit] ? 1u << unit : 0u;
    met[cell] = units;
}

// A chain between rows, in a column of cells.
bool is_inner(Line l, uint cell, uint column_cell) {
    if (cell == 0u)
        return false;
    const uint last = last_of(l, cell), first_unit = (cell - cells_beside(l, cell)) / 2u,
               last_unit = (last + cells_beside(l, last) - 1u) / 2u;
    return (met[column_cell] & (2u << last_unit) - (1u << first_unit)) == 0u;
}

const uint ORIGIN = MARGIN * TILE_STRIDE + MARGIN_WORDS;

void filter_columns(Place p, uint line, uint cell) {
    const uint unit = line >> 3, row = unit << p.ss_v;
    const Line l = line_of(p, COLUMNS, unit);
    if (!begins(l, cell))
        return;
    const uint at = ORIGIN + line * TILE_STRIDE;
    for (; cell != ~0u; cell = next_of(l, cell)) {
        const uint bit = 1u << cell, width = width_at(l, bit);
        const uint of_row = width == SIXTEEN ? row & ~((2u << p.ss_v) - 1u) : row;
        const uint column = p.ss_h == 0u ? cell >> 1 : cell & ~1u;
        filter_line_of_columns(at + cell * QUAD_WORDS, strength_at(p, of_row, column, width));
    }
}

void filter_rows(Place p, uint word, uint cell, const bool inner) {
    const uint unit = word / (2u * QUAD_WORDS), column = unit << p.ss_h;
    const Line l = line_of(p, ROWS, unit);
    if (!begins(l, cell) || is_inner(l, cell, word / QUAD_WORDS) != inner)
        return;
    for (; cell != ~0u; cell = next_of(l, cell)) {
        const uint bit = 1u << cell, width = width_at(l, bit);
        const uint of_column = width == SIXTEEN ? column & ~((2u << p.ss_h) - 1u) : column;
        const uint row = p.ss_v == 0u ? cell >> 1 : cell & ~1u;
        filter_word_of_rows(ORIGIN + cell * 4u * TILE_STRIDE + word, TILE_STRIDE,
                            strength_at(p, row, of_column, width));
    }
}

// Quads of a superblock's lines: each lane has up to four, its turns.
const uint TURNS_A_LANE = 4u;
uint quad_of(Place p, uint lane) { return low_bits(lane, quads_log2(p)); }
uint line_of_turn(Place p, uint lane, uint turn) { return (lane >> quads_log2(p)) + turn * (LANES >> quads_log2(p)); }
bool is_line(Place p, uint line) { return line < 1u << lines_log2(p); }

uint first_word(uint plane, Place p, uint row, uint column) {
    return plane_offset(push.planes, plane) + (row << lines_log2(p)) * plane_stride(push.planes, plane) +
           (column << quads_log2(p)) * PICTURE_QUAD_WORDS;
}
uint record_at(uint row, uint column) { return (row * push.sb_cols + column) * SUPERBLOCK_WORDS; }

#ifdef INNER
#include "vp9/lf_inner.glsl"
#else
#include "vp9/lf_row.glsl"
#endif
