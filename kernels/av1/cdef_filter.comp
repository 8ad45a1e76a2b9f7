// SPDX-License-Identifier: BSD-2-Clause
//
// CDEF of a whole frame from the decisions of cdef_direction.comp. AV1 specification, clause 7.15.2. A lane owns four
// pixels of a row. There is no table: the steps of the eight directions are packed into literals.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "filter.glsl"

void store(uint at, PIXELS q) {
    if ((pass.flags & DD_AV1_PASS_TO_DST) != 0u)
        STORE_QUAD(dst, at, q);
    else
        STORE_QUAD(scratch_a, at, q);
}

// Where a plane's pixels can be read: the frame in whole 8x8 blocks of luma.
struct Frame {
    uint first; // word of row 0
    uint step;  // words from a row to the next
    int columns;
    int rows;
};

// Four pixels that start at any column.
PIXELS load_at(const Frame f, int x, int y) {
#if BYTES == 1
    const uint at = uint(int(f.first) + y * int(f.step) + (x >> 2));
    const int shift = 8 * (x & 3);
    const uint low = scratch_b[at], high = scratch_b[at + 1u];
    return shift == 0 ? low : (low >> shift) | (high << (32 - shift));
#else
    const uint at = uint(int(f.first) + y * int(f.step) + (x >> 1));
    const uint a = scratch_b[at], b = scratch_b[at + 1u], c = scratch_b[at + 2u];
    return (x & 1) == 0 ? uvec2(a, b) : uvec2((a >> 16) | (b << 16), (b >> 16) | (c << 16));
#endif
}

// The filter runs in fp32, which is exact and has absolute values and multiplications by the way. Pixels of 8 bits are mantissas of half
// floats with the exponent of 1024, whose unpacking costs nothing on V3D: they are all that much too large, which differences and
// extremes don't mind.
#if BYTES == 1
const float PIXEL_BIAS = 1024.0;
vec4 unpacked(PIXELS q) {
    const vec2 even = unpackHalf2x16((q & 0x00ff00ffu) + 0x64006400u), odd = unpackHalf2x16(((q >> 8) & 0x00ff00ffu) + 0x64006400u);
    return vec4(even.x, odd.x, even.y, odd.y);
}
#else
const float PIXEL_BIAS = 0.0;
vec4 unpacked(PIXELS q) { return vec4(pixel(q, 0u), pixel(q, 1u), pixel(q, 2u), pixel(q, 3u)); }
#endif

// Taps come in pairs on both sides of the pixel, clause 7.15.2. Pairs 0 and 1 lie in the block's direction, one and two
// steps away; pairs 2 to 5 in the directions to its left and right.
struct Taps {
    float pri, sec;             // strengths
    float pri_scale, sec_scale; // 2 to the power of the strength's log2 less the damping
    int odd;                    // of the primary strength
    uint dir;
};

uint pair_direction(const Taps t, uint pair) {
    return (pair < 2u ? t.dir : (pair & 1u) == 0u ? t.dir + 2u : t.dir + 6u) & 7u;
}

bool is_far(uint pair) { return pair == 1u || pair > 3u; }

int pair_weight(const Taps t, uint pair) {
    return pair == 0u ? 4 - t.odd : pair == 1u ? 2 + t.odd : pair < 4u ? 2 : 1;
}

// Steps of direction d, clause 7.15.3: three bits each, two more than the step.
ivec2 step_of(uint d, bool far) {
    const uint x = far ? 0x12344444u : 0x22233333u, y = far ? 0x44443210u : 0x33332221u;
    return ivec2(int((x >> (4u * d)) & 7u), int((y >> (4u * d)) & 7u)) - 2;
}

// A tap that lies outside the frame becomes the pixel itself: it adds nothing and bounds nothing.
vec4 only_inside(const Frame f, ivec2 at, vec4 tap, vec4 centre) {
    const bool row = at.y >= 0 && at.y < f.rows;
    const ivec4 x = at.x + ivec4(0, 1, 2, 3);
    return vec4(row && uint(x.x) < uint(f.columns) ? tap.x : centre.x, row && uint(x.y) < uint(f.columns) ? tap.y : centre.y,
                 row && uint(x.z) < uint(f.columns) ? tap.z : centre.z, row && uint(x.w) < uint(f.columns) ? tap.w : centre.w);
}

vec4 constrain(vec4 d, float strength, float scale) {
    const vec4 most = max(strength - floor(abs(d) * scale), 0.0);
    return max(min(d, most), -most);
}

PIXELS filter_quad(const Frame f, ivec2 at, PIXELS q, const Taps t) {
    const vec4 centre = unpacked(q);
    vec4 sum = vec4(0.0), low = centre, high = centre;
    const bool interior = at.x >= 4 && at.x + 6 <= f.columns && at.y >= 2 && at.y + 2 < f.rows;
    const uint last = t.sec != 0.0 ? 6u : 2u;
    [[dont_unroll]] for (uint pair = t.pri != 0.0 ? 0u : 2u; pair < last; pair++) {
        const ivec2 step = step_of(pair_direction(t, pair), is_far(pair));
        const float strength = pair < 2u ? t.pri : t.sec, weight = float(pair_weight(t, pair));
        const float scale = pair < 2u ? t.pri_scale : t.sec_scale;
        const ivec2 to = at + step, from = at - step;
        vec4 a = unpacked(load_at(f, to.x, clamp(to.y, 0, f.rows - 1)));
        vec4 b = unpacked(load_at(f, from.x, clamp(from.y, 0, f.rows - 1)));
        if (!interior) {
            a = only_inside(f, to, a, centre);
            b = only_inside(f, from, b, centre);
        }
        low = min(low, min(a, b));
        high = max(high, max(a, b));
        sum += weight * (constrain(a - centre, strength, scale) + constrain(b - centre, strength, scale));
    }
    // (8 + sum - (sum < 0)) / 16, rounded down.
    const vec4 change = floor(sum * 0.0625 + mix(vec4(0.5), vec4(0.4375), lessThan(sum, vec4(0.0))));
    const ivec4 v = ivec4(clamp(centre + change, low, high) - PIXEL_BIAS);
#if BYTES == 1
    return uint(v.x | v.y << 8 | v.z << 16 | v.w << 24);
#else
    return uvec2(v.x | v.y << 16, v.z | v.w << 16);
#endif
}

// 2 to the power of minus the shift, exactly.
float scale_of(int strength, int damping) { return intBitsToFloat((127 - max(0, damping - findMSB(strength))) << 23); }

Taps taps_of(uint plane, uint decision) {
    const int depth = int(params.bit_depth) - 8;
    const int damping = int(params.cdef_damping) + depth - (plane == 0u ? 0 : 1);
    Taps t;
    int pri, sec;
    if (plane == 0u) {
        pri = int(bitfieldExtract(decision, int(DD_AV1_CDEF_Y_PRI_SHIFT), 8));
        sec = int(bitfieldExtract(decision, int(DD_AV1_CDEF_Y_SEC_SHIFT), 4)) << depth;
        t.dir = bitfieldExtract(decision, int(DD_AV1_CDEF_Y_DIR_SHIFT), 3);
    } else {
        pri = int(bitfieldExtract(decision, int(DD_AV1_CDEF_UV_PRI_SHIFT), 4)) << depth;
        sec = int(bitfieldExtract(decision, int(DD_AV1_CDEF_UV_SEC_SHIFT), 4)) << depth;
        t.dir = bitfieldExtract(decision, int(DD_AV1_CDEF_UV_DIR_SHIFT), 3);
    }
    t.pri = float(pri);
    t.sec = float(sec);
    t.pri_scale = scale_of(pri, damping);
    t.sec_scale = scale_of(sec, damping);
    t.odd = (pri >> depth) & 1;
    return t;
}

void main() {
    const uint group = group_index();
    if (group >= pass.total)
        return;
    const uint plane = plane_of_group(group);
    const uint lane = (group - first_group(plane)) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    const uint columns = plane_columns(plane), rows = plane_rows(plane);
    const uint across = columns / 4u;
    const uint y = lane / across;
    const uint x4 = lane - y * across;
    if (y >= rows)
        return;

    const DdAv1Plane at = plane_at(plane);
    const uint own = quad_at(at, int(x4), int(y));
    PIXELS q = LOAD_QUAD(scratch_b, own);
    const uint block = ((y << shift_v(plane)) >> 3) * params.w8 + ((x4 << shift_h(plane)) >> 1);
    const uint decision = scratch_a[params.blocks + block];
    const Taps t = taps_of(plane, decision);
    if (filtered(plane) && (t.pri != 0.0 || t.sec != 0.0))
        q = filter_quad(Frame(at.offset / 4u, at.stride / 4u, int(columns), int(rows)), ivec2(4u * x4, y), q, t);
    store(own, q);
}
