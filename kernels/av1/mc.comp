// SPDX-License-Identifier: BSD-2-Clause
//
// Predictions by translation. A lane predicts four by four pixels. PAIR: from two references, which are combined by
// an average, by distance, by a mask, or side by side; else from one. A record is that of a plane, or of a block with
// all its planes. DIRECT: its sources are the pictures that are bound first and second; else it names two of six.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "av1/prediction.glsl"

#ifdef PAIR
const uint RECORD_WORDS = 7u, FIRST_SOURCE = 3u;
#else
const uint RECORD_WORDS = 4u, FIRST_SOURCE = 2u;
#endif

// What a lane's plane takes of a record.
struct Target {
    uint x, y;       // of the record, in the plane
    uint ss_h, ss_v; // of whole blocks' chroma, else 0
    uint taps;       // how far those of the plane are from where luma's are
    bool whole;
};

// Clause 7.11.3.3: a vector counts 1/8 pixel of luma, a position 1/16 of the plane.
DdAv1RecordSource find_source(uint at, Target target, out ivec2 from) {
    DdAv1RecordSource source = read_source(at);
    const int x = int(target.x * 16u) + (low_half(source.at) << (1u - target.ss_h));
    const int y = int(target.y * 16u) + (high_half(source.at) << (1u - target.ss_v));
    const uint part = uint(x & 15) << DD_AV1_MX_SHIFT | uint(y & 15) << DD_AV1_MY_SHIFT;
    const uint taps = 7u << DD_AV1_TAPS_X_SHIFT | 7u << DD_AV1_TAPS_Y_SHIFT;
    from = target.whole ? ivec2(x >> 4, y >> 4) : ivec2(low_half(source.at), high_half(source.at));
    if (target.whole)
        source.how = (source.how & (7u << DD_AV1_REF_SHIFT)) | (source.how >> target.taps & taps) | part;
    return source;
}

// `index`: of the source, 0 or 1.
void predict(const uint index, uint record, Target target, Cell cell, Source s, out vec4 sum[4]) {
    ivec2 from;
    const DdAv1RecordSource source = find_source(record + FIRST_SOURCE + 2u * index, target, from);
#ifdef DIRECT
    const uint ref = index;
    const Rows rows = Rows(int(push.first_row[index]), int(push.end_row[index]));
#else
    const uint ref = ref_of(source);
    const Rows rows = ALL_ROWS;
#endif
    translate(ref, rows, source, s, from.x + int(cell.x), from.y + int(cell.y), sum);
}

#ifdef PAIR
// The first prediction of a lane waits in shared memory, which costs V3D less than the spills of a loop over rows that has
// to keep it in registers.
shared uint waiting[8u * 255u];
void put(const uint row, uvec2 values) {
    waiting[510u * row + gl_LocalInvocationIndex] = values.x;
    waiting[510u * row + 255u + gl_LocalInvocationIndex] = values.y;
}
uvec2 get(const uint row) {
    return uvec2(waiting[510u * row + gl_LocalInvocationIndex], waiting[510u * row + 255u + gl_LocalInvocationIndex]);
}

// An intermediate; of predictions side by side, each of which is rounded alone, a pixel that is as large as one.
// Without a branch, in which V3D's compiler would spill for some lanes alone.
vec4 rounded(vec4 sum, bool halves) {
    const float least = halves ? 0.0 : -65536.0, most = halves ? float(PIXEL_MAX) : 65536.0;
    return clamp(floor(sum * (halves ? PIXEL_SCALE : 1.0 / 64.0) + 0.5), least, most) * (halves ? float(1 << MORE_BITS) : 1.0);
}
#endif

void main() {
    const Work work = find_work(RECORD_WORDS);
    const uint record = work.record;
    const uint dst_at = words[record], ctl = words[record + 1u];
    const uint ss_h = work.chroma ? params.ss_h : 0u, ss_v = work.chroma ? params.ss_v : 0u;
    const Target target = Target((dst_at & 0xffffu) >> ss_h, (dst_at >> 16) >> ss_v, ss_h, ss_v,
                                 work.chroma ? DD_AV1_CHROMA_TAPS_X_SHIFT - DD_AV1_TAPS_X_SHIFT : 0u,
                                 (ctl & DD_AV1_WHOLE) != 0u);
    const uint w4 = ((ctl >> DD_AV1_W4_SHIFT) & 3u) - ss_h, h4 = ((ctl >> DD_AV1_H4_SHIFT) & 3u) - ss_v;
    const Cell cell = find_cell(work.part, w4, h4, work.chroma || (ctl & DD_AV1_CHROMA) != 0u);
    const Source s = source_plane(cell.plane);
    const uint rows = work.none ? 0u : (ctl & DD_AV1_TWO_ROWS) != 0u ? 2u : 4u;
    // Found before the prediction: a word is less to keep meanwhile than what it is made of.
    uint dst_word = s.offset + (target.y + cell.y) * s.stride + ((target.x + cell.x) >> 2) * QUAD_WORDS;
    vec4 sum[4];
    predict(0u, record, target, cell, s, sum);
#ifdef PAIR
    const bool halves = (ctl & DD_AV1_HALVES) != 0u;
    [[unroll]] for (uint j = 0u; j < 4u; j++)
        put(j, pack_values(rounded(sum[j], halves)));
    memoryBarrierShared(); // or the compiler keeps them
    predict(1u, record, target, cell, s, sum);
    const bool masked = (ctl & DD_AV1_MASKED) != 0u;
    const float weight = float((ctl >> DD_AV1_WEIGHT_SHIFT) & 127u);
    const vec4 same = halves ? vec4(64.0, 64.0, 0.0, 0.0) : vec4(weight);
    uint mask_word = words[record + 2u] + (cell.y << w4) + (cell.x >> 2);
#endif
    [[unroll]] for (uint j = 0u; j < 4u; j++) {
#ifdef PAIR
        vec4 weights = same;
        if (masked)
            weights = mask_weights(mask_word);
        mask_word += 1u << w4;
        const vec4 pixels = combine(unpack_values(get(j)), rounded(sum[j], halves), weights);
#else
        const vec4 pixels = to_pixels(sum[j]);
#endif
        if (j < rows)
            store_quad(dst_word, pack_quad(ivec4(pixels)));
        dst_word += s.stride;
    }
}
