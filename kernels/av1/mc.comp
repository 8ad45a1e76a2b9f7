// SPDX-License-Identifier: BSD-2-Clause
//
// Predictions by translation from one or two references, combined by an average, by distance or by a mask. A lane predicts
// four by four pixels.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "av1/prediction.glsl"

void main() {
    const Work work = find_work();
    const uint record = push.records + work.index * 7u;
    const uint dst_at = words[record], ctl = words[record + 1u];
    const Cell cell = find_cell(ctl, work.part);
    const Source s = source_plane(cell.plane);
    vec4 a[4], b[4]; // b is the last one
    const bool two = (ctl & (DD_AV1_COMPOUND | DD_AV1_HALVES)) != 0u;
    [[dont_unroll]] for (uint i = 0u; i < (two ? 2u : 1u); i++) {
        const DdAv1RecordSource source = read_source(record + 3u + 2u * i);
        a = b;
        translate(source, s, low_half(source.at) + int(cell.x), high_half(source.at) + int(cell.y), b);
    }
    const uint rows = work.none ? 0u : (ctl & DD_AV1_TWO_ROWS) != 0u ? 2u : 4u;
    const uint width = 4u << ((ctl >> DD_AV1_W4_SHIFT) & 3u);
    [[unroll]] for (uint j = 0u; j < 4u; j++) {
        vec4 pixels = to_pixels(b[j]);
        if ((ctl & DD_AV1_HALVES) != 0u) {
            pixels = vec4(to_pixels(a[j]).xy, pixels.zw);
        } else if (two) {
            const vec4 weight = (ctl & DD_AV1_MASKED) != 0u
                                    ? mask_weights(words[record + 2u], width, cell.x, cell.y + j)
                                    : vec4(float((ctl >> DD_AV1_WEIGHT_SHIFT) & 127u));
            pixels = combine(a[j], b[j], weight);
        }
        if (j < rows)
            store_row(cell.plane, (dst_at & 0xffffu) + cell.x, (dst_at >> 16) + cell.y + j, pixels);
    }
}
