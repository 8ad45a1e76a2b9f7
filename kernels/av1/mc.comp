// SPDX-License-Identifier: BSD-2-Clause
//
// Predictions by translation. A lane predicts four by four pixels. PAIR: from two references, which are combined by
// an average, by distance, by a mask, or side by side; else from one. A record is that of a plane, or of a block with
// all its planes. Its sources are any of six references.
#version 450
#extension GL_GOOGLE_include_directive : require
#define CELL_ROWS 4u
#include "av1/translation.glsl"

// `index`: of the source, 0 or 1.
void predict(const uint index, uint record, Place p, out vec4 sum[4]) {
    ivec2 from;
    const DdAv1RecordSource source = find_source(record + FIRST_SOURCE + 2u * index, p.target, from);
    translate(source, p.s, from.x + int(p.cell.x), from.y + int(p.cell.y), sum);
}

#ifdef PAIR
// An intermediate; of predictions side by side, each of which is rounded alone, a pixel that is as large as one.
// Without a branch, in which V3D's compiler would spill for some lanes alone.
vec4 rounded(vec4 sum, bool halves) {
    const float least = halves ? 0.0 : -65536.0, most = halves ? float(PIXEL_MAX) : 65536.0;
    return clamp(floor(sum * (halves ? PIXEL_SCALE : 1.0 / 64.0) + 0.5), least, most) *
           (halves ? float(1 << MORE_BITS) : 1.0);
}

void predict_first(Work work) {
    const uint ctl = words[work.record + 1u];
    vec4 sum[4];
    predict(0u, work.record, place_of(work, words[work.record], ctl), sum);
    [[unroll]] for (uint j = 0u; j < 4u; j++)
        put(j, pack_values(rounded(sum[j], (ctl & DD_AV1_HALVES) != 0u)));
    memoryBarrierShared(); // or the compiler keeps them
}
#endif

void main() {
    vec4 sum[4];
#ifdef PAIR
    predict_first(find_work(RECORD_WORDS));
    const Work work = find_work_again();
    const uint dst_at = again[work.record], ctl = again[work.record + 1u];
    const Place p = place_of(work, dst_at, ctl);
    predict(1u, work.record, p, sum);
    const bool halves = (ctl & DD_AV1_HALVES) != 0u, masked = (ctl & DD_AV1_MASKED) != 0u;
    const vec4 same = halves ? vec4(64.0, 64.0, 0.0, 0.0) : vec4(float((ctl >> DD_AV1_WEIGHT_SHIFT) & 127u));
    uint mask_word = words[work.record + 2u] + (p.cell.y << p.w4) + (p.cell.x >> 2);
#else
    const Work work = find_work(RECORD_WORDS);
    const Place p = place_of(work, words[work.record], words[work.record + 1u]);
    predict(0u, work.record, p, sum);
#endif
    uint dst_word = p.dst_word;
    [[unroll]] for (uint j = 0u; j < 4u; j++) {
#ifdef PAIR
        vec4 weights = same;
        if (masked)
            weights = mask_weights(mask_word);
        mask_word += 1u << p.w4;
        const vec4 pixels = combine(unpack_values(get(j)), rounded(sum[j], halves), weights);
#else
        const vec4 pixels = to_pixels(sum[j]);
#endif
        if (j < p.rows)
            store_quad(dst_word, pack_quad(ivec4(pixels)));
        dst_word += p.s.stride;
    }
}
