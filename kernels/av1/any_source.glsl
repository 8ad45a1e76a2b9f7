// SPDX-License-Identifier: BSD-2-Clause
//
// Warped sources (AV1 specification, clause 7.11.3.5), and translations by the same code: all their pixels take the
// same taps. A branch between them would make V3D's compiler spill what it needs.
#define WAITING_ROWS 8u
#include "av1/waiting.glsl"

// Where a source's taps lie, and how they change from pixel to pixel: 1/1024 of a pixel.
struct Walk {
    uint taps_x, taps_y; // words of a table's rows, from position -64 on
    int mx, alpha, beta, my, gamma, delta;
    bool warped;
    int x, y;   // of the cell in the source's plane
};

uint taps_at(uint table, int position) { return table + uint(clamp(64 + ((position + 512) >> 10), 0, 192)) * 2u; }

// x, y: the cell inside the record.
Walk walk_of(DdAv1RecordSource source, DdAv1RecordWarp w, uint x, uint y) {
    const bool warped = (source.how & DD_AV1_WARPED) != 0u;
    Walk walk;
    walk.warped = warped;
    walk.x = int(x + (warped ? ((source.how >> DD_AV1_CELL_X_SHIFT) & 1u) * 4u : 0u));
    walk.y = int(y + (warped ? ((source.how >> DD_AV1_CELL_Y_SHIFT) & 1u) * 4u : 0u));
    const uint alpha_beta = warped ? w.alpha_beta : 0u, gamma_delta = warped ? w.gamma_delta : 0u;
    walk.alpha = low_half(alpha_beta);
    walk.beta = high_half(alpha_beta);
    walk.gamma = low_half(gamma_delta);
    walk.delta = high_half(gamma_delta);
    walk.mx = (warped ? w.mx : 0) + walk.beta * walk.y + walk.alpha * walk.x;
    walk.my = (warped ? w.my : 0) + walk.delta * walk.y + walk.gamma * walk.x;
    walk.taps_x = warped ? DD_AV1_WARP_TAPS : taps_x_of(source) - 128u; // 64 rows before
    walk.taps_y = warped ? DD_AV1_WARP_TAPS : taps_y_of(source) - 128u;
    walk.x += low_half(source.at);
    walk.y += high_half(source.at);
    return walk;
}

// A prediction's four rows wait from `first` on: intermediates, or pixels if it is the only one.
void predict_any(uint first, bool only, DdAv1RecordSource source, DdAv1RecordWarp w, Source s, uint x, uint y) {
    const uint ref = ref_of(source);
    Walk walk = walk_of(source, w, x, y);
    const Span span = span_of(s, walk.x - 3);
    // Taps add up to 128 or to 64.
    const float bias = (walk.warped ? -128.0 : -64.0) * PIXEL_BIAS;
    const float row_scale = (walk.warped ? 1.0 / 128.0 : 1.0 / 64.0) * float(1 << MORE_BITS);
    const float scale = (walk.warped ? 1.0 / 128.0 : 1.0 / 64.0) * (only ? 64.0 * PIXEL_SCALE : 1.0);
    uvec2 window[8]; // the last rows, packed
    [[unroll]] for (int t = 0; t < 8; t++)
        window[t] = uvec2(0u);
    [[dont_unroll]] for (int row = 0; row < 11; row++) {
        float p[12];
        fetch_row(ref, s, span, walk.y - 3 + row, p);
        [[unroll]] for (int t = 0; t < 7; t++)
            window[t] = window[t + 1];
        vec4 mid = vec4(0.0);
        [[unroll]] for (int i = 0; i < 4; i++) {
            const uint at = taps_at(walk.taps_x, walk.mx + walk.alpha * i);
            const uint taps[2] = uint[2](words[at], words[at + 1u]);
            float column = bias;
            [[unroll]] for (int t = 0; t < 8; t++)
                column += p[t] * tap_of(taps[t >> 2], uint(t & 3));
            mid = vec4(mid.yzw, floor(column * row_scale + 0.5));
            [[unroll]] for (int t = 0; t < 10; t++)
                p[t] = p[t + 1];
        }
        walk.mx += walk.beta;
        window[7] = pack_values(mid);
        if (row < 7)
            continue;
        vec4 sum = vec4(0.0);
        [[unroll]] for (int i = 0; i < 4; i++) {
            const uint at = taps_at(walk.taps_y, walk.my + walk.gamma * i);
            const uint taps[2] = uint[2](words[at], words[at + 1u]);
            float column = 0.0;
            [[unroll]] for (int t = 0; t < 8; t++)
                column += unpack_value(window[t], uint(i)) * tap_of(taps[t >> 2], uint(t & 3));
            sum = vec4(sum.yzw, column);
        }
        walk.my += walk.delta;
        sum = floor(sum * scale + 0.5);
        put(first + uint(row) - 7u, pack_values(only ? clamp(sum, 0.0, float(PIXEL_MAX)) : sum));
    }
    memoryBarrierShared(); // or the compiler keeps them
}
