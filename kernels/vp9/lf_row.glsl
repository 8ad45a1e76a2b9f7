// SPDX-License-Identifier: BSD-2-Clause
//
// What is left of a row of superblocks behind vp9/lf_inner.glsl: chains from the left and upper borders, and those between rows
// that meet the former. A workgroup has a row of a plane. It needs pixels of the row above, and says in turn how far it is
// itself: a superblock's last eight lines belong to the superblock below once the one on its right is done, for that one's first
// edge changes them too. Rows are taken in the order in which workgroups begin, so that each waits only for those that have
// begun before it: devices on which these run on end sooner or later.
//
// The last eight columns of a superblock stay in the tile, for the next one, which changes them. What comes next is loaded
// meanwhile.

shared uint ticket;
shared uint seen_early, seen_late; // superblocks that the row above has done

struct Row {
    Place p;
    uint at, stride; // of the picture, in words
    uint sync, number;
};

// The lanes from half on have the lines above.
const uint ABOVE_LANE = LANES / 2u;
bool has_above(Row r, uint lane) {
    return r.number != 0u && lane >= ABOVE_LANE && lane - ABOVE_LANE < MARGIN * cells_wide(r.p);
}
uint above_line(Row r, uint lane) { return (lane - ABOVE_LANE) >> (4u - r.p.ss_h); }
uint above_at(Row r, uint lane, uint column) {
    return r.at + (column * cells_wide(r.p) + quad_of(r.p, lane)) * PICTURE_QUAD_WORDS -
           (MARGIN - above_line(r, lane)) * r.stride;
}
uint above_tile(Row r, uint lane) {
    return above_line(r, lane) * TILE_STRIDE + MARGIN_WORDS + quad_of(r.p, lane) * QUAD_WORDS;
}

PICTURE_QUAD ahead[TURNS_A_LANE]; // of the next superblock
PICTURE_QUAD above;
uint record_ahead;

void load_ahead(Row r, uint lane, uint column) {
    const uint first = r.at + (column * cells_wide(r.p) + quad_of(r.p, lane)) * PICTURE_QUAD_WORDS;
    [[unroll]] for (uint turn = 0u; turn < TURNS_A_LANE; turn++) {
        const uint line = line_of_turn(r.p, lane, turn);
        if (line < lines_of(r.p))
            ahead[turn] = load_picture(first + line * r.stride);
    }
    if (lane < SUPERBLOCK_WORDS)
        record_ahead = superblocks[record_at(r.number, column) + lane];
}

void place_ahead(Row r, uint lane) {
    const uint first = ORIGIN + quad_of(r.p, lane) * QUAD_WORDS;
    [[unroll]] for (uint turn = 0u; turn < TURNS_A_LANE; turn++) {
        const uint line = line_of_turn(r.p, lane, turn);
        if (line < lines_of(r.p))
            store_tile(first + line * TILE_STRIDE, to_fields(ahead[turn]));
    }
}

// What the row needs of the one above.
uint needed_for(uint column) { return min(column + 2u, push.sb_cols); }
uint above_word(Row r) { return r.sync - push.plane_count; }

// Behind a barrier that follows everyone's memoryBarrierBuffer().
void tell(Row r, uint lane, uint superblocks) {
    if (lane == 0u) {
        memoryBarrierBuffer();
        set_done(r.sync, superblocks);
    }
}

void wait_for_above(Row r, uint lane, uint column) {
    memoryBarrierBuffer();
    barrier();
    tell(r, lane, column); // the row below may be waiting for that
    if (lane == 0u) {
        uint seen;
        do
            seen = done_of(above_word(r));
        while (seen < needed_for(column));
        memoryBarrierBuffer();
        seen_late = seen;
    }
    barrier();
    memoryBarrierBuffer();
}

void filter_rows_of_superblock(Place p, uint lane) {
    const uint words = words_of(p), cells_log2 = 4u - p.ss_v;
    if (lane >= LANES - words)
        filter_rows(p, lane - (LANES - words), 0u, false);
    // Those that meet a chain of columns are mostly in the first words.
    for (uint i = lane; i < words << cells_log2; i += LANES) {
        const uint cell = i & ((1u << cells_log2) - 1u);
        if (cell != 0u)
            filter_rows(p, i >> cells_log2, cell, false);
    }
}

// All but the last two quads of each line, which the next superblock changes.
void store_lines(Row r, uint lane, uint column) {
    const uint quad = quad_of(r.p, lane), margin = MARGIN / 4u;
    const uint first = r.at + (column * cells_wide(r.p) + quad - margin) * PICTURE_QUAD_WORDS;
    [[unroll]] for (uint turn = 0u; turn < TURNS_A_LANE; turn++) {
        const uint line = line_of_turn(r.p, lane, turn);
        if (line < lines_of(r.p) && (column != 0u || quad >= margin))
            store_picture(first + line * r.stride, from_fields(load_tile((MARGIN + line) * TILE_STRIDE + quad * QUAD_WORDS)));
    }
    if (has_above(r, lane))
        store_picture(above_at(r, lane, column), from_fields(load_tile(above_tile(r, lane))));
}

void store_last_quads(Row r, uint lane) {
    const uint line = lane >> 1, quad = cells_wide(r.p) - 2u + (lane & 1u);
    if (line < lines_of(r.p))
        store_picture(r.at + line * r.stride + ((push.sb_cols - 1u) * cells_wide(r.p) + quad) * PICTURE_QUAD_WORDS,
                      from_fields(load_tile(ORIGIN + line * TILE_STRIDE + quad * QUAD_WORDS)));
}

void main() {
    const uint lane = gl_LocalInvocationID.x;
    if (lane == 0u)
        ticket = begin_workgroup(push.sync);
    if (lane < DD_LF_LEVELS)
        all_limits[lane] = limits[lane];
    barrier();
    const uint mine = subgroupBroadcastFirst(ticket), plane = mine % push.plane_count;
    Row r;
    r.number = mine / push.plane_count;
    r.p = place_of(plane, r.number);
    r.at = first_word(plane, r.p, r.number, 0u);
    r.stride = plane_stride(push.planes, plane);
    r.sync = push.sync + 1u + mine;

    const uint carried_at = (MARGIN + (lane >> 2)) * TILE_STRIDE + (lane & 3u);
    const bool carries = lane >> 2 < lines_of(r.p);
    uint carried = 0u, seen = 0u;
    load_ahead(r, lane, 0u);
    if (lane < SUPERBLOCK_WORDS)
        record[lane] = record_ahead;
    barrier();
    for (uint column = 0u; column < push.sb_cols; column++) {
        r.p.first_column = column == 0u;
        r.p.last_column = column + 1u == push.sb_cols;
        if (r.number != 0u && seen < needed_for(column)) {
            wait_for_above(r, lane, column);
            seen = subgroupBroadcastFirst(seen_late);
        }
        if (has_above(r, lane))
            above = load_picture(above_at(r, lane, column));
        if (lane < 2u * UNITS_A_SIDE)
            find_edges(r.p, lane);
        place_ahead(r, lane);
        if (column != 0u && carries)
            tile[carried_at] = carried;
        barrier();
        if (lane < lines_of(r.p))
            filter_columns(r.p, lane, 0u);
        else if (lane < 64u + 16u && lane >= 64u)
            find_met(lane - 64u);
        if (has_above(r, lane))
            store_tile(above_tile(r, lane), to_fields(above));
        memoryBarrierBuffer(); // what was stored of the superblock before
        barrier();
        tell(r, lane, column);
        if (!r.p.last_column)
            load_ahead(r, lane, column + 1u);
        uint early = 0u;
        if (lane == ABOVE_LANE && r.number != 0u)
            early = done_of(above_word(r));
        filter_rows_of_superblock(r.p, lane);
        if (lane == ABOVE_LANE)
            seen_early = early;
        barrier();
        memoryBarrierBuffer();
        seen = subgroupBroadcastFirst(seen_early);
        store_lines(r, lane, column);
        if (carries)
            carried = tile[carried_at + words_of(r.p)];
        if (lane < SUPERBLOCK_WORDS)
            record[lane] = record_ahead;
        barrier();
    }
    store_last_quads(r, lane);
    memoryBarrierBuffer();
    barrier();
    tell(r, lane, push.sb_cols);
}
