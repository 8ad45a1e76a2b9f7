// SPDX-License-Identifier: BSD-2-Clause
//
// The loop filter in the specification's own order (clause 8.8.1): superblock after superblock, in each the edges between
// columns, then those between rows. For GPUs that run many workgroups at a time: the order of edges costs the CPU
// nothing. A workgroup filters a run of superblocks of one plane; runs of a step are a wavefront, which no two touch
// the same pixels in. Edges along a line that share pixels are a chain, which one lane walks along; chains of a line are
// independent. Pixels are those of vp9/lf_tile.glsl.

layout(std430, set = 0, binding = DD_BIND_RECORDS) readonly restrict buffer Records {
    uint limits[DD_LF_LEVELS];
    uint superblocks[]; // DdLfSuperblock
};
layout(push_constant) uniform Push {
    DdLfSuperblockPush push;
};

// A plane, and a superblock in it. Cells are four pixels wide and high.
struct Place {
    uint ss_h, ss_v; // of the plane
    uint kind;       // of the masks
    uint origin;     // word of the superblock's first pixel in the tile
    uint sb;         // index in the run
    bool first_column, last_column, first_row, last_row;
};

// Superblocks of the run, then the levels' limits.
const uint SUPERBLOCK_WORDS = 48u, MASKS_AT = 16u;
shared uint run_words[RUN * SUPERBLOCK_WORDS];
shared uint run_limits[DD_LF_LEVELS];

// Edges of a line inside the superblock: bit c is the edge before cell c.
struct Line {
    uint narrow, wide; // wide: 16
    uint eight;        // of the narrow ones, those that are 8 wide
};

uint masks_of(Place p, uint direction, uint row) {
    return run_words[p.sb * SUPERBLOCK_WORDS + MASKS_AT + (p.kind * 2u + direction) * 8u + row];
}

// Bits 0 to 7 become bits 0, 2 ... 14.
uint spread(uint bits) {
    bits = (bits | bits << 4) & 0x0f0fu;
    bits = (bits | bits << 2) & 0x3333u;
    return (bits | bits << 1) & 0x5555u;
}

// An edge reads one cell on each side; a wide one two.
uint chained(Line l) {
    return (l.narrow & (l.narrow << 1 | l.wide << 1 | l.wide << 2)) |
           (l.wide & (l.narrow << 1 | l.narrow << 2 | l.wide << 1 | l.wide << 2 | l.wide << 3));
}

Strength strength_at(Place p, uint row, uint column, uint width) {
    const uint levels = run_words[p.sb * SUPERBLOCK_WORDS + row * 2u + column / 4u];
    const uint level = levels >> (column % 4u * 8u) & (DD_LF_LEVELS - 1u);
    return strength_of(run_limits[level] | level >> 4 << DD_LF_VARIANCE_SHIFT | width << DD_LF_WIDTH_SHIFT);
}

uint width_at(Line l, uint bit) { return (l.wide & bit) != 0u ? SIXTEEN : (l.eight & bit) != 0u ? EIGHT : NARROW; }

// Edges that would reach out of the plane.
void drop_outside(inout Line l, bool first, bool last, uint cells) {
    if (first) {
        l.narrow &= ~1u;
        l.wide &= ~3u;
    }
    if (last)
        l.wide &= ~(1u << (cells - 1u));
}

// Edges between columns in a row of 8x8 blocks of luma. Pairs of rows share their 16 wide edges; where the first one has such an
// edge, the second one has no other.
Line columns_of(Place p, uint row) {
    const uint first = row & ~((2u << p.ss_v) - 1u);
    const uint a = masks_of(p, 0u, first), b = masks_of(p, 0u, row);
    uint wide = a, eight = a >> 8 & ~a, any = a | a >> 8 | a >> 16;
    if (row != first) {
        wide = a & b;
        eight = b >> 8 & ~a;
        any = wide | ((b >> 8 | b >> 16) & ~a);
    }
    wide &= 0xffu;
    any &= 0xffu & ~wide;
    eight &= any;
    Line l = Line(any, wide, eight);
    if (p.ss_h == 0u)
        l = Line(spread(any) | spread(b >> 24) << 1, spread(wide), spread(eight));
    drop_outside(l, p.first_column, p.last_column, 16u >> p.ss_h);
    return l;
}

// Edges between rows in a column of 8x8 blocks of luma. Pairs of columns are as above, but that a 16 wide edge of the second one
// alone counts as a narrow one.
Line rows_of(Place p, uint column) {
    const uint first = column & ~((2u << p.ss_h) - 1u);
    Line l = Line(0u, 0u, 0u);
    for (uint row = 0u; row < 8u; row++) {
        const uint masks = masks_of(p, 1u, row), mine = masks >> column, cell = row * 2u >> p.ss_v;
        const bool first_wide = (masks >> first & 1u) != 0u;
        if (first_wide && (mine & 1u) != 0u) {
            l.wide |= 1u << cell;
        } else if (!first_wide && (mine & 0x00010101u) != 0u) {
            l.narrow |= 1u << cell;
            l.eight |= (mine >> 8 & 1u) << cell;
        }
        if (p.ss_v == 0u)
            l.narrow |= (mine >> 24 & 1u) << (cell + 1u);
    }
    drop_outside(l, p.first_row, p.last_row, 16u >> p.ss_v);
    return l;
}

// The cell of a lane is where its chain begins, if one does.
bool begins(Line l, uint cell) { return ((l.narrow | l.wide) & ~chained(l) & 1u << cell) != 0u; }

// The next edge of the chain, or the end.
uint next_of(Line l, uint cell) {
    const uint later = (l.narrow | l.wide) & ~((2u << cell) - 1u);
    if (later == 0u)
        return ~0u;
    const uint next = uint(findLSB(later));
    return (chained(l) & 1u << next) != 0u ? next : ~0u;
}

void filter_columns(Place p, uint line, uint cell) {
    const uint unit = line >> 3, row = unit << p.ss_v;
    const Line l = columns_of(p, row);
    if (!begins(l, cell))
        return;
    const uint at = p.origin + line * TILE_STRIDE;
    for (; cell != ~0u; cell = next_of(l, cell)) {
        const uint bit = 1u << cell, width = width_at(l, bit);
        const uint of_row = width == SIXTEEN ? row & ~((2u << p.ss_v) - 1u) : row;
        const uint column = p.ss_h == 0u ? cell >> 1 : cell & ~1u;
        filter_line_of_columns(at + cell * QUAD_WORDS, strength_at(p, of_row, column, width));
    }
}

void filter_rows(Place p, uint word, uint cell) {
    const uint unit = word / (2u * QUAD_WORDS), column = unit << p.ss_h;
    const Line l = rows_of(p, column);
    if (!begins(l, cell))
        return;
    for (; cell != ~0u; cell = next_of(l, cell)) {
        const uint bit = 1u << cell, width = width_at(l, bit);
        const uint of_column = width == SIXTEEN ? column & ~((2u << p.ss_h) - 1u) : column;
        const uint row = p.ss_v == 0u ? cell >> 1 : cell & ~1u;
        filter_word_of_rows(p.origin + cell * 4u * TILE_STRIDE + word, TILE_STRIDE, strength_at(p, row, of_column, width));
    }
}

// Most chains begin at 8x8 blocks: their lanes are neighbours.
uint cell_at(uint i, uint cells) { return i < cells / 2u ? i * 2u : i * 2u + 1u - cells; }

void filter_superblock(Place p) {
    const uint cells_wide = 16u >> p.ss_h, cells_high = 16u >> p.ss_v;
    const uint lines = cells_high * 4u, words = cells_wide * QUAD_WORDS;
    for (uint i = gl_LocalInvocationID.x; i < lines * cells_wide; i += LANES)
        filter_columns(p, i % lines, cell_at(i / lines, cells_wide));
    barrier();
    for (uint i = gl_LocalInvocationID.x; i < words * cells_high; i += LANES)
        filter_rows(p, i % words, cell_at(i / words, cells_high));
    barrier();
}

// Copies the run between the picture and the tile: lines of the superblocks with the margin on their left, and the margin above
// without its corner, which other workgroups may have. `at`: the first pixel that belongs to the run.
void copy_run(uint at, uint stride, uint words, uint lines, bool has_left, bool has_above, const bool back) {
    const uint left = MARGIN / 4u * QUAD_WORDS;
    const uint first_line = has_above ? 0u : MARGIN, first_word = has_left ? 0u : left;
    const uint wide = left + words - first_word, all = wide * (MARGIN + lines - first_line);
    for (uint i = gl_LocalInvocationID.x; i < all; i += LANES) {
        const uint word = first_word + i % wide, line = first_line + i / wide;
        if (line < MARGIN && word < left)
            continue;
        const uint of_picture = at + line * stride + word - MARGIN * stride - left, of_tile = line * TILE_STRIDE + word;
        if (back)
            store_picture(of_picture, tile[of_tile]);
        else
            tile[of_tile] = load_picture(of_picture);
    }
}

void main() {
    const uint row = push.first_row + gl_WorkGroupID.x, plane = gl_WorkGroupID.y;
    const int offset = int((push.step - row) * RUN) - int(row);
    const uint first = uint(max(offset, 0)), end = min(uint(offset + int(RUN)), push.sb_cols);
    Place p;
    p.ss_h = plane == 0u ? 0u : push.ss_h;
    p.ss_v = plane == 0u ? 0u : push.ss_v;
    p.kind = (p.ss_h | p.ss_v) != 0u ? 1u : 0u;
    p.first_row = row == 0u;
    p.last_row = row + 1u == push.sb_rows;

    const uint sb_words = (16u >> p.ss_h) * QUAD_WORDS, sb_lines = 64u >> p.ss_v, stride = plane_stride(push.planes, plane);
    const uint at = plane_offset(push.planes, plane) + row * sb_lines * stride + first * sb_words;
    copy_run(at, stride, (end - first) * sb_words, sb_lines, first != 0u, row != 0u, false);
    for (uint i = gl_LocalInvocationID.x; i < (end - first) * SUPERBLOCK_WORDS; i += LANES)
        run_words[i] = superblocks[(row * push.sb_cols + first) * SUPERBLOCK_WORDS + i];
    for (uint i = gl_LocalInvocationID.x; i < DD_LF_LEVELS; i += LANES)
        run_limits[i] = limits[i];
    barrier();

    for (p.sb = 0u; p.sb < end - first; p.sb++) {
        p.origin = MARGIN * TILE_STRIDE + MARGIN / 4u * QUAD_WORDS + p.sb * sb_words;
        p.first_column = first + p.sb == 0u;
        p.last_column = first + p.sb + 1u == push.sb_cols;
        filter_superblock(p);
    }
    copy_run(at, stride, (end - first) * sb_words, sb_lines, first != 0u, row != 0u, true);
}
