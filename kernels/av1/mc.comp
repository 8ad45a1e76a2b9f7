// SPDX-License-Identifier: BSD-2-Clause
//
// Predictions by translation. A lane predicts four by four pixels. PAIR: from two references, which are combined by an average,
// by distance, by a mask, or side by side; else from one.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "av1/prediction.glsl"

void predict(uint source_at, Cell cell, Source s, out vec4 sum[4]) {
    const DdAv1RecordSource source = read_source(source_at);
    translate(source, s, low_half(source.at) + int(cell.x), high_half(source.at) + int(cell.y), sum);
}

void main() {
    const Work work = find_work();
    const uint record = push.records + work.index * 7u;
    const uint dst_at = words[record], ctl = words[record + 1u];
    const Cell cell = find_cell(ctl, work.part);
    const Source s = source_plane(cell.plane);
    const uint rows = work.none ? 0u : (ctl & DD_AV1_TWO_ROWS) != 0u ? 2u : 4u;
    vec4 sum[4];
#ifdef PAIR
    const bool halves = (ctl & DD_AV1_HALVES) != 0u;
    uvec2 first[4];
    [[unroll]] for (int j = 0; j < 4; j++)
        first[j] = uvec2(0u);
    [[dont_unroll]] for (uint i = 0u; i < 2u; i++) {
        predict(record + 3u + 2u * i, cell, s, sum);
        if (i == 0u) {
            [[unroll]] for (int j = 0; j < 4; j++)
                first[j] = pack_values(halves ? to_pixels(sum[j]) : intermediate(sum[j]));
        }
    }
    const uint width = 4u << ((ctl >> DD_AV1_W4_SHIFT) & 3u);
#else
    predict(record + 3u, cell, s, sum);
#endif
    [[unroll]] for (uint j = 0u; j < 4u; j++) {
#ifdef PAIR
        vec4 pixels;
        if (halves) {
            pixels = vec4(unpack_values(first[j]).xy, to_pixels(sum[j]).zw);
        } else {
            const vec4 weight = (ctl & DD_AV1_MASKED) != 0u
                                    ? mask_weights(words[record + 2u], width, cell.x, cell.y + j)
                                    : vec4(float((ctl >> DD_AV1_WEIGHT_SHIFT) & 127u));
            pixels = combine(unpack_values(first[j]), intermediate(sum[j]), weight);
        }
#else
        const vec4 pixels = to_pixels(sum[j]);
#endif
        if (j < rows)
            store_row(cell.plane, (dst_at & 0xffffu) + cell.x, (dst_at >> 16) + cell.y + j, pixels);
    }
}
