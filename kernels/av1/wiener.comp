// SPDX-License-Identifier: BSD-2-Clause
//
// Loop restoration by Wiener's filters, and what restoration leaves as it is. AV1 specification, clause 7.17.4. A lane
// takes four quads, one below the other: they lie in one stripe and in one restoration unit. Sixteen lanes lie side by
// side. Self-guided units are self_guided.comp's.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "filter.glsl"
#include "restoration.glsl"

const int kLaneRows = 4;

#if BYTES == 1
// Half floats with the exponent of 1024, which V3D takes as they are.
const float kBias = 1024.0;
vec4 values(PIXELS q) {
    const vec2 even = unpackHalf2x16((q & 0x00ff00ffu) + 0x64006400u);
    const vec2 odd = unpackHalf2x16((q >> 8 & 0x00ff00ffu) + 0x64006400u);
    return vec4(even.x, odd.x, even.y, odd.y);
}
#else
const float kBias = 0.0;
vec4 values(PIXELS q) { return vec4(q.x & 0xffffu, q.x >> 16, q.y & 0xffffu, q.y >> 16); }
#endif

struct Filter {
    vec4 across, down;        // taps 0 and 6, 1 and 5, 2 and 4, 3
    float offset, scale, top; // between the two directions
};

int signed_byte(uint word, int i) { return bitfieldExtract(int(word), 8 * i, 8); }

vec4 taps_of(uint word) {
    const int a = signed_byte(word, 0), b = signed_byte(word, 1), c = signed_byte(word, 2);
    return vec4(a, b, c, 128 - 2 * (a + b + c));
}

float sum[4 * kLaneRows];

// What a row of input adds to the lane's rows; 0 is three above the first.
void add_row(const Lane l, const Filter f, const int row) {
    const Quads q = load_row(l, row - 3, kLaneRows);
    const vec4 left = values(q.left), own = values(q.own), right = values(q.right);
    const float p[12] = {left.x, left.y, left.z, left.w, own.x, own.y, own.z, own.w,
                         right.x, right.y, right.z, right.w};
    [[unroll]] for (int i = 0; i < 4; i++) {
        const float s = f.across.x * (p[i + 1] + p[i + 7]) + f.across.y * (p[i + 2] + p[i + 6]) +
                        f.across.z * (p[i + 3] + p[i + 5]) + f.across.w * p[i + 4];
        const float v = clamp(floor((s + f.offset) * f.scale), 0.0, f.top);
        [[unroll]] for (int j = 0; j < kLaneRows; j++)
            if (row >= j && row <= j + 6)
                sum[4 * j + i] += f.down[3 - abs(row - j - 3)] * v;
    }
}

// All sums are exact in fp32: taps' magnitudes are 376 at most in all, what they weigh less than 2^15.
void filter_quads(const Lane l) {
    const int depth = BITS, rounding = depth == 12 ? 5 : 3, last_rounding = depth == 12 ? 9 : 11;
    Filter f;
    f.across = taps_of(words[l.tile.unit + 1u]);
    f.down = taps_of(words[l.tile.unit + 2u]);
    f.offset = float((1 << (depth + 6)) + (1 << (rounding - 1))) - 128.0 * kBias;
    f.scale = 1.0 / float(1 << rounding);
    f.top = float((1 << (depth + 8 - rounding)) - 1);
    [[unroll]] for (int i = 0; i < 4 * kLaneRows; i++)
        sum[i] = float((1 << (last_rounding - 1)) - (1 << (depth + last_rounding - 1)));
    // Not a loop: V3D's compiler leaves one that has another in it as it is.
    add_row(l, f, 0);
    add_row(l, f, 1);
    add_row(l, f, 2);
    add_row(l, f, 3);
    add_row(l, f, 4);
    add_row(l, f, 5);
    add_row(l, f, 6);
    add_row(l, f, 7);
    add_row(l, f, 8);
    add_row(l, f, 9);
    const float last_scale = 1.0 / float(1 << last_rounding), most = float((1 << depth) - 1);
    [[unroll]] for (int row = 0; row < kLaneRows; row++) {
        PIXELS q = PIXELS(0u);
        [[unroll]] for (uint i = 0u; i < 4u; i++)
            q = with_pixel(q, i, uint(clamp(floor(sum[4u * uint(row) + i] * last_scale), 0.0, most)));
        store_row(l, row, q);
    }
}

void copy_quads(const Lane l) {
    [[unroll]] for (int row = 0; row < kLaneRows; row++)
        store_row(l, row, load_quads(l, l.tile.y + row, false).own);
}

void main() {
    const Place place = place_of_lane();
    const Lane l = lane_at(place, kLaneRows);
    if (!lane_has_pixels(l))
        return;
    const uint kind = place.filtered ? words[l.tile.unit] : DD_AV1_UNIT_NONE;
    if (kind == DD_AV1_UNIT_NONE)
        copy_quads(l);
    else if (kind == DD_AV1_UNIT_WIENER)
        filter_quads(l);
}
