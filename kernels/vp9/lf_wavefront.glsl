// SPDX-License-Identifier: BSD-2-Clause
//
// The loop filter for GPUs that run few workgroups at a time and where a dispatch is dear: one workgroup filters the
// frame. A superblock shares pixels with its left neighbour and with three in the row above. Where column + 2 * row is
// the same, superblocks share none: they are a wavefront. The workgroup filters its edges between columns, then those
// between rows. Its barriers order the two, and the wavefronts.
//
// A lane filters a line of a superblock between columns, a column of words between rows, edge after edge. Sixteen lanes
// are an item, and batches of lanes take turns at the items of a wavefront.

#include "vp9/lf_lines.glsl"

layout(push_constant) uniform Push {
    DdLfWavefrontPush push;
};

const uint BATCH = 16u, BATCHES = LANES / BATCH;
const uint LUMA_LINES = 64u, LUMA_WORDS = 16u * QUAD_WORDS; // of a superblock

// Little is kept while a line is filtered, as registers are short. One word has the line's edges, bit c the one before
// cell c of four pixels, and above them which blocks have 16 and 8 wide ones. Another word has the byte where the
// line's levels begin, how far back those of 16 wide edges are, and whether a block is a cell.
const uint BACK_SHIFT = 24u, BACK_MASK = 31u, HALVED_SHIFT = 31u;

const uint EDGES_MASK = 0xffffu, SIXTEEN_SHIFT = 16u, EIGHT_SHIFT = 24u;

uint edges_of(uint word, bool halved) {
    const uint edges = (word | word >> 16) & 0xffu;
    return (halved ? edges : spread(edges) | spread(word >> 24) << 1) | word << SIXTEEN_SHIFT;
}

uint width_at(uint edges, uint info, uint cell) {
    const bool inner = (~info >> HALVED_SHIFT & cell) != 0u;
    const uint block = cell >> 1u - (info >> HALVED_SHIFT);
    return inner ? NARROW : (edges >> SIXTEEN_SHIFT + block & 1u) != 0u ? SIXTEEN : edges >> EIGHT_SHIFT + block & 1u;
}

Strength strength_at(const uint direction, uint info, uint cell, uint width) {
    const uint across = direction == COLUMNS ? 1u : 8u; // bytes
    uint at = (info & (1u << BACK_SHIFT) - 1u) + (cell >> 1 << (info >> HALVED_SHIFT)) * across;
    if (width == SIXTEEN)
        at -= info >> BACK_SHIFT & BACK_MASK;
    const uint level = superblocks[at >> 2] >> (at & 3u) * 8u & DD_LF_LEVELS - 1u;
    return strength_of(level, limits[level], width);
}

void filter_line(const uint direction, uint at, uint stride, uint edges, uint info) {
    // V3D runs the body of a loop once more, for no lane, where its condition comes first.
    if ((edges & EDGES_MASK) != 0u) {
        do {
            const uint cell = uint(findLSB(edges)), width = width_at(edges, info, cell);
            const Strength strength = strength_at(direction, info, cell, width);
            if (direction == COLUMNS)
                filter_line_of_columns(at + cell * QUAD_WORDS, strength);
            else
                filter_word_of_rows(at + cell * 4u * stride, stride, strength);
            edges &= edges - 1u;
        } while ((edges & EDGES_MASK) != 0u);
    }
}

void filter_item(const uint direction, uint row, uint column, uint item) {
    uint line = item * BATCH + (gl_LocalInvocationID.x & BATCH - 1u);
    const uint luma = direction == COLUMNS ? LUMA_LINES : LUMA_WORDS;
    const bool chroma = line >= luma;
    const uint plane = !chroma ? 0u : line < luma + push.chroma_lines[direction] ? 1u : 2u;
    line -= !chroma ? 0u : plane == 1u ? luma : luma + push.chroma_lines[direction];
    const uint ss_h = chroma ? push.ss_h : 0u, ss_v = chroma ? push.ss_v : 0u, kind = ss_h | ss_v;
    const uint ss_across = direction == COLUMNS ? ss_h : ss_v, ss_along = direction == COLUMNS ? ss_v : ss_h;
    const uint stride = plane_stride(push.planes, plane);
    const uint at = plane_offset(push.planes, plane) + (row * LUMA_LINES >> ss_v) * stride +
                    (column * LUMA_WORDS >> ss_h) + (direction == COLUMNS ? line * stride : line);
    const uint unit = (direction == COLUMNS ? line >> 3 : line / (2u * QUAD_WORDS)) << ss_along;
    const uint superblock = (row * push.sb_cols + column) * SUPERBLOCK_WORDS;
    const uint word = superblocks[superblock + LINES_AT + (kind * 2u + direction) * 8u + unit];
    const uint along = direction == COLUMNS ? 8u : 1u;                // bytes
    const uint back = (unit >> ss_along & 1u) * (along << ss_along); // a pair shares the level of its 16 wide edges
    filter_line(direction, at, stride, edges_of(word, ss_across != 0u),
                superblock * 4u + unit * along | back << BACK_SHIFT | ss_across << HALVED_SHIFT);
}

void filter_wavefront(const uint direction, uint wavefront) {
    for (uint i = gl_LocalInvocationID.x / BATCH;; i += BATCHES) {
        const uint nth = uint((float(i) + 0.5) * push.inverse_items[direction]); // superblock of the wavefront
        const uint row = uint(max(int(wavefront) - int(push.sb_cols) + 2, 0)) / 2u + nth;
        if (row >= push.sb_rows || 2u * row > wavefront)
            break;
        filter_item(direction, row, wavefront - 2u * row, i - nth * push.items[direction]);
    }
}

void main() {
    for (uint wavefront = 0u; wavefront + 2u < push.sb_cols + 2u * push.sb_rows; wavefront++) {
        filter_wavefront(COLUMNS, wavefront);
        memoryBarrierBuffer();
        barrier();
        filter_wavefront(ROWS, wavefront);
        memoryBarrierBuffer();
        barrier();
    }
}
