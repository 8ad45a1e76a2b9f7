// SPDX-License-Identifier: BSD-2-Clause
//
// Predictions of which at least one source is warped: AV1 specification, clause 7.11.3.5. A record is at most 8x8
// pixels.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "av1/prediction.glsl"

const uint RECORD_WORDS = 15u;
#include "av1/any_source.glsl"

void predict(uint i, Work work) {
    const uint record = work.record, ctl = again[record + 1u];
    const Cell cell = find_cell(ctl, work.part);
    predict_any(4u * i, (ctl & DD_AV1_COMPOUND) == 0u, read_source(record + 3u + 2u * i),
                read_warp(record + 7u + 4u * i), source_plane(cell.plane), cell.x, cell.y);
}

void main() {
    [[dont_unroll]] for (uint i = 0u; i < push.turns; i++)
        predict(i, find_work_again());
    const Work work = find_work_again();
    const uint record = work.record, dst_at = again[record], ctl = again[record + 1u];
    const Cell cell = find_cell(ctl, work.part);
    const Source s = source_plane(cell.plane);
    const uint width = 4u << ((ctl >> DD_AV1_W4_SHIFT) & 3u);
    const bool two = (ctl & DD_AV1_COMPOUND) != 0u, masked = (ctl & DD_AV1_MASKED) != 0u;
    uint dst_word = word_of(s, (dst_at & 0xffffu) + cell.x, (dst_at >> 16) + cell.y);
    [[dont_unroll]] for (uint j = 0u; j < 4u; j++) {
        vec4 pixels = unpack_values(get(j));
        if (two)
            pixels = combine(pixels, unpack_values(get(4u + j)),
                             masked ? mask_weights(words[record + 2u], width, cell.x, cell.y + j)
                                    : vec4(float((ctl >> DD_AV1_WEIGHT_SHIFT) & 127u)));
        if (!work.none)
            store_quad(dst_word, pack_quad(ivec4(pixels)));
        dst_word += s.stride;
    }
}
