// SPDX-License-Identifier: BSD-2-Clause
// The measured VP9 8x8 inverse DCT, rebuilt: eight lanes a block, one column a lane in the first pass, one row in the
// second, shared memory between, byte loads and stores of the picture. GROUP: invocations; SPREAD: lanes set aside
// for a block (16 leaves half of them idle).
#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = GROUP) in;
layout(binding = 0) readonly buffer Coefficients { int16_t coefs[]; };
layout(binding = 1) buffer Picture { uint8_t picture[]; };
layout(binding = 2) readonly buffer Blocks { uvec2 position[]; };
layout(push_constant) uniform Push { uint count, columns, stride, unused; } push;

const uint BLOCKS = GROUP / SPREAD;
shared int transposed[BLOCKS * 64u];

int scaled(int sum) { return (sum + 8192) >> 14; }

struct Line {
    int v0, v1, v2, v3, v4, v5, v6, v7;
};

// VP9 specification, clause 8.7.1.2: the 8 point inverse DCT.
Line inverse_dct(Line v) {
    int e0 = scaled((v.v0 + v.v4) * 11585), e1 = scaled((v.v0 - v.v4) * 11585);
    int e2 = scaled(v.v2 * 6270 - v.v6 * 15137), e3 = scaled(v.v2 * 15137 + v.v6 * 6270);
    int o0 = scaled(v.v1 * 3196 - v.v7 * 16069), o3 = scaled(v.v1 * 16069 + v.v7 * 3196);
    int o1 = scaled(v.v5 * 13623 - v.v3 * 9102), o2 = scaled(v.v5 * 9102 + v.v3 * 13623);
    int a0 = e0 + e3, a1 = e1 + e2, a2 = e1 - e2, a3 = e0 - e3;
    int b0 = o0 + o1, b1 = o0 - o1, b2 = o3 - o2, b3 = o3 + o2;
    int c1 = scaled((b2 - b1) * 11585), c2 = scaled((b2 + b1) * 11585);
    return Line(a0 + b3, a1 + c2, a2 + c1, a3 + b0, a3 - b0, a2 - c1, a1 - c2, a0 - b3);
}

int coefficient(uint first, uint row) { return int(coefs[first + row * 8u]); }

Line load_column(uint first) {
    return Line(coefficient(first, 0u), coefficient(first, 1u), coefficient(first, 2u), coefficient(first, 3u),
                coefficient(first, 4u), coefficient(first, 5u), coefficient(first, 6u), coefficient(first, 7u));
}

void store_row(uint at, Line v) {
    transposed[at] = v.v0;
    transposed[at + 1u] = v.v1;
    transposed[at + 2u] = v.v2;
    transposed[at + 3u] = v.v3;
    transposed[at + 4u] = v.v4;
    transposed[at + 5u] = v.v5;
    transposed[at + 6u] = v.v6;
    transposed[at + 7u] = v.v7;
}

Line load_row(uint at) {
    return Line(transposed[at], transposed[at + 8u], transposed[at + 16u], transposed[at + 24u], transposed[at + 32u],
                transposed[at + 40u], transposed[at + 48u], transposed[at + 56u]);
}

void add_to_pixel(uint at, int residual) {
    picture[at] = uint8_t(clamp(int(picture[at]) + ((residual + 16) >> 5), 0, 255));
}

void main() {
    uint local = gl_LocalInvocationIndex, lane = local % SPREAD, slot = local / SPREAD;
    uint block = gl_WorkGroupID.x * BLOCKS + slot;
    bool working = lane < 8u && block < push.count;
    if (working)
        store_row(slot * 64u + lane * 8u, inverse_dct(load_column(block * 64u + lane)));
    barrier();
    if (!working)
        return;
    Line v = inverse_dct(load_row(slot * 64u + lane));
    uvec2 corner = position[block] * 8u;
    uint at = corner.y * push.stride + corner.x + lane;
    add_to_pixel(at, v.v0);
    add_to_pixel(at + push.stride, v.v1);
    add_to_pixel(at + 2u * push.stride, v.v2);
    add_to_pixel(at + 3u * push.stride, v.v3);
    add_to_pixel(at + 4u * push.stride, v.v4);
    add_to_pixel(at + 5u * push.stride, v.v5);
    add_to_pixel(at + 6u * push.stride, v.v6);
    add_to_pixel(at + 7u * push.stride, v.v7);
}
