// SPDX-License-Identifier: BSD-2-Clause
//
// Predictions by translation as in mc.comp, whose sources are the pictures that are bound first and second, whose
// filters have no more than six taps, and whose pairs are combined by an average or by distance. A lane predicts four
// by eight pixels; of planes with four rows it stores those.
#version 450
#extension GL_GOOGLE_include_directive : require
#define ROW_TAPS 6
#define CELL_ROWS 8u
#include "av1/translation.glsl"

const int PENDING = ROW_TAPS - 1; // rows of results that a row adds to, but for the one that it completes

// Reads a source from the top down.
struct Reader {
    Taps h, v;
    Span span;
    int y;
    vec4 pending[PENDING];
};

// Row of a reader's loop that completes the first result is 0.
int first_row(const uint index) { return push.still[index] != 0u ? 0 : -PENDING; }

Reader open_source(const uint index, uint record, Place p) {
    ivec2 from;
    const DdAv1RecordSource source = find_source(record + FIRST_SOURCE + 2u * index, p.target, from);
    Reader reader;
    reader.h = load_taps(taps_x_of(source), ROW_SCALE);
    reader.v = load_taps(taps_y_of(source), 1.0);
    reader.y = from.y + int(p.cell.y);
    if (push.still[index] != 0u) { // a row completes its own result
        reader.v.pair[0] = reader.v.pair[1] = 0u;
        reader.v.pair[2] = packHalf2x16(vec2(0.0, 64.0));
    } else {
        reader.y -= ROW_TAPS / 2 - 1;
    }
    reader.span = span_of(p.s, from.x + int(p.cell.x) - (ROW_TAPS / 2 - 1));
    [[unroll]] for (int i = 0; i < PENDING; i++)
        reader.pending[i] = vec4(0.0);
    return reader;
}

// The sums that the next row completes.
vec4 next_row(const uint ref, inout Reader reader, Source s) {
    float p[12];
    fetch_row(ref, s, reader.span, reader.y, p);
    reader.y++;
    const vec4 mid = filter_row(p, reader.h);
    const vec4 done = reader.pending[0] + mid * tap(reader.v, PENDING);
    [[unroll]] for (int i = 1; i < PENDING; i++)
        reader.pending[i - 1] = reader.pending[i] + mid * tap(reader.v, PENDING - i);
    reader.pending[PENDING - 1] = mid * tap(reader.v, 0);
    return done;
}

#ifdef PAIR
void predict_first(Work work) {
    const Place p = place_of(work, words[work.record], words[work.record + 1u]);
    Reader reader = open_source(0u, work.record, p);
    [[dont_unroll]] for (int row = first_row(0u); row < int(CELL_ROWS); row++) {
        const vec4 sum = next_row(0u, reader, p.s);
        if (row >= 0)
            put(uint(row), pack_values(intermediate(sum)));
    }
    memoryBarrierShared(); // or the compiler keeps them
}
#endif

void main() {
#ifdef PAIR
    const uint last = 1u;
    predict_first(find_work(RECORD_WORDS));
    const Work work = find_work_again();
    const uint dst_at = again[work.record], ctl = again[work.record + 1u];
    const vec4 weight = vec4(float((ctl >> DD_AV1_WEIGHT_SHIFT) & 127u));
#else
    const uint last = 0u;
    const Work work = find_work(RECORD_WORDS);
    const uint dst_at = words[work.record], ctl = words[work.record + 1u];
#endif
    const Place p = place_of(work, dst_at, ctl);
    uint dst_word = p.dst_word;
    Reader reader = open_source(last, work.record, p);
    [[dont_unroll]] for (int row = first_row(last); row < int(CELL_ROWS); row++) {
        const vec4 sum = next_row(last, reader, p.s);
        if (row < 0)
            continue;
#ifdef PAIR
        const vec4 pixels = combine(unpack_values(get(uint(row))), intermediate(sum), weight);
#else
        const vec4 pixels = to_pixels(sum);
#endif
        if (uint(row) < p.rows)
            store_quad(dst_word, pack_quad(ivec4(pixels)));
        dst_word += p.s.stride;
    }
}
