// SPDX-License-Identifier: BSD-2-Clause
//
// Deblocking across the edges between rows, of a whole frame whose column edges are done. AV1 specification,
// clause 7.14. A lane owns four columns of eight rows, as the lanes of deblock_columns.comp own eight columns of one.
// Without edges this is the copy that gives CDEF its source.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "filter.glsl"
#include "deblock.glsl"

PIXELS load(uint at) { return LOAD_QUAD(scratch_a, at); }

void store(uint at, PIXELS q) {
    if ((pass.flags & DD_AV1_PASS_TO_DST) != 0u)
        STORE_QUAD(dst, at, q);
    else
        STORE_QUAD(scratch_b, at, q);
}

// Of a plane without edges. Apart from the filter: v3dv 25.0 spills a value that a divergent branch assigns from a load wrongly.
void copy_row(uint at) {
    if ((pass.flags & DD_AV1_PASS_FROM_DST) != 0u)
        store(at, LOAD_QUAD(dst, at));
    else
        store(at, load(at));
}

void main() {
    const uint group = group_index();
    if (group >= pass.total)
        return;
    const uint plane = plane_of_group(group);
    const uint lane = (group - first_group(plane)) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    const uint across = plane_columns(plane) / 4u;
    const uint rows = plane_rows(plane);
    const uint strip = lane / across;
    const uint x4 = lane - strip * across;
    const uint y = strip * 8u;
    if (y >= rows)
        return;

    const DdAv1Plane at = plane_at(plane);
    const uint step = at.stride / 4u;
    const uint own = quad_at(at, int(x4), int(y));
    if (!filtered(plane)) {
        for (uint j = 0u; j < min(8u, rows - y); j++)
            copy_row(own + j * step);
        return;
    }
    PIXELS r[8];
    [[unroll]] for (uint j = 0u; j < 8u; j++)
        r[j] = load(own + j * step);
    const Edge e0 = edge_of(plane, 1u, x4, y / 4u);
    const Edge e1 = edge_of(plane, 1u, x4, y / 4u + 1u);
    const Edge e2 = edge_of(plane, 1u, x4, y / 4u + 2u);
    if ((e0.taps | e1.taps | e2.taps) != 0u) {
        PIXELS above[7], below[7];
        [[unroll]] for (uint j = 0u; j < 7u; j++) {
            above[j] = e0.taps != 0u ? load(own - (7u - j) * step) : r[0];
            below[j] = e2.taps != 0u ? load(own + (8u + j) * step) : r[0];
        }
        [[dont_unroll]] for (uint i = 0u; i < 4u; i++) {
            int v[24];
            v[0] = 0;
            v[23] = 0;
            [[unroll]] for (uint j = 0u; j < 7u; j++) {
                v[1u + j] = int(pixel(above[j], i));
                v[16u + j] = int(pixel(below[j], i));
            }
            [[unroll]] for (uint j = 0u; j < 8u; j++)
                v[8u + j] = int(pixel(r[j], i));
            filter_edge(v, 8, e0);
            filter_edge(v, 12, e1);
            filter_edge(v, 16, e2);
            [[unroll]] for (uint j = 0u; j < 8u; j++)
                r[j] = with_pixel(r[j], i, uint(v[8u + j]));
        }
    }
    [[unroll]] for (uint j = 0u; j < 8u; j++)
        if (y + j < rows)
            store(own + j * step, r[j]);
}
