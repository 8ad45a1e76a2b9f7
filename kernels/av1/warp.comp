// SPDX-License-Identifier: BSD-2-Clause
//
// Predictions of which at least one source is warped: AV1 specification, clause 7.11.3.5. A record is at most 8x8
// pixels.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "av1/prediction.glsl"
#include "av1/any_source.glsl"

void main() {
    const Work work = find_work(15u);
    const uint record = work.record;
    const uint dst_at = words[record], ctl = words[record + 1u];
    const Cell cell = find_cell(ctl, work.part);
    const Source s = source_plane(cell.plane);
    const bool two = (ctl & DD_AV1_COMPOUND) != 0u;
    vec4 sum[4];
    uvec2 first[4];
    [[unroll]] for (int j = 0; j < 4; j++)
        sum[j] = vec4(0.0);
    [[dont_unroll]] for (uint i = 0u; i < (two ? 2u : 1u); i++) {
        [[unroll]] for (int j = 0; j < 4; j++)
            first[j] = pack_values(intermediate(sum[j]));
        predict_any(read_source(record + 3u + 2u * i), read_warp(record + 7u + 4u * i), s, cell.x, cell.y, sum);
    }
    if (work.none)
        return;
    const uint width = 4u << ((ctl >> DD_AV1_W4_SHIFT) & 3u);
    [[unroll]] for (uint j = 0u; j < 4u; j++) {
        vec4 pixels = to_pixels(sum[j]);
        if (two)
            pixels = combine(unpack_values(first[j]), intermediate(sum[j]),
                             (ctl & DD_AV1_MASKED) != 0u ? mask_weights(words[record + 2u], width, cell.x, cell.y + j)
                                                         : vec4(float((ctl >> DD_AV1_WEIGHT_SHIFT) & 127u)));
        store_row(cell.plane, (dst_at & 0xffffu) + cell.x, (dst_at >> 16) + cell.y + j, pixels);
    }
}
