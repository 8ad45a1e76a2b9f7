// SPDX-License-Identifier: BSD-2-Clause
//
// Loop restoration by self-guided filters. AV1 specification, clause 7.17.3. A lane takes two quads, one below the
// other: they lie in one stripe and in one restoration unit. Sixteen lanes lie side by side. Other units are
// wiener.comp's.
//
// A filter's boxes lie around the columns -1 to 4 of a lane, in rows -1 to 2; the wide filter has those of rows -1 and
// 1 alone. Sums of boxes one below the other share their rows.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "filter.glsl"
#include "restoration.glsl"

const int kLaneRows = 2;
const int kColumns = 6;

// Of the boxes of a row.
struct Sums {
    uint values[kColumns], squares[kColumns];
};

// A row of pixels, from three columns before the lane's first one; 0 is the lane's first row.
void add_row(const Lane l, const int row, const int reach, inout Sums sums) {
    const Quads q = load_row(l, row, kLaneRows);
    uint p[12];
    [[unroll]] for (uint i = 0u; i < 4u; i++) {
        p[i] = pixel(q.left, i);
        p[i + 4u] = pixel(q.own, i);
        p[i + 8u] = pixel(q.right, i);
    }
    uint values = 0u, squares = 0u;
    [[unroll]] for (int i = 3 - reach; i < 3 + reach; i++) {
        values += p[i];
        squares += p[i] * p[i];
    }
    [[unroll]] for (int c = 0; c < kColumns; c++) {
        const uint entering = p[c + 3 + reach], leaving = p[c + 3 - reach];
        values += entering;
        squares += entering * entering;
        sums.values[c] += values;
        sums.squares[c] += squares;
        values -= leaving;
        squares -= leaving * leaving;
    }
}

// Clause 7.17.3: a box of (2 * reach + 1) squared becomes A | (256 - a2) << 20.
uint box(uint sum, uint squares, const int reach, uint strength) {
    const uint n = reach == 2 ? 25u : 9u;
    const uint depth = uint(BITS - 8);
    const uint a = (squares + ((1u << (2u * depth)) >> 1)) >> (2u * depth);
    const uint b = (sum + ((1u << depth) >> 1)) >> depth;
    const uint p = uint(max(int(a * n) - int(b * b), 0));
    const uint z = min((p * strength + (1u << 19)) >> 20, 255u);
    const uint x = bitfieldExtract(words[params.x_by_x + (z >> 2)], int(8u * (z & 3u)), 8);
    return ((x * sum * (reach == 2 ? 164u : 455u) + (1u << 11)) >> 12) | x << 20;
}

struct Boxes {
    uint at[kColumns];
};

Boxes boxes_of(const Sums sums, const int reach, uint strength) {
    Boxes boxes;
    [[unroll]] for (int c = 0; c < kColumns; c++)
        boxes.at[c] = box(sums.values[c], sums.squares[c], reach, strength);
    return boxes;
}

// Weighted boxes of four columns: A and 256 - a2.
struct Weighted {
    ivec4 a, b;
};

// `side` times the boxes of three columns, and the middle one once more where `middle` is set.
Weighted weigh(const Boxes boxes, const int side, const bool middle) {
    Weighted w;
    [[unroll]] for (int i = 0; i < 4; i++) {
        const uint left = boxes.at[i], own = boxes.at[i + 1], right = boxes.at[i + 2];
        const uint a = own & 0xfffffu, b = own >> 20;
        w.a[i] = int(((left & 0xfffffu) + a + (right & 0xfffffu)) * uint(side) + (middle ? a : 0u));
        w.b[i] = int(((left >> 20) + b + (right >> 20)) * uint(side) + (middle ? b : 0u));
    }
    return w;
}

// What boxes make of pixels, less the pixels themselves.
ivec4 guided(const Weighted w, ivec4 pixels) { return w.a - w.b * pixels; }
ivec4 guided(const Weighted w, const Weighted other, ivec4 pixels) { return w.a + other.a - (w.b + other.b) * pixels; }

Sums no_sums() {
    Sums s;
    [[unroll]] for (int c = 0; c < kColumns; c++)
        s.values[c] = s.squares[c] = 0u;
    return s;
}

ivec4 own_pixels(const Lane l, const int row) {
    const PIXELS q = load_quads(l, l.tile.y + row, false).own;
    return ivec4(pixel(q, 0u), pixel(q, 1u), pixel(q, 2u), pixel(q, 3u));
}

void add_wide(const Lane l, uint strength, int weight, inout ivec4 change[kLaneRows]) {
    Sums both = no_sums();
    add_row(l, -1, 2, both);
    add_row(l, 0, 2, both);
    add_row(l, 1, 2, both);
    Sums sums = both;
    add_row(l, -3, 2, sums);
    add_row(l, -2, 2, sums);
    const Weighted above = weigh(boxes_of(sums, 2, strength), 5, true);
    sums = both;
    add_row(l, 2, 2, sums);
    add_row(l, 3, 2, sums);
    const Weighted below = weigh(boxes_of(sums, 2, strength), 5, true);
    change[0] += weight * ((guided(above, below, own_pixels(l, 0)) + 256) >> 9);
    change[1] += weight * ((guided(below, own_pixels(l, 1)) + 128) >> 8);
}

void add_narrow(const Lane l, uint strength, int weight, inout ivec4 change[kLaneRows]) {
    Sums both = no_sums();
    add_row(l, -1, 1, both);
    add_row(l, 0, 1, both);
    Sums sums = both;
    add_row(l, -2, 1, sums);
    const Boxes above = boxes_of(sums, 1, strength);
    add_row(l, 1, 1, both);
    const Boxes first = boxes_of(both, 1, strength);
    ivec4 row0 = guided(weigh(above, 3, true), weigh(first, 4, false), own_pixels(l, 0));
    ivec4 row1 = guided(weigh(first, 3, true), own_pixels(l, 1));

    both = no_sums();
    add_row(l, 1, 1, both);
    add_row(l, 2, 1, both);
    sums = both;
    add_row(l, 0, 1, sums);
    const Boxes second = boxes_of(sums, 1, strength);
    add_row(l, 3, 1, both);
    const Boxes below = boxes_of(both, 1, strength);
    row0 += guided(weigh(second, 3, true), own_pixels(l, 0));
    row1 += guided(weigh(second, 4, false), weigh(below, 3, true), own_pixels(l, 1));
    change[0] += weight * ((row0 + 256) >> 9);
    change[1] += weight * ((row1 + 256) >> 9);
}

void filter_quads(const Lane l) {
    const uint strengths = words[l.tile.unit + 1u], weights = words[l.tile.unit + 2u];
    const uint wide = strengths & 0xffffu, narrow = strengths >> 16;
    ivec4 change[kLaneRows];
    [[unroll]] for (int row = 0; row < kLaneRows; row++)
        change[row] = ivec4(0);
    if (narrow != 0u)
        add_narrow(l, narrow, int(weights) >> 16, change);
    if (wide != 0u)
        add_wide(l, wide, int(weights << 16) >> 16, change);
    const int most = (1 << BITS) - 1;
    [[unroll]] for (int row = 0; row < kLaneRows; row++) {
        const ivec4 v = clamp(own_pixels(l, row) + ((change[row] + 1024) >> 11), 0, most);
        PIXELS q = PIXELS(0u);
        [[unroll]] for (int i = 0; i < 4; i++)
            q = with_pixel(q, uint(i), uint(v[i]));
        store_row(l, row, q);
    }
}

void main() {
    const Place place = place_of_lane();
    const Lane l = lane_at(place, kLaneRows);
    if (lane_has_pixels(l) && place.filtered && words[l.tile.unit] == DD_AV1_UNIT_SELF_GUIDED)
        filter_quads(l);
}
