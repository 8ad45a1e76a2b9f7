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

struct PlaneShape {
    uint number;
    uint ss_h, ss_v;
    uint masks; // of a superblock's record
    uint offset, stride;
};

PlaneShape plane_shape(uint plane) {
    const uint ss_h = plane == 0u ? 0u : push.ss & 1u, ss_v = plane == 0u ? 0u : push.ss >> 1;
    const uint kind = (ss_h | ss_v) != 0u ? 1u : 0u;
    return PlaneShape(plane, ss_h, ss_v, MASKS_AT + kind * 16u, plane_offset(push.dst, plane),
                      plane_stride(push.dst, plane));
}

// Superblocks of one step, and the share of this workgroup: `count` of them, every gl_NumWorkGroups.x-th from `row` on.
struct Share {
    uint step_number, row, count;
};

Share share_of(uint step_number) {
    const uint top = step_number < push.sb_cols ? 0u : (step_number - push.sb_cols + 2u) >> 1;
    const uint bottom = min(push.sb_rows - 1u, step_number >> 1);
    const uint all = bottom + 1u - min(top, bottom + 1u);
    const uint mine = gl_WorkGroupID.x < all ? (all - gl_WorkGroupID.x + gl_NumWorkGroups.x - 1u) / gl_NumWorkGroups.x : 0u;
    return Share(step_number, top + gl_WorkGroupID.x, mine);
}

struct Superblock {
    uint record;
    uint pixels; // word of its first pixel
};

Superblock superblock_of(Share share, uint i, PlaneShape plane) {
    const uint row = share.row + i * gl_NumWorkGroups.x, column = share.step_number - 2u * row;
    return Superblock(DD_LF_LEVELS + (row * push.sb_cols + column) * SUPERBLOCK_WORDS,
                      plane.offset + (row << (6u - plane.ss_v)) * plane.stride +
                          (column << (4u - plane.ss_h)) * QUAD_WORDS);
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

void filter_line(inout float p[8], inout float q[8], uint wide, Thresholds t) {
    if (!is_smooth(p, q, t))
        return;
    const bool flat_inside = wide >= 8u && is_flat_inside(p, q);
    if (flat_inside && wide == 16u && is_flat_outside(p, q))
        filter_flat16(p, q);
    else if (flat_inside)
        filter_flat8(p, q);
    else
        filter_narrow(p, q, t);
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

void to_floats(QUAD quad, out float v[4]) {
    const ivec4 pixels = unpack_quad(quad);
    v[0] = float(pixels.x);
    v[1] = float(pixels.y);
    v[2] = float(pixels.z);
    v[3] = float(pixels.w);
}

QUAD from_floats(float a, float b, float c, float d) { return pack_quad(ivec4(int(a), int(b), int(c), int(d))); }

// All edges between columns along one line.
void filter_columns(Superblock sb, PlaneShape plane, uint line) {
    const LineEdges edges = line_edges(sb.record, plane, line);
    if (edges.any == 0u)
        return;
    const uint start = sb.pixels + line * plane.stride, steps = 16u >> plane.ss_h;
    // A window of sixteen pixels; bit 0 of `changed` is its leftmost quad.
    QUAD left1 = load_quad(start - 2u * QUAD_WORDS), left0 = load_quad(start - QUAD_WORDS), right0 = load_quad(start);
    uint changed = 0u;
    [[dont_unroll]] for (uint s = 0u; s < steps; s++) {
        const uint at = start + s * QUAD_WORDS;
        QUAD right1 = load_quad(at + QUAD_WORDS);
        if ((edges.any >> s & 1u) != 0u) {
            const bool is16 = (edges.wide16 >> s & 1u) != 0u;
            const uint wide = is16 ? 16u : (edges.wide8 >> s & 1u) != 0u ? 8u : 4u;
            const uint column = plane.ss_h != 0u ? s & 6u : s >> 1;
            const uint level = level_at(sb.record, is16 ? edges.level_row16 : edges.level_row, column);
            float p[8], q[8], v[4];
            to_floats(left0, v);
            [[unroll]] for (int i = 0; i < 4; i++)
                p[i] = v[3 - i];
            to_floats(left1, v);
            [[unroll]] for (int i = 0; i < 4; i++)
                p[4 + i] = v[3 - i];
            to_floats(right0, v);
            [[unroll]] for (int i = 0; i < 4; i++)
                q[i] = v[i];
            to_floats(right1, v);
            [[unroll]] for (int i = 0; i < 4; i++)
                q[4 + i] = v[i];
            filter_line(p, q, wide, thresholds(level, records[level]));
            left0 = from_floats(p[3], p[2], p[1], p[0]);
            right0 = from_floats(q[0], q[1], q[2], q[3]);
            changed |= 6u;
            if (is16) {
                left1 = from_floats(p[7], p[6], p[5], p[4]);
                right1 = from_floats(q[4], q[5], q[6], q[7]);
                changed |= 15u;
            }
        }
        if ((changed & 1u) != 0u)
            store_quad(at - 2u * QUAD_WORDS, left1);
        changed >>= 1;
        left1 = left0;
        left0 = right0;
        right0 = right1;
    }
    const uint end = start + steps * QUAD_WORDS;
    if ((changed & 1u) != 0u)
        store_quad(end - 2u * QUAD_WORDS, left1);
    if ((changed & 2u) != 0u)
        store_quad(end - QUAD_WORDS, left0);
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

// All edges between rows down one column of quads.
void filter_rows(Superblock sb, PlaneShape plane, uint quad) {
    const uint steps = 16u >> plane.ss_v;
    uint at = sb.pixels + quad * QUAD_WORDS; // of the first line below the edge
    QUAD lines[16];                          // eight above, eight below the edge
    [[unroll]] for (uint i = 0u; i < 12u; i++)
        lines[i] = load_quad(at + (i - 8u) * plane.stride);
    uint changed = 0u; // bit 0: the uppermost four
    [[dont_unroll]] for (uint s = 0u; s < steps; s++) {
        [[unroll]] for (uint i = 0u; i < 4u; i++)
            lines[12u + i] = load_quad(at + (4u + i) * plane.stride);
        const RowEdge edge = row_edge(sb.record, plane, quad, s);
        if (edge.wide != 0u) {
            const uint row = plane.ss_v != 0u ? s & 6u : s >> 1;
            const uint level = level_at(sb.record, row, edge.level_column);
            const Thresholds t = thresholds(level, records[level]);
            [[dont_unroll]] for (uint x = 0u; x < 4u; x++) {
                float p[8], q[8];
                [[unroll]] for (uint i = 0u; i < 8u; i++) {
                    p[i] = quad_pixel(lines[7u - i], x);
                    q[i] = quad_pixel(lines[8u + i], x);
                }
                filter_line(p, q, edge.wide, t);
                [[unroll]] for (uint i = 0u; i < 3u; i++) {
                    set_pixel(lines[7u - i], x, p[i]);
                    set_pixel(lines[8u + i], x, q[i]);
                }
                if (edge.wide == 16u) {
                    [[unroll]] for (uint i = 3u; i < 7u; i++) {
                        set_pixel(lines[7u - i], x, p[i]);
                        set_pixel(lines[8u + i], x, q[i]);
                    }
                }
            }
            changed |= edge.wide == 16u ? 15u : 6u;
        }
        if ((changed & 1u) != 0u)
            [[unroll]] for (uint i = 0u; i < 4u; i++)
                store_quad(at + (i - 8u) * plane.stride, lines[i]);
        changed >>= 1;
        [[unroll]] for (uint i = 0u; i < 12u; i++)
            lines[i] = lines[i + 4u];
        at += 4u * plane.stride;
    }
    if ((changed & 1u) != 0u)
        [[unroll]] for (uint i = 0u; i < 4u; i++)
            store_quad(at + (i - 8u) * plane.stride, lines[i]);
    if ((changed & 2u) != 0u)
        [[unroll]] for (uint i = 4u; i < 8u; i++)
            store_quad(at + (i - 8u) * plane.stride, lines[i]);
}

void main() {
    const uint lane = gl_LocalInvocationIndex;
    const PlaneShape plane = plane_shape(gl_WorkGroupID.y);
    const uint lines_log2 = 6u - plane.ss_v, quads_log2 = 4u - plane.ss_h;
    for (uint step_number = push.first_step; step_number <= push.last_step; step_number++) {
        const Share share = share_of(step_number);
        for (uint i = lane; i < share.count << lines_log2; i += LANES)
            filter_columns(superblock_of(share, i >> lines_log2, plane), plane, i & ((1u << lines_log2) - 1u));
        memoryBarrierBuffer();
        barrier();
        for (uint i = lane; i < share.count << quads_log2; i += LANES)
            filter_rows(superblock_of(share, i >> quads_log2, plane), plane, i & ((1u << quads_log2) - 1u));
        memoryBarrierBuffer();
        barrier();
    }
}
