// SPDX-License-Identifier: BSD-2-Clause
//
// The pixels of a run of superblocks in shared memory, with two cells on the left of it and above it: what follows filters there,
// as if it were the picture.

const uint RUN = BITS == 8 ? DD_LF_RUN_8 : DD_LF_RUN_16;
const uint MARGIN = 8u; // pixels
const uint TILE_WORDS = (RUN * 16u + MARGIN / 4u) * QUAD_WORDS, TILE_LINES = 64u + MARGIN;
const uint TILE_STRIDE = TILE_WORDS + 1u; // odd: lines begin in different banks

uint load_picture(uint at) { return dst[at]; }
void store_picture(uint at, uint word) { dst[at] = word; }

shared uint tile[TILE_LINES * TILE_STRIDE];

#if BITS == 8
QUAD load_tile(uint at) { return tile[at]; }
void store_tile(uint at, QUAD quad) { tile[at] = quad; }
#else
QUAD load_tile(uint at) { return QUAD(tile[at], tile[at + 1u]); }
void store_tile(uint at, QUAD quad) {
    tile[at] = quad.x;
    tile[at + 1u] = quad.y;
}
#endif
#define dst tile
#define load_quad load_tile
#define store_quad store_tile
