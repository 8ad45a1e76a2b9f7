// SPDX-License-Identifier: BSD-2-Clause
//
// Overlapped motion compensation: AV1 specification, clause 7.11.3.10. The block's own prediction, over it that of the
// neighbour above, over both that of the neighbour to the left.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "av1/prediction.glsl"
const uint RECORD_WORDS = 8u;
#define WAITING_ROWS 8u
#include "av1/waiting.glsl"

float overlap_weight(uint index) { return float((words[DD_AV1_OVERLAP + index / 4u] >> (index & 3u) * 8u) & 255u); }

vec4 overlap_weights(uint index) {
    return vec4(overlap_weight(index), overlap_weight(index + 1u), overlap_weight(index + 2u),
                overlap_weight(index + 3u));
}

vec4 blend(vec4 below, vec4 over, vec4 weight) {
    return floor((below * (64.0 - weight) + over * weight) * (1.0 / 64.0) + 0.5);
}

// The four rows of source i: own ones are the result so far, a neighbour's wait behind it.
void predict(uint i, Work work) {
    const Cell cell = find_cell(again[work.record + 1u], work.part);
    const Source s = source_plane(cell.plane);
    const DdAv1RecordSource source = read_source(work.record + 2u + 2u * i);
    vec4 sum[4];
    translate(source, s, low_half(source.at) + int(cell.x), high_half(source.at) + int(cell.y), sum);
    [[unroll]] for (uint j = 0u; j < 4u; j++)
        put((i == 0u ? 0u : 4u) + j, pack_values(to_pixels(sum[j])));
    memoryBarrierShared(); // or the compiler keeps them
}

// A neighbour's pixels go over the result; without a neighbour nothing does.
void overlay(uint i, Work work) {
    const uint ctl = again[work.record + 1u];
    const Cell cell = find_cell(ctl, work.part);
    const uint above = (ctl >> DD_AV1_ABOVE_SHIFT) & 127u, left = (ctl >> DD_AV1_LEFT_SHIFT) & 127u;
    const vec4 columns = left == 0u ? vec4(0.0) : overlap_weights(left + cell.x);
    [[dont_unroll]] for (uint j = i == 0u ? 4u : 0u; j < 4u; j++) {
        const vec4 weight = i == 1u ? vec4(above == 0u ? 0.0 : overlap_weight(above + cell.y + j)) : columns;
        put(j, pack_values(blend(unpack_values(get(j)), unpack_values(get(4u + j)), weight)));
    }
    memoryBarrierShared();
}

void main() {
    // All lanes do all three: V3D's compiler spills what a loop inside of a branch needs.
    [[dont_unroll]] for (uint i = 0u; i < 3u; i++) {
        predict(i, find_work_again());
        overlay(i, find_work_again());
    }
    const Work work = find_work_again();
    const uint dst_at = again[work.record], ctl = again[work.record + 1u];
    const Cell cell = find_cell(ctl, work.part);
    const Source s = source_plane(cell.plane);
    const uint rows = work.none ? 0u : (ctl & DD_AV1_TWO_ROWS) != 0u ? 2u : 4u;
    uint dst_word = word_of(s, (dst_at & 0xffffu) + cell.x, (dst_at >> 16) + cell.y);
    [[dont_unroll]] for (uint j = 0u; j < 4u; j++) {
        if (j < rows)
            store_quad(dst_word, pack_quad(ivec4(unpack_values(get(j)))));
        dst_word += s.stride;
    }
}
