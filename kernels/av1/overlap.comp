// SPDX-License-Identifier: BSD-2-Clause
//
// Overlapped motion compensation: AV1 specification, clause 7.11.3.10. The block's own prediction, over it that of the
// neighbour above, over both that of the neighbour to the left.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "av1/prediction.glsl"

float overlap_weight(uint index) { return float((words[DD_AV1_OVERLAP + index / 4u] >> (index & 3u) * 8u) & 255u); }

vec4 blend(vec4 below, vec4 over, vec4 weight) {
    return floor((below * (64.0 - weight) + over * weight) * (1.0 / 64.0) + 0.5);
}

void main() {
    const Work work = find_work(8u);
    const uint record = work.record;
    const uint dst_at = words[record], ctl = words[record + 1u];
    const Cell cell = find_cell(ctl, work.part);
    const Source s = source_plane(cell.plane);
    const uint above = (ctl >> DD_AV1_ABOVE_SHIFT) & 127u, left = (ctl >> DD_AV1_LEFT_SHIFT) & 127u;

    uvec2 pixels[4];
    [[unroll]] for (int j = 0; j < 4; j++)
        pixels[j] = uvec2(0u);
    [[dont_unroll]] for (uint i = 0u; i < 3u; i++) {
        if ((i == 1u && above == 0u) || (i == 2u && left == 0u))
            continue;
        const DdAv1RecordSource source = read_source(record + 2u + 2u * i);
        vec4 sum[4];
        translate(ref_of(source), ALL_ROWS, source, s, low_half(source.at) + int(cell.x), high_half(source.at) + int(cell.y), sum);
        [[unroll]] for (uint j = 0u; j < 4u; j++) {
            vec4 weight = vec4(64.0);
            if (i == 1u) {
                weight = vec4(overlap_weight(above + cell.y + j));
            } else if (i == 2u) {
                const uint at = left + cell.x;
                weight = vec4(overlap_weight(at), overlap_weight(at + 1u), overlap_weight(at + 2u),
                              overlap_weight(at + 3u));
            }
            pixels[j] = pack_values(blend(unpack_values(pixels[j]), to_pixels(sum[j]), weight));
        }
    }
    if (work.none)
        return;
    [[unroll]] for (uint j = 0u; j < 4u; j++)
        if (j < 2u || (ctl & DD_AV1_TWO_ROWS) == 0u)
            store_row(cell.plane, (dst_at & 0xffffu) + cell.x, (dst_at >> 16) + cell.y + j,
                      unpack_values(pixels[j]));
}
