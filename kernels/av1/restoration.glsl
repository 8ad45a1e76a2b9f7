// SPDX-License-Identifier: BSD-2-Clause
//
// What both kinds of loop restoration share: where a pixel's stripe and unit are. AV1 specification, clause 7.17.
// Stripes are counted from 8 rows of luma above the frame.

// A piece of a plane that lies in one stripe and in one restoration unit.
struct Tile {
    DdAv1Plane plane;
    int x, y; // first pixel
    int stripe_first, stripe_last; // rows
    uint unit;                     // word
};

uint unit_log2_of(uint plane) {
    return plane == 0u ? params.unit_log2[0] : plane == 1u ? params.unit_log2[1] : params.unit_log2[2];
}

// `row` is counted from where stripes are.
Tile tile_at(uint plane, uint x, uint row) {
    const uint cols = plane == 0u ? params.unit_cols[0] : plane == 1u ? params.unit_cols[1] : params.unit_cols[2];
    const uint rows = plane == 0u ? params.unit_rows[0] : plane == 1u ? params.unit_rows[1] : params.unit_rows[2];
    const uint first = plane == 0u ? params.units[0] : plane == 1u ? params.units[1] : params.units[2];
    const uint ss_v = shift_v(plane), stripe_log2 = 6u - ss_v, log2 = unit_log2_of(plane);
    const int above = int(8u >> ss_v);
    Tile t;
    t.plane = plane_at(plane);
    t.x = int(x);
    t.y = int(row) - above;
    const uint stripe = row >> stripe_log2;
    t.stripe_first = max(0, int(stripe << stripe_log2) - above);
    t.stripe_last = int((stripe + 1u) << stripe_log2) - above - 1;
    const uint unit_row = min((stripe << stripe_log2) >> log2, rows - 1u);
    const uint unit_col = min(x >> log2, cols - 1u);
    t.unit = first + (unit_row * cols + unit_col) * DD_AV1_UNIT_WORDS;
    return t;
}
