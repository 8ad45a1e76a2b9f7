// SPDX-License-Identifier: BSD-2-Clause
//
// Loop filter of superblocks in their exact order: VP9 specification, clause 8.8. A superblock follows its left and its
// upper right neighbour, so those with the same column + 2 * row are one step and go together. In a superblock all
// edges between columns come first (a lane walks along a line of pixels), then all edges between rows (a lane walks
// down four columns). Steps first_step to last_step run in one dispatch; a plane has gl_NumWorkGroups.x workgroups,
// and only one when there is more than one step, as nothing else orders them.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

#include "common/records.h"
#define DST_ACCESS coherent
#include "common/pixels.glsl"
#include "vp9/loop_filter.glsl"

const uint LANES = 256u;
layout(local_size_x = LANES) in;

// DD_LF_LEVELS words of limits, then the superblocks.
layout(std430, set = 0, binding = DD_BIND_RECORDS) readonly buffer Records {
    uint records[];
};
layout(push_constant) uniform Push {
    DdLfPush push;
};

const uint SUPERBLOCK_WORDS = 48u, MASKS_AT = 16u;
const uint MAX_STEPS = 16u;                      // of four pixels in a superblock
const uint WORDS_LOG2 = BITS == 8 ? 4u : 5u;     // of a superblock's line

struct PlaneShape {
    uint ss_h, ss_v;
    uint masks; // of a superblock's record
    uint offset, stride;
};

PlaneShape plane_shape() {
    const uint kind = push.ss != 0u ? 1u : 0u;
    return PlaneShape(push.ss & 1u, push.ss >> 1, MASKS_AT + kind * 16u,
                      plane_offset(push.dst, push.first_plane + gl_WorkGroupID.y),
                      push.first_plane == 0u && gl_WorkGroupID.y == 0u ? push.dst.stride[0] : push.dst.stride[1]);
}

// Superblocks of one step, and the share of this workgroup: `count` of them, every gl_NumWorkGroups.x-th from `row` on.
// No workgroup has more than `most`. A step without superblocks (its column would be beyond the last row's) has none.
struct Share {
    uint step_number, row, count, most;
};

Share share_of(uint step_number) {
    const uint top = step_number < push.sb_cols ? 0u : (step_number - push.sb_cols + 2u) >> 1;
    const uint bottom = min(push.sb_rows - 1u, step_number >> 1);
    const uint all = bottom + 1u - min(top, bottom + 1u);
    const uint most = (all + gl_NumWorkGroups.x - 1u) / gl_NumWorkGroups.x;
    const uint count = gl_WorkGroupID.x < all ? (all - gl_WorkGroupID.x + gl_NumWorkGroups.x - 1u) / gl_NumWorkGroups.x : 0u;
    return Share(step_number, gl_WorkGroupID.x < all ? top + gl_WorkGroupID.x : top, count, most);
}

struct Superblock {
    uint record;
    uint pixels; // word of its first pixel
    bool at_top; // of the picture
};

Superblock superblock_of(Share share, uint i, PlaneShape plane) {
    const uint row = share.row + i * gl_NumWorkGroups.x, column = share.step_number - 2u * row;
    return Superblock(DD_LF_LEVELS + (row * push.sb_cols + column) * SUPERBLOCK_WORDS,
                      plane.offset + (row << (6u - plane.ss_v)) * plane.stride +
                          (column << (4u - plane.ss_h)) * QUAD_WORDS,
                      row == 0u);
}

// Bits of a byte at the even positions of a word.
uint spread(uint v) {
    v = (v | v << 4) & 0x0f0fu;
    v = (v | v << 2) & 0x3333u;
    return (v | v << 1) & 0x5555u;
}

uint level_at(uint record, uint row, uint column) {
    return records[record + row * 2u + (column >> 2)] >> ((column & 3u) * 8u) & 0xffu;
}

// Widths of the edges along a line of pixels: bit s of a mask is the edge 4 * s pixels from the superblock's left.
struct LineEdges {
    uint wide16, wide8, any;
    uint level_row, level_row16;
};

// Pairs of eight-line groups share their 16 wide edges; where the first one has such an edge, the second one has no
// other.
LineEdges line_edges(uint record, PlaneShape plane, uint line) {
    const uint row = line >> 3 << plane.ss_v, first = row & ~((2u << plane.ss_v) - 1u);
    const uint a = records[record + plane.masks + first];
    uint e16 = a & 0xffu, e8 = a >> 8 & ~a & 0xffu, e4 = a >> 16 & 0xffu & ~(a | a >> 8), inner = a >> 24;
    if (row != first) {
        const uint b = records[record + plane.masks + row];
        e16 = a & b & 0xffu;
        e8 = b >> 8 & 0xffu & ~a;
        e4 = b >> 16 & 0xffu & ~(b >> 8 | a);
        inner = b >> 24;
    }
    if (plane.ss_h == 0u) {
        e16 = spread(e16);
        e8 = spread(e8);
        e4 = spread(e4) | spread(inner) << 1;
    }
    return LineEdges(e16, e8, e16 | e8 | e4, row, first);
}

// Pixel `i` of a quad, and its replacement.
#if BITS == 8
float quad_pixel(QUAD quad, uint i) { return float(quad >> (i * 8u) & 0xffu); }
void set_pixel(inout QUAD quad, uint i, float v) {
    quad = (quad & ~(0xffu << (i * 8u))) | uint(v) << (i * 8u);
}
#else
float quad_pixel(QUAD quad, uint i) { return float((i < 2u ? quad.x : quad.y) >> ((i & 1u) * 16u) & 0xffffu); }
void set_pixel(inout QUAD quad, uint i, float v) {
    const uint shift = (i & 1u) * 16u, mask = 0xffffu << shift, value = uint(v) << shift;
    if (i < 2u)
        quad.x = (quad.x & ~mask) | value;
    else
        quad.y = (quad.y & ~mask) | value;
}
#endif

// All edges between columns along one line. Two more steps write what the last ones changed.
void filter_columns(Superblock sb, PlaneShape plane, uint line, bool busy) {
    const LineEdges edges = line_edges(sb.record, plane, line);
    const uint any = busy ? edges.any : 0u, steps = MAX_STEPS >> plane.ss_h;
    const uint start = sb.pixels + line * plane.stride;
    // A window of sixteen pixels; bit 0 of `changed` is its leftmost quad.
    QUAD quads[4];
    [[unroll]] for (uint i = 0u; i < 3u; i++)
        quads[i] = load_quad(start + (i - 2u) * QUAD_WORDS);
    uint changed = 0u, at = start;
    [[dont_unroll]] for (uint s = 0u; s < steps + 2u; s++) {
        quads[3] = load_quad(s < steps ? at + QUAD_WORDS : start);
        if ((any >> s & 1u) != 0u) {
            const bool is16 = (edges.wide16 >> s & 1u) != 0u;
            const uint wide = is16 ? 16u : (edges.wide8 >> s & 1u) != 0u ? 8u : 4u;
            const uint column = plane.ss_h != 0u ? s & 6u : s >> 1;
            const uint level = level_at(sb.record, is16 ? edges.level_row16 : edges.level_row, column);
            const Thresholds t = thresholds(level, records[level]);
#define GET(I) quad_pixel(quads[(I) >> 2], (I) & 3u)
#define SET(I, VALUE) set_pixel(quads[(I) >> 2], (I) & 3u, VALUE)
            FILTER_LINE(GET, SET, wide, t)
#undef GET
#undef SET
            changed |= is16 ? 15u : 6u;
        }
        if ((changed & 1u) != 0u)
            store_quad(at - 2u * QUAD_WORDS, quads[0]);
        changed >>= 1;
        [[unroll]] for (uint i = 0u; i < 3u; i++)
            quads[i] = quads[i + 1u];
        at += QUAD_WORDS;
    }
}

struct RowEdge {
    uint wide; // 0: none
    uint level_column;
};

// The edge 4 * s lines from the superblock's top, at a quad of pixels. Pairs of eight-pixel groups are as above.
RowEdge row_edge(uint record, PlaneShape plane, uint quad, uint s) {
    const uint bit = quad >> 1 << plane.ss_h, first = bit & ~(1u << plane.ss_h);
    const uint row = plane.ss_v != 0u ? s : s >> 1;
    const uint masks = records[record + plane.masks + 8u + row];
    const uint here = masks >> bit, there = masks >> first;
    if (plane.ss_v == 0u && (s & 1u) != 0u)
        return RowEdge((here >> 24 & 1u) * 4u, bit);
    if ((there & 1u) != 0u) // 16 wide: both, or the first alone
        return RowEdge((here & 1u) * 16u, first);
    if ((here >> 8 & 1u) != 0u)
        return RowEdge(8u, bit);
    return RowEdge(((here | here >> 16) & 1u) * 4u, bit);
}

// Pixel `i` of a word, and its replacement; a word is in one column of words.
const uint WORD_PIXELS = 4u / QUAD_WORDS, PIXEL_BITS = 32u / WORD_PIXELS, PIXEL_MASK = 0xffffffffu >> (32u - PIXEL_BITS);

// All edges between rows down one column of words. Two more steps write what the last ones changed.
void filter_rows(Superblock sb, PlaneShape plane, uint word, bool busy) {
    const uint steps = MAX_STEPS >> plane.ss_v, start = sb.pixels + word;
    uint lines[16]; // eight above, eight below the edge; above the picture there are none
    [[unroll]] for (uint i = 0u; i < 12u; i++)
        lines[i] = dst[i < 8u && sb.at_top ? start : start - (8u - i) * plane.stride];
    uint next = start + 4u * plane.stride, oldest = start - 8u * plane.stride;
    uint changed = 0u; // bit 0: the uppermost four
    [[dont_unroll]] for (uint s = 0u; s < steps + 2u; s++) {
        // Below the last edge only four lines belong to the superblock; what stands for the others isn't used.
        uint from = s + 1u < steps ? next : start;
        [[unroll]] for (uint i = 0u; i < 4u; i++) {
            lines[12u + i] = dst[from];
            from += plane.stride;
        }
        next = from;
        if (busy && s < steps) {
            const RowEdge edge = row_edge(sb.record, plane, word / QUAD_WORDS, s);
            if (edge.wide != 0u) {
                const uint row = plane.ss_v != 0u ? s & 6u : s >> 1;
                const uint level = level_at(sb.record, row, edge.level_column);
                const Thresholds t = thresholds(level, records[level]);
                [[dont_unroll]] for (uint shift = 0u; shift < 32u; shift += PIXEL_BITS) {
#define GET(I) float(lines[I] >> shift & PIXEL_MASK)
#define SET(I, VALUE) lines[I] = (lines[I] & ~(PIXEL_MASK << shift)) | uint(VALUE) << shift
                    FILTER_LINE(GET, SET, edge.wide, t)
#undef GET
#undef SET
                }
                changed |= edge.wide == 16u ? 15u : 6u;
            }
        }
        if ((changed & 1u) != 0u && !(sb.at_top && s < 2u)) {
            uint at = oldest;
            [[unroll]] for (uint i = 0u; i < 4u; i++) {
                dst[at] = lines[i];
                at += plane.stride;
            }
        }
        oldest += plane.stride << 2;
        changed >>= 1;
        [[unroll]] for (uint i = 0u; i < 12u; i++)
            lines[i] = lines[i + 4u];
    }
}

// Bounds of loops are the same for all lanes and workgroups, however much each has to do: V3D's compiler then needs no
// execution masks outside the filters. Lanes without work look at the share's first superblock.
void main() {
    const uint lane = gl_LocalInvocationIndex;
    const PlaneShape plane = plane_shape();
    const uint lines_log2 = 6u - plane.ss_v, words_log2 = WORDS_LOG2 - plane.ss_h;
    for (uint step_number = push.first_step; step_number <= push.last_step; step_number++) {
        const Share share = share_of(step_number);
        for (uint base = 0u; base < share.most << lines_log2; base += LANES) {
            const uint i = base + lane;
            const bool busy = i >> lines_log2 < share.count;
            filter_columns(superblock_of(share, busy ? i >> lines_log2 : 0u, plane), plane,
                           i & ((1u << lines_log2) - 1u), busy);
        }
        memoryBarrierBuffer();
        barrier();
        for (uint base = 0u; base < share.most << words_log2; base += LANES) {
            const uint i = base + lane;
            const bool busy = i >> words_log2 < share.count;
            filter_rows(superblock_of(share, busy ? i >> words_log2 : 0u, plane), plane,
                        i & ((1u << words_log2) - 1u), busy);
        }
        memoryBarrierBuffer();
        barrier();
    }
}
