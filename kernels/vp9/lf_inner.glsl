// SPDX-License-Identifier: BSD-2-Clause
//
// The inner chains of a superblock (vp9/lf_superblock.glsl).

shared uint any_edges;

// Most chains begin at 8x8 blocks: their lanes are neighbours.
uint cell_at(uint i, uint cells) { return i < cells / 2u ? i * 2u : i * 2u + 1u - cells; }

void copy(Place p, uint at, uint stride, const bool back) {
    const uint lane = gl_LocalInvocationID.x, quad = quad_of(p, lane);
    [[unroll]] for (uint turn = 0u; turn < TURNS_A_LANE; turn++) {
        const uint line = line_of_turn(p, lane, turn);
        const uint of_picture = at + line * stride + quad * PICTURE_QUAD_WORDS;
        const uint of_tile = ORIGIN + line * TILE_STRIDE + quad * QUAD_WORDS;
        if (is_line(p, line)) {
            if (back)
                store_picture(of_picture, from_fields(load_tile(of_tile)));
            else
                store_tile(of_tile, to_fields(load_picture(of_picture)));
        }
    }
}

void main() {
    const uint lane = gl_LocalInvocationID.x, column = gl_WorkGroupID.x, row_and_plane = gl_WorkGroupID.y;
    const uint row = row_and_plane / push.plane_count, plane = row_and_plane % push.plane_count;
    if (lane == 0u) {
        any_edges = 0u;
        if (column == 0u) { // for the kernel that follows
            clear_word(push.sync + 1u + row_and_plane);
            if (row_and_plane == 0u)
                clear_word(push.sync);
        }
    }
    if (lane < SUPERBLOCK_WORDS)
        record[lane] = superblocks[record_at(row, column) + lane];
    if (lane < DD_LF_LEVELS)
        all_limits[lane] = limits[lane];
    Place p = place_of(plane);
    const uint stride = plane_stride(push.planes, plane), at = first_word(plane, p, row, column);
    barrier();
    if (lane < 2u * UNITS_A_SIDE && find_edges(p, lane) != 0u)
        any_edges = 1u;
    barrier();
    if (subgroupBroadcastFirst(any_edges) == 0u)
        return;
    copy(p, at, stride, false);
    if (lane < 16u)
        find_met(p, lane);
    barrier();
    for (uint i = lane; i < 1u << lines_log2(p) + quads_log2(p); i += LANES) {
        const uint cell = cell_at(i >> lines_log2(p), 1u << quads_log2(p));
        if (cell != 0u)
            filter_columns(p, low_bits(i, lines_log2(p)), cell);
    }
    barrier();
    for (uint i = lane; i < 1u << words_log2(p) + cells_high_log2(p); i += LANES)
        filter_rows(p, low_bits(i, words_log2(p)), cell_at(i >> words_log2(p), 1u << cells_high_log2(p)), true);
    barrier();
    copy(p, at, stride, true);
}
