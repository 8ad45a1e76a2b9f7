// SPDX-License-Identifier: BSD-2-Clause
//
// What CDEF has filtered, from scratch A back to the picture; or, with DD_AV1_PASS_ALL, the whole picture to scratch B, which
// restoration reads. Lanes lie as those of cdef_filter.comp.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "filter.glsl"

void main() {
    const uint w8 = params.w8, h8 = params.h8, blocks = params.blocks;
    const Place place = place_of_lane();
    const BlockQuad own = block_quad(place);
    if (own.x8 >= w8 || own.y8 >= h8)
        return;
    const uint stride = place.luma ? pass.stride[0] : pass.stride[1];
    const uint at = (place.offset + own.y * stride + own.x * BYTES) >> 2;
    if ((pass.flags & DD_AV1_PASS_ALL) != 0u) {
        STORE_QUAD(scratch_b, at, LOAD_QUAD(dst, at));
        return;
    }
    if (cdef_filters(place, scratch_a[blocks + own.y8 * w8 + own.x8]))
        STORE_QUAD(dst, at, LOAD_QUAD(scratch_a, at));
}
