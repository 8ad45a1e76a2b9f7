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

// A lane's place. Words are counted from the quad's column; the quads beside it are clamped to the plane.
struct Lane {
    Tile tile;
    int at, stride, left, right; // words
    int last_pixel;              // of the plane's row, from the quad's first one
};

struct Quads {
    PIXELS left, own, right;
};

Quads load_quads(const Lane l, int y, const bool outside) {
    y = clamp(y, 0, int(l.tile.plane.height) - 1);
    const bool filtered_by_cdef = (pass.flags & DD_AV1_PASS_NO_CDEF) == 0u &&
                                  (!outside || (y >= l.tile.stripe_first && y <= l.tile.stripe_last));
    if (outside)
        y = clamp(y, l.tile.stripe_first - 2, l.tile.stripe_last + 2);
    const int at = l.at + y * l.stride;
    Quads q;
    if (filtered_by_cdef) {
        q.left = LOAD_QUAD(scratch_a, at + l.left);
        q.own = LOAD_QUAD(scratch_a, at);
        q.right = LOAD_QUAD(scratch_a, at + l.right);
    } else {
        q.left = LOAD_QUAD(scratch_b, at + l.left);
        q.own = LOAD_QUAD(scratch_b, at);
        q.right = LOAD_QUAD(scratch_b, at + l.right);
    }
    return q;
}

#if BYTES == 1
PIXELS four_times(uint v) { return v * 0x01010101u; }
PIXELS mask_of_first(int n) { return n < 4 ? (1u << (8 * max(n, 0))) - 1u : ~0u; }
#else
PIXELS four_times(uint v) { return uvec2(v * 0x00010001u); }
uint half_mask(int n) { return n < 2 ? (1u << (16 * max(n, 0))) - 1u : ~0u; }
PIXELS mask_of_first(int n) { return uvec2(half_mask(n), half_mask(n - 2)); }
#endif

// Pixels beyond the plane's first and last columns are those columns' own.
void extend(const Lane l, inout Quads q) {
    const int last = l.last_pixel;
    const PIXELS right_most = four_times(pixel(last < 4 ? q.own : q.right, uint(last) & 3u));
    if (l.left == 0)
        q.left = four_times(pixel(q.own, 0u));
    const PIXELS own = mask_of_first(last + 1), right = mask_of_first(last - 3);
    q.own = (q.own & own) | (right_most & ~own);
    q.right = (q.right & right) | (right_most & ~right);
}

// Row `row` from the first of the lane's `rows`.
Quads load_row(const Lane l, const int row, const int rows) {
    Quads q = load_quads(l, l.tile.y + row, row < 0 || row >= rows);
    if (l.left == 0 || l.last_pixel < 7)
        extend(l, q);
    return q;
}

void store_row(const Lane l, int row, PIXELS q) {
    const int y = l.tile.y + row;
    if (y >= 0 && y < int(l.tile.plane.height))
        STORE_QUAD(dst, l.at + y * l.stride, q);
}

// Sixteen lanes lie side by side, each with a quad in each of `rows` rows.
Lane lane_at(const Place place, const int rows) {
    const uint x = place.unit * 64u + place.lane * 4u;
    Lane l;
    l.tile = tile_at(place.plane, x, place.row * uint(rows));
    l.stride = int((place.luma ? pass.stride[0] : pass.stride[1]) / 4u);
    l.at = int((place.offset + x * BYTES) / 4u);
    l.last_pixel = int(l.tile.plane.width) - 1 - int(x);
    l.left = x == 0u ? 0 : -int(QUAD_WORDS);
    l.right = l.last_pixel < 4 ? 0 : int(QUAD_WORDS);
    return l;
}

bool lane_has_pixels(const Lane l) { return l.last_pixel >= 0 && l.tile.y < int(l.tile.plane.height); }
