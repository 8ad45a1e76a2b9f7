// SPDX-License-Identifier: BSD-2-Clause
//
// The picture being decoded as words, and four horizontally adjacent pixels at a time: one word with 8 bits a
// pixel, two above. A lane owns whole words, so no two lanes ever write the same one.
#ifndef DAEDALUS_COMMON_PIXELS_GLSL
#define DAEDALUS_COMMON_PIXELS_GLSL

#if BITS != 8 && BITS != 10 && BITS != 12
#error BITS must be 8, 10 or 12
#endif

const int PIXEL_MAX = (1 << BITS) - 1;

layout(std430, set = 0, binding = DD_BIND_DST) DST_ACCESS buffer Dst {
    uint dst[];
};

#if BITS == 8
#define QUAD uint // four pixels
const uint QUAD_WORDS = 1u;
uint load_quad(uint at) { return dst[at]; }
void store_quad(uint at, uint quad) { dst[at] = quad; }
int load_pixel(uint at, uint x) { return int(dst[at] >> (x & 3u) * 8u & 0xffu); } // that of the quad whose x it is
ivec4 unpack_quad(uint quad) { return ivec4(uvec4(quad, quad >> 8, quad >> 16, quad >> 24) & 255u); }
uint pack_quad(ivec4 p) { return uint(p.x | p.y << 8 | p.z << 16 | p.w << 24); }
#else
#define QUAD uvec2
const uint QUAD_WORDS = 2u;
uvec2 load_quad(uint at) { return uvec2(dst[at], dst[at + 1u]); }
void store_quad(uint at, uvec2 quad) {
    dst[at] = quad.x;
    dst[at + 1u] = quad.y;
}
int load_pixel(uint at, uint x) { return int(dst[at + (x >> 1 & 1u)] >> (x & 1u) * 16u & 0xffffu); }
ivec4 unpack_quad(uvec2 quad) { return ivec4(uvec4(quad.x & 0xffffu, quad.x >> 16, quad.y & 0xffffu, quad.y >> 16)); }
uvec2 pack_quad(ivec4 p) { return uvec2(p.x | p.y << 16, p.z | p.w << 16); }
#endif

uint plane_offset(DdPlanes planes, uint plane) {
    return plane == 0u ? planes.offset[0] : plane == 1u ? planes.offset[1] : planes.offset[2];
}
uint plane_stride(DdPlanes planes, uint plane) { return plane == 0u ? planes.stride[0] : planes.stride[1]; }

#endif
