// SPDX-License-Identifier: BSD-2-Clause
//
// Difference-weighted compound: AV1 specification, clauses 7.11.3.12 and 7.11.3.14. Chroma's mask is luma's, made
// smaller: a lane predicts the cells of luma that lie under a cell of chroma, keeps the sums of their weights, and
// goes on with both planes of chroma.
#version 450
#extension GL_GOOGLE_include_directive : require
#define LANES DD_AV1_DIFFERENCE_LANES
#include "av1/prediction.glsl"

const uint RECORD_WORDS = 26u;
#include "av1/any_source.glsl"

const float LEAST_WEIGHT = 38.0;

// Rounded as the specification has it: a difference of predictions, in pixels of 8 bits, adds its sixteenth.
vec4 difference_weights(vec4 a, vec4 b) {
    const int shift = BITS + MORE_BITS - 4;
    const vec4 difference = abs(a - b);
    return min(LEAST_WEIGHT + floor((difference + float(1 << (shift - 5))) * (1.0 / float(1 << shift))), 64.0);
}

// What a turn of the loop predicts: a cell of luma, or that of U or V.
struct Turn {
    bool luma;
    uint plane, x, y; // of the cell inside the record, pixels
};

Turn turn_of(uint turn) {
    const uint cells = 1u << params.ss_h << params.ss_v;
    const bool luma = turn < cells;
    return Turn(luma, luma ? 0u : turn - cells + 1u, luma ? (turn & params.ss_h) * 4u : 0u,
                luma ? (turn >> params.ss_h) * 4u : 0u);
}

void predict(uint i, Turn turn, Work work) {
    const uint at = work.record + (turn.luma ? 2u : 14u);
    const DdAv1RecordSource source = read_source(at + 2u * i);
    const Source s = source_plane(turn.plane);
    if (push.warped != 0u) { // in all lanes alike
        predict_any(4u * i, false, source, read_warp(at + 4u + 4u * i), s, turn.x, turn.y);
        return;
    }
    vec4 sum[4];
    translate(source, s, low_half(source.at) + int(turn.x), high_half(source.at) + int(turn.y), sum);
    [[unroll]] for (uint row = 0u; row < 4u; row++)
        put(4u * i + row, pack_values(intermediate(sum[row])));
    memoryBarrierShared(); // or the compiler keeps them
}

// Adds the weights of a row of luma to the sums that chroma's weights are made of: bytes, without the least weight.
void add_weights(Turn turn, uint row, vec4 weight, inout uvec4 sums) {
    const uvec4 more = uvec4(weight - LEAST_WEIGHT);
    const uint pair = more.x + more.y | (more.z + more.w) << 8;
    const uint word = params.ss_h == 0u ? more.x | more.y << 8 | more.z << 16 | more.w << 24 : pair << 4u * turn.x;
    const uint to = (turn.y + row) >> params.ss_v;
    [[unroll]] for (uint k = 0u; k < 4u; k++)
        sums[k] += k == to ? word : 0u;
}

vec4 chroma_weights(uint ctl, uint row, uvec4 sums) {
    const uint log2 = params.ss_h + params.ss_v;
    const float round = log2 == 0u ? 0.0 : float(log2) - ((ctl & DD_AV1_SIGN) != 0u ? 1.0 : 0.0);
    uint word = sums[0];
    [[unroll]] for (uint k = 1u; k < 4u; k++)
        word = k == row ? sums[k] : word;
    const vec4 sum = vec4(word & 255u, (word >> 8) & 255u, (word >> 16) & 255u, word >> 24);
    return LEAST_WEIGHT + floor((sum + round) * (log2 == 0u ? 1.0 : log2 == 1u ? 0.5 : 0.25));
}

void combine_cell(Turn turn, Work work, inout uvec4 sums) {
    const uint dst_at = again[work.record], ctl = again[work.record + 1u];
    const uint ss_h = turn.luma ? 0u : params.ss_h, ss_v = turn.luma ? 0u : params.ss_v;
    const Source s = source_plane(turn.plane);
    const bool stored = !work.none && (turn.luma || (ctl & DD_AV1_HAS_CHROMA) != 0u);
    uint dst_word = word_of(s, ((dst_at & 0xffffu) >> ss_h) + turn.x, (dst_at >> 16 >> ss_v) + turn.y);
    [[dont_unroll]] for (uint row = 0u; row < 4u; row++) {
        const vec4 a = unpack_values(get(row)), b = unpack_values(get(4u + row));
        vec4 weight;
        if (turn.luma) {
            weight = difference_weights(a, b);
            add_weights(turn, row, weight, sums);
        } else {
            weight = chroma_weights(ctl, row, sums);
        }
        if (stored)
            store_quad(dst_word, pack_quad(ivec4(combine(a, b, weight))));
        dst_word += s.stride;
    }
}

void main() {
    uvec4 sums = uvec4(0u);
    [[dont_unroll]] for (uint i = 0u; i < push.turns; i++) {
        const Turn turn = turn_of(i);
        [[dont_unroll]] for (uint source = 0u; source < 2u; source++)
            predict(source, turn, find_work_again());
        combine_cell(turn, find_work_again(), sums);
    }
}
