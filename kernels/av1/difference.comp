// SPDX-License-Identifier: BSD-2-Clause
//
// Difference-weighted compound: AV1 specification, clauses 7.11.3.12 and 7.11.3.14. Chroma's mask is luma's, made
// smaller: a lane predicts the cells of luma that lie under a cell of chroma, keeps the sums of their weights, and
// goes on with both planes of chroma.
#version 450
#extension GL_GOOGLE_include_directive : require
// Unrolled, the columns of a warp would need more registers than V3D has beside the two predictions.
#define WARP_COLUMNS [[dont_unroll]]
#include "av1/prediction.glsl"
#include "av1/any_source.glsl"

// Rounded as the specification has it: a difference of predictions, in pixels of 8 bits, adds its sixteenth.
vec4 difference_weights(vec4 a, vec4 b) {
    const int shift = BITS + MORE_BITS - 4;
    const vec4 difference = abs(a - b);
    return min(38.0 + floor((difference + float(1 << (shift - 5))) * (1.0 / float(1 << shift))), 64.0);
}

void main() {
    const Work work = find_work(26u);
    const uint record = work.record;
    const uint dst_at = words[record], ctl = words[record + 1u];
    const uint x = dst_at & 0xffffu, y = dst_at >> 16;
    const uint columns = 1u << params.ss_h, cells = columns << params.ss_v;
    const uint log2 = params.ss_h + params.ss_v;
    const float round = log2 == 0u ? 0.0 : float(log2) - ((ctl & DD_AV1_SIGN) != 0u ? 1.0 : 0.0);
    vec4 chroma_weight[4]; // sums of luma's
    [[unroll]] for (uint j = 0u; j < 4u; j++)
        chroma_weight[j] = vec4(0.0);

    // The cells of luma, then one of U and one of V: one loop, for the code is long.
    const uint end = cells + ((ctl & DD_AV1_HAS_CHROMA) != 0u ? 2u : 0u);
    [[dont_unroll]] for (uint cell = 0u; cell < end; cell++) {
        const bool luma = cell < cells;
        const uint plane = luma ? 0u : cell - cells + 1u;
        const uint cell_x = luma ? cell & (columns - 1u) : 0u, cell_y = luma ? cell >> params.ss_h : 0u;
        const Source s = source_plane(plane);
        vec4 sum[4];
        uvec2 first[4];
        [[unroll]] for (int j = 0; j < 4; j++)
            sum[j] = vec4(0.0);
        [[dont_unroll]] for (uint i = 0u; i < 2u; i++) {
            const uint source = record + (luma ? 2u : 14u);
            [[unroll]] for (int j = 0; j < 4; j++)
                first[j] = pack_values(intermediate(sum[j]));
            predict_any(read_source(source + 2u * i), read_warp(source + 4u + 4u * i), s, cell_x * 4u, cell_y * 4u, sum);
        }
        vec4 weight[4];
        [[unroll]] for (uint j = 0u; j < 4u; j++) {
            const vec4 a = unpack_values(first[j]), b = intermediate(sum[j]);
            weight[j] = luma ? difference_weights(a, b)
                             : floor((chroma_weight[j] + round) * (1.0 / float(1u << log2)));
            if (!work.none)
                store_row(plane, (luma ? x : x >> params.ss_h) + cell_x * 4u,
                          (luma ? y : y >> params.ss_v) + cell_y * 4u + j, combine(a, b, weight[j]));
        }
        if (!luma)
            continue;
        vec4 small[4];
        [[unroll]] for (uint j = 0u; j < 4u; j++) {
            const vec2 pairs = vec2(weight[j].x + weight[j].y, weight[j].z + weight[j].w);
            small[j] = params.ss_h == 0u ? weight[j] : cell_x == 0u ? vec4(pairs, 0.0, 0.0) : vec4(0.0, 0.0, pairs);
        }
        if (params.ss_v == 0u) {
            [[unroll]] for (uint j = 0u; j < 4u; j++)
                chroma_weight[j] += small[j];
        } else if (cell_y == 0u) {
            chroma_weight[0] += small[0] + small[1];
            chroma_weight[1] += small[2] + small[3];
        } else {
            chroma_weight[2] += small[0] + small[1];
            chroma_weight[3] += small[2] + small[3];
        }
    }
}
