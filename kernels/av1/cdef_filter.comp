// SPDX-License-Identifier: BSD-2-Clause
//
// CDEF of a whole frame from the decisions of cdef_direction.comp, from one picture to another. AV1 specification,
// clause 7.15.2. A lane takes four pixels of a row and sixteen lanes an 8x8 block, so that they take one way; of
// subsampled chroma they take two or four blocks. Blocks that aren't filtered are left out. With DD_AV1_PASS_ALL
// restoration follows, which reads the whole picture from scratch A, and from scratch B what it was before.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "filter.glsl"

// The filter runs in fp32, which is exact. Pixels of up to ten bits are mantissas of half floats with the exponent of
// 1024, whose unpacking costs nothing on V3D: they are all that much too large, which differences and extremes don't
// mind.
const uint kHalves = 0x64006400u;

#if BITS == 8
vec4 unpacked(PIXELS q) {
    const vec2 even = unpackHalf2x16((q & 0x00ff00ffu) + kHalves);
    const vec2 odd = unpackHalf2x16(((q >> 8) & 0x00ff00ffu) + kHalves);
    return vec4(even.x, odd.x, even.y, odd.y);
}
PIXELS packed(vec4 v) {
    const uint even = packHalf2x16(v.xz) - kHalves, odd = packHalf2x16(v.yw) - kHalves;
    return even + (odd << 8);
}
#elif BITS == 10
vec4 unpacked(PIXELS q) { return vec4(unpackHalf2x16(q.x + kHalves), unpackHalf2x16(q.y + kHalves)); }
PIXELS packed(vec4 v) { return uvec2(packHalf2x16(v.xy), packHalf2x16(v.zw)) - kHalves; }
#else
vec4 unpacked(PIXELS q) { return vec4(uvec4(q.x & 0xffffu, q.x >> 16, q.y & 0xffffu, q.y >> 16)); }
PIXELS packed(vec4 v) {
    const uvec4 u = uvec4(v);
    return uvec2(u.x + (u.y << 16), u.z + (u.w << 16));
}
#endif

// Four pixels that start at any of them. `at` in bytes; shifts go by its low bits.
PIXELS load_at(uint at) {
    const uint word = at >> 2, shift = 8u * at;
#if BYTES == 1
    const uint low = dst[word], high = dst[word + 1u];
    return (low >> (shift & 31u)) + ((high + high) << ((31u - shift) & 31u));
#else
    const uint a = dst[word], b = dst[word + 1u], c = dst[word + 2u], back = (31u - shift) & 31u;
    return uvec2((a >> (shift & 31u)) + ((b + b) << back), (b >> (shift & 31u)) + ((c + c) << back));
#endif
}

// Steps of direction d, clause 7.15.3: three bits each, two more than the step.
ivec2 step_of(uint d, const bool far) {
    const uint x = far ? 0x12344444u : 0x22233333u, y = far ? 0x44443210u : 0x33332221u, by = 4u * (d & 7u);
    return ivec2(int((x >> by) & 7u), int((y >> by) & 7u)) - 2;
}

// Where a lane's pixels lie in the plane, in whole 8x8 blocks of luma.
struct Quad {
    int x, y, columns, rows;
    uint at, end; // byte; first one behind the plane
    PIXELS pixels;
};

// At the frame's borders taps outside become the pixels themselves: they add nothing and bound nothing.
PIXELS only_inside(const Quad quad, PIXELS tap, ivec2 step) {
    const int x = quad.x + step.x;
    const int before = max(-x, 0), behind = max(x + 4 - quad.columns, 0); // at most two
    const uint row = uint(quad.y + step.y) < uint(quad.rows) ? 0xffffffffu : 0u;
#if BYTES == 1
    const uint mask = row & (0xffffffffu << (8 * before)) & (0xffffffffu >> (8 * behind));
#else
    const uvec2 mask = uvec2(before < 2 ? row << (16 * before) : 0u, behind < 2 ? row >> (16 * behind) : 0u);
#endif
    return (tap & mask) | (quad.pixels & ~mask);
}

struct State {
    vec4 centre, sum, low, high;
};

// A tap's share: towards it by no more than what is left of the strength.
vec4 share(vec4 tap, vec4 centre, float strength, float scale) {
    const vec4 d = tap - centre;
    return min(abs(d), max(strength - floor(abs(d) * scale), 0.0)) * clamp(d, -1.0, 1.0);
}

// Two taps of one strength, on both sides of the pixel.
vec4 both(inout State s, PIXELS a, PIXELS b, float strength, float scale) {
    const vec4 to = unpacked(a), from = unpacked(b);
    s.low = min(s.low, min(to, from));
    s.high = max(s.high, max(to, from));
    return share(to, s.centre, strength, scale) + share(from, s.centre, strength, scale);
}

struct Strengths {
    float pri, sec;             // in the pixels' depth
    float pri_scale, sec_scale; // 2 to the power of the strength's log2 less the damping
    float odd;                  // of the primary strength
    uint dir;
};

// Taps come in pairs, one and two steps away: in the block's direction, then in those to its left and right. What
// changes from pair to pair is carried through the loops: chosen anew each time, it costs a third more on V3D. Loops
// end at their ends: llvmpipe 22.3 gives lanes that leave one by a break in its middle wrong results.
void add_taps(inout State s, const Quad quad, int stride, const Strengths t, bool border) {
    const bool primary = t.pri != 0.0;
    float strength = primary ? t.pri : t.sec, scale = primary ? t.pri_scale : t.sec_scale;
    float near_weight = primary ? 4.0 - t.odd : 2.0, far_weight = primary ? 2.0 + t.odd : 1.0;
    uint dir = primary ? t.dir : t.dir + 2u;
    const uint last = t.sec != 0.0 ? t.dir + 6u : t.dir;
    bool more;
    do {
        ivec2 step = step_of(dir, false);
        float weight = near_weight;
        bool far = false;
        do {
            const int n = step.y * stride + step.x * BYTES;
            PIXELS a = load_at(min(quad.at + uint(n), quad.end)), b = load_at(min(quad.at - uint(n), quad.end));
            if (border)
                a = only_inside(quad, a, step), b = only_inside(quad, b, -step);
            s.sum += weight * both(s, a, b, strength, scale);
            step = step_of(dir, true);
            weight = far_weight;
            far = !far;
        } while (far);
        more = dir != last;
        strength = t.sec, scale = t.sec_scale, near_weight = 2.0, far_weight = 1.0;
        dir += dir == t.dir ? 2u : 4u;
    } while (more);
}

PIXELS filtered_quad(const Quad quad, int stride, const Strengths t, bool border) {
    State s;
    s.centre = unpacked(quad.pixels);
    s.sum = vec4(0.0);
    s.low = s.centre;
    s.high = s.centre;
    add_taps(s, quad, stride, t, border);
    // (8 + sum - (sum < 0)) / 16, rounded down: halves go away from zero.
    const vec4 change = floor(abs(s.sum) * 0.0625 + 0.5) * clamp(s.sum, -1.0, 1.0);
    return packed(clamp(s.centre + change, s.low, s.high));
}

// 2 to the power of minus the shift, exactly.
float scale_of(uint strength, int damping) { return intBitsToFloat((127 - max(0, damping - findMSB(strength))) << 23); }

Strengths strengths_of(bool luma, uint decision, int damping) {
    const int depth = BITS - 8;
    const uint word = luma ? decision : decision >> DD_AV1_CDEF_UV_PRI_SHIFT;
    const uint pri = luma ? word & 255u : (word & 15u) << depth;
    const uint rest = word >> (luma ? 8u : 4u), sec = (rest & 15u) << depth;
    damping += depth - (luma ? 0 : 1);
    Strengths t;
    t.dir = (rest >> 4) & 7u;
    t.pri = float(pri);
    t.sec = float(sec);
    t.pri_scale = scale_of(pri, damping);
    t.sec_scale = scale_of(sec, damping);
    t.odd = float((pri >> depth) & 1u);
    return t;
}

void main() {
    // Read before lanes part.
    const uint w8 = params.w8, h8 = params.h8, blocks = params.blocks;
    const int damping = int(params.cdef_damping);
    const Place place = place_of_lane();
    const BlockQuad own = block_quad(place);
    if (own.x8 >= w8 || own.y8 >= h8)
        return;
    const uint ss_h = place.luma ? 0u : pass.ss_h, ss_v = place.luma ? 0u : pass.ss_v;
    const uint stride = place.luma ? pass.stride[0] : pass.stride[1];
    const uint decision = scratch_a[blocks + own.y8 * w8 + own.x8];
    const uint at = place.offset + own.y * stride + own.x * BYTES;
    const int columns = int(w8 << (3u - ss_h)), rows = int(h8 << (3u - ss_v));
    Quad quad = Quad(int(own.x), int(own.y), columns, rows, at, place.offset + uint(rows) * stride,
                     LOAD_QUAD(dst, at >> 2));
    const bool all_blocks = (pass.flags & DD_AV1_PASS_ALL) != 0u;
    if (all_blocks)
        STORE_QUAD(scratch_b, at >> 2, quad.pixels);
    const bool wanted = cdef_filters(place, decision);
    if (wanted) {
        const bool border = uint(quad.x - 4) >= uint(quad.columns - 8) || uint(quad.y - 2) >= uint(quad.rows - 4);
        quad.pixels = filtered_quad(quad, int(stride), strengths_of(place.luma, decision, damping), border);
    }
    if (wanted || all_blocks)
        STORE_QUAD(scratch_a, quad.at >> 2, quad.pixels);
}
