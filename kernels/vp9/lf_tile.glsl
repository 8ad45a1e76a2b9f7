// SPDX-License-Identifier: BSD-2-Clause
//
// The pixels of a superblock in shared memory, with two cells on the left of it and above it: what follows filters
// there, as if it were the picture. Two pixels a word, whatever their depth: a lane filters a word, and fewer pixels
// are sooner done.

const uint MARGIN = 8u; // pixels
const uint TILE_LINES = 64u + MARGIN, TILE_WORDS = (64u + MARGIN) / 2u;
const uint TILE_STRIDE = TILE_WORDS + 1u; // odd: lines begin in different banks
const uint MARGIN_WORDS = MARGIN / 2u;

shared uint tile[TILE_LINES * TILE_STRIDE];

#if BITS == 8
#define PICTURE_QUAD uint
const uint PICTURE_QUAD_WORDS = 1u;
uvec2 to_fields(uint quad) {
    return uvec2(quad & 0xffu | (quad & 0xff00u) << 8, quad >> 16 & 0xffu | quad >> 24 << 16);
}
uint from_fields(uvec2 quad) { return (quad.x | quad.x >> 8) & 0xffffu | (quad.y | quad.y >> 8) << 16; }
#else
#define PICTURE_QUAD uvec2
const uint PICTURE_QUAD_WORDS = 2u;
uvec2 to_fields(uvec2 quad) { return quad; }
uvec2 from_fields(uvec2 quad) { return quad; }
#endif
PICTURE_QUAD load_picture(uint at) { return load_quad(at); }
void store_picture(uint at, PICTURE_QUAD quad) { store_quad(at, quad); }

uvec2 load_tile(uint at) { return uvec2(tile[at], tile[at + 1u]); }
void store_tile(uint at, uvec2 quad) {
    tile[at] = quad.x;
    tile[at + 1u] = quad.y;
}

// Words behind the pixels (DdLfSuperblockPush).
uint begin_workgroup(uint sync) { return atomicAdd(dst[sync], 1u); }
uint done_of(uint at) { return atomicOr(dst[at], 0u); }
uint done_lately(uint at) { return atomicLoad(dst[at], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed); }
void set_done(uint at, uint superblocks) { atomicExchange(dst[at], superblocks); }
void clear_word(uint at) { dst[at] = 0u; }

#undef QUAD
#define QUAD uvec2
#define QUAD_WORDS 2u
#define dst tile
#define load_quad load_tile
#define store_quad store_tile
