// SPDX-License-Identifier: BSD-2-Clause
//
// What CDEF has filtered, from scratch A back to the picture; or, with DD_AV1_PASS_ALL, the whole picture to scratch
// B, which restoration reads. A lane takes four quads of a block of 8x8 pixels of luma: two rows, of subsampled
// chroma up to four.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "filter.glsl"

const uint kQuads = 4u; // of a lane

void main() {
    const uint w8 = params.w8, h8 = params.h8, blocks = params.blocks;
    const Place place = place_of_lane();
    const uint h = place.luma ? 0u : pass.ss_h, v = place.luma ? 0u : pass.ss_v;
    const uint lanes_log2 = 2u - h - v, across = 1u - h;
    const uint x8 = (place.unit << (2u + h + v)) + (place.lane >> lanes_log2), y8 = place.row;
    if (x8 >= w8 || y8 >= h8)
        return;
    const uint first = (place.lane & ((1u << lanes_log2) - 1u)) * kQuads; // of the block's quads, row by row
    const uint stride = place.luma ? pass.stride[0] : pass.stride[1];
    const uint row = (y8 << (3u - v)) + (first >> across);
    const uint at = (place.offset + row * stride + (x8 << (3u - h)) * BYTES) >> 2;
    // From quad to quad: to the right where a row has two, then to the next row.
    const uint next_row = stride >> 2, right = across * QUAD_WORDS, step = across != 0u ? right : next_row;
    const uint second = at + step, third = at + (next_row << (1u - across)), fourth = third + step;
    if ((pass.flags & DD_AV1_PASS_ALL) != 0u) {
        const PIXELS a = LOAD_QUAD(dst, at), b = LOAD_QUAD(dst, second);
        const PIXELS c = LOAD_QUAD(dst, third), d = LOAD_QUAD(dst, fourth);
        STORE_QUAD(scratch_b, at, a);
        STORE_QUAD(scratch_b, second, b);
        STORE_QUAD(scratch_b, third, c);
        STORE_QUAD(scratch_b, fourth, d);
        return;
    }
    if (cdef_filters(place, scratch_a[blocks + y8 * w8 + x8])) {
        const PIXELS a = LOAD_QUAD(scratch_a, at), b = LOAD_QUAD(scratch_a, second), c = LOAD_QUAD(scratch_a, third),
                     d = LOAD_QUAD(scratch_a, fourth);
        STORE_QUAD(dst, at, a);
        STORE_QUAD(dst, second, b);
        STORE_QUAD(dst, third, c);
        STORE_QUAD(dst, fourth, d);
    }
}
