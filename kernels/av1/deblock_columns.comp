// SPDX-License-Identifier: BSD-2-Clause
//
// Deblocking across the edges between columns, of a whole frame. AV1 specification, clause 7.14.
// The edges of a frame don't touch each other's pixels, so they need no order. A lane owns eight pixels of a
// row; it filters the edges at its start, middle and end, and keeps what falls into its own pixels.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "filter.glsl"
#include "deblock.glsl"

void main() {
    const uint group = group_index();
    if (group >= pass.total)
        return;
    const uint plane = plane_of_group(group);
    const uint lane = (group - first_group(plane)) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    const uint across = (plane_columns(plane) + 7u) / 8u;
    const uint y = lane / across;
    const uint x4 = (lane - y * across) * 2u;
    if (y >= plane_rows(plane))
        return;

    const DdAv1Plane at = plane_at(plane);
    const uint own = quad_at(at, int(x4), int(y));
    PIXELS left = LOAD_QUAD(dst, own), right = LOAD_QUAD(dst, own + QUAD_WORDS);
    if (filtered(plane)) {
        const Edge e0 = edge_of(plane, 0u, x4, y / 4u);
        const Edge e1 = edge_of(plane, 0u, x4 + 1u, y / 4u);
        const Edge e2 = edge_of(plane, 0u, x4 + 2u, y / 4u);
        if ((e0.taps | e1.taps | e2.taps) != 0u) {
            int v[24];
            const PIXELS b0 = LOAD_QUAD(dst, own - 2u * QUAD_WORDS), b1 = LOAD_QUAD(dst, own - QUAD_WORDS);
            const PIXELS a0 = LOAD_QUAD(dst, own + 2u * QUAD_WORDS), a1 = LOAD_QUAD(dst, own + 3u * QUAD_WORDS);
            [[unroll]] for (uint i = 0u; i < 4u; i++) {
                v[i] = int(pixel(b0, i));
                v[4u + i] = int(pixel(b1, i));
                v[8u + i] = int(pixel(left, i));
                v[12u + i] = int(pixel(right, i));
                v[16u + i] = int(pixel(a0, i));
                v[20u + i] = int(pixel(a1, i));
            }
            filter_edge(v, 8, e0);
            filter_edge(v, 12, e1);
            filter_edge(v, 16, e2);
            [[unroll]] for (uint i = 0u; i < 4u; i++) {
                left = with_pixel(left, i, uint(v[8u + i]));
                right = with_pixel(right, i, uint(v[12u + i]));
            }
        }
    }
    STORE_QUAD(scratch_a, own, left);
    STORE_QUAD(scratch_a, own + QUAD_WORDS, right);
}
