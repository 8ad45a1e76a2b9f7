// SPDX-License-Identifier: BSD-2-Clause
//
// What is left of a row of superblocks behind vp9/lf_inner.glsl: chains from the left and upper borders, and those
// between rows that meet the former. A workgroup has a row of a plane. It needs the last lines of the row above, and
// says in turn how many superblocks it won't touch any more: one after the next one's edges between columns, the
// first of which changes eight columns of it. Rows are taken in the order in which workgroups begin, so that each
// waits only for those that have begun before it: where these go on, all end.
//
// The last eight columns of a superblock stay in the tile, for the next one, which changes them. What comes next is
// loaded meanwhile, by all lanes: those without a pixel of their own load another one, as V3D's compiler wants no
// branch there.

shared uint ticket;
shared uint seen_early, seen_late; // superblocks that the row above is done with

struct Row {
    Place p;
    uint at, stride; // of the picture, in words
    uint sync, number;
};

// What lanes do at a time: the first lanes have a line each, from these on others follow.
const uint MET_LANE = 64u, EDGES_LANE = 96u, ABOVE_LANE = 128u;

bool has_above(Row r, uint lane) {
    return r.number != 0u && lane >= ABOVE_LANE && lane - ABOVE_LANE < MARGIN << quads_log2(r.p);
}
uint above_line(Row r, uint lane) { return (lane - ABOVE_LANE) >> quads_log2(r.p); }
uint above_at(Row r, uint lane, uint column) {
    const uint at = r.at + ((column << quads_log2(r.p)) + quad_of(r.p, lane)) * PICTURE_QUAD_WORDS;
    return has_above(r, lane) ? at - (MARGIN - above_line(r, lane)) * r.stride : at;
}
uint above_tile(Row r, uint lane) {
    return above_line(r, lane) * TILE_STRIDE + MARGIN_WORDS + quad_of(r.p, lane) * QUAD_WORDS;
}

PICTURE_QUAD ahead[TURNS_A_LANE]; // of the next superblock
uint record_ahead;                // of the one after that

void load_ahead(Row r, uint lane, uint column) {
    const uint first = r.at + ((column << quads_log2(r.p)) + quad_of(r.p, lane)) * PICTURE_QUAD_WORDS;
    [[unroll]] for (uint turn = 0u; turn < TURNS_A_LANE; turn++)
        ahead[turn] = load_picture(first + low_bits(line_of_turn(r.p, lane, turn), lines_log2(r.p)) * r.stride);
}

void place_ahead(Row r, uint lane) {
    const uint first = ORIGIN + quad_of(r.p, lane) * QUAD_WORDS;
    [[unroll]] for (uint turn = 0u; turn < TURNS_A_LANE; turn++) {
        const uint line = line_of_turn(r.p, lane, turn);
        if (is_line(r.p, line))
            store_tile(first + line * TILE_STRIDE, to_fields(ahead[turn]));
    }
}

uint record_word(Row r, uint lane, uint column) {
    return superblocks[record_at(r.number, min(column, push.sb_cols - 1u)) + min(lane, SUPERBLOCK_WORDS - 1u)];
}
void set_record(uint lane, uint column, uint word) {
    if (lane < SUPERBLOCK_WORDS)
        record[(column & 1u) * SUPERBLOCK_WORDS + lane] = word;
}

// What a superblock needs of the row above.
uint needed_for(Row r, uint column) { return r.number == 0u ? 0u : column + 1u; }
uint above_word(Row r) { return r.number == 0u ? r.sync : r.sync - push.plane_count; }

// Behind a barrier that follows everyone's memoryBarrierBuffer(). By a lane that has little else to do.
void tell(Row r, uint lane, uint superblocks) {
    if (lane == ABOVE_LANE) {
        memoryBarrierBuffer();
        set_done(r.sync, superblocks);
    }
}

void wait_for_above(Row r, uint lane, uint column) {
    if (lane == ABOVE_LANE) {
        uint seen;
        do
            seen = done_of(above_word(r));
        while (seen < needed_for(r, column));
        memoryBarrierBuffer();
        seen_late = seen;
    }
    barrier();
    memoryBarrierBuffer();
}

// The upper border is the first lanes'.
void filter_rows_of_superblock(Place p, uint lane) {
    for (uint i = lane; i < 1u << words_log2(p) + cells_high_log2(p); i += LANES)
        filter_rows(p, low_bits(i, words_log2(p)), i >> words_log2(p), false);
}

const uint MARGIN_QUADS = MARGIN / 4u;

// The last columns of the superblock before.
void store_margin(Row r, uint lane, uint column) {
    const uint line = lane / MARGIN_QUADS, quad = lane % MARGIN_QUADS;
    const uint at = r.at + ((column << quads_log2(r.p)) + quad - MARGIN_QUADS) * PICTURE_QUAD_WORDS;
    if (is_line(r.p, line) && column != 0u)
        store_picture(at + line * r.stride, from_fields(load_tile((MARGIN + line) * TILE_STRIDE + quad * QUAD_WORDS)));
}

// The superblock but for its last columns, and the lines above.
void store_lines(Row r, uint lane, uint column) {
    const uint quad = quad_of(r.p, lane), at = r.at + ((column << quads_log2(r.p)) + quad) * PICTURE_QUAD_WORDS;
    const bool is_final = column + 1u == push.sb_cols || quad < (1u << quads_log2(r.p)) - MARGIN_QUADS;
    [[unroll]] for (uint turn = 0u; turn < TURNS_A_LANE; turn++) {
        const uint line = line_of_turn(r.p, lane, turn);
        if (is_line(r.p, line) && is_final)
            store_picture(at + line * r.stride,
                          from_fields(load_tile(ORIGIN + line * TILE_STRIDE + quad * QUAD_WORDS)));
    }
    if (has_above(r, lane))
        store_picture(above_at(r, lane, column), from_fields(load_tile(above_tile(r, lane))));
}

Row take_row() {
    const uint lane = gl_LocalInvocationID.x;
    if (lane == 0u)
        ticket = begin_workgroup(push.sync);
    barrier();
    const uint mine = subgroupBroadcastFirst(ticket), plane = mine % push.plane_count;
    Row r;
    r.number = mine / push.plane_count;
    r.p = place_of(plane);
    r.at = first_word(plane, r.p, r.number, 0u);
    r.stride = plane_stride(push.planes, plane);
    r.sync = push.sync + 1u + mine;
    return r;
}

void main() {
    const uint lane = gl_LocalInvocationID.x;
    Row r = take_row();
    if (lane < DD_LF_LEVELS)
        all_limits[lane] = limits[lane];
    load_ahead(r, lane, 0u);
    set_record(lane, 0u, record_word(r, lane, 0u));
    set_record(lane, 1u, record_word(r, lane, 1u));
    barrier();
    go_to_column(r.p, 0u);
    if (lane < 2u * UNITS_A_SIDE)
        find_edges(r.p, lane);

    // The word at the end of a line that a lane carries to the margin.
    const uint carried_at = (MARGIN + (lane >> 2)) * TILE_STRIDE + (lane & 3u);
    const bool carries = is_line(r.p, lane >> 2);
    uint carried = 0u, seen = 0u;
    for (uint column = 0u; column < push.sb_cols; column++) {
        if (seen < needed_for(r, column)) {
            wait_for_above(r, lane, column);
            seen = subgroupBroadcastFirst(seen_late);
        }
        const PICTURE_QUAD above = load_picture(above_at(r, lane, column));
        place_ahead(r, lane);
        if (carries)
            tile[carried_at] = carried;
        barrier();

        go_to_column(r.p, column);
        if (is_line(r.p, lane))
            filter_columns(r.p, lane, 0u);
        if (lane >= MET_LANE && lane < MET_LANE + 16u)
            find_met(r.p, lane - MET_LANE);
        if (lane >= EDGES_LANE && lane < EDGES_LANE + 2u * UNITS_A_SIDE) {
            Place next = r.p;
            go_to_column(next, column + 1u);
            find_edges(next, lane - EDGES_LANE);
        }
        if (has_above(r, lane))
            store_tile(above_tile(r, lane), to_fields(above));
        barrier();

        store_margin(r, lane, column);
        load_ahead(r, lane, min(column + 1u, push.sb_cols - 1u));
        record_ahead = record_word(r, lane, column + 2u);
        const uint early = done_lately(above_word(r));
        filter_rows_of_superblock(r.p, lane);
        if (lane == ABOVE_LANE)
            seen_early = early;
        memoryBarrierBuffer(); // what was stored of the superblock before
        barrier();

        tell(r, lane, column);
        memoryBarrierBuffer();
        seen = subgroupBroadcastFirst(seen_early);
        store_lines(r, lane, column);
        carried = tile[carried_at + (1u << words_log2(r.p))];
        set_record(lane, column, record_ahead);
        barrier();
    }
    memoryBarrierBuffer();
    barrier();
    tell(r, lane, push.sb_cols);
}
