// SPDX-License-Identifier: BSD-2-Clause
//
// The deblocking filter across one edge. AV1 specification, clauses 7.14.2 to 7.14.6.

// Taps of the edge at the left of (above) a 4x4 block: 0 where there is none, else 4, 6, 8 or 14.
// `dir` 0: edges between columns; 1: between rows. Positions in 4x4 blocks of the plane.
uint edge_taps(uint plane, uint dir, uint x4, uint y4) {
    const uint ss_h = shift_h(plane), ss_v = shift_v(plane);
    const uint across = dir == 0u ? x4 : y4;
    if (across == 0u || x4 >= (params.w4 + ss_h) >> ss_h || y4 >= (params.h4 + ss_v) >> ss_v)
        return 0u;
    const uint sb = params.superblocks + ((y4 >> (5u - ss_v)) * params.sb_cols + (x4 >> (5u - ss_h))) * DD_AV1_SB_WORDS;
    const uint in_x = x4 & (31u >> ss_h), in_y = y4 & (31u >> ss_v);
    const uint line = dir * 32u + (dir == 0u ? in_x : in_y);
    const uint along = dir == 0u ? in_y : in_x;
    if (plane == 0u) {
        const uint at = sb + line * 3u;
        const uint bit = 1u << along;
        if ((words[at + 2u] & bit) != 0u)
            return 14u;
        if ((words[at + 1u] & bit) != 0u)
            return 8u;
        return (words[at] & bit) != 0u ? 4u : 0u;
    }
    const uint at = sb + DD_AV1_SB_CHROMA + line * 2u;
    const uint half_bits = 4u - (dir == 0u ? ss_v : ss_h);
    const uint bit = 1u << (((along >> half_bits) << 4u) + (along & ((1u << half_bits) - 1u)));
    if ((words[at + 1u] & bit) != 0u)
        return 6u;
    return (words[at] & bit) != 0u ? 4u : 0u;
}

// The filter level of an edge: the block's own, else that of the block before it.
uint edge_level(uint plane, uint dir, uint x4, uint y4) {
    const uint at = params.levels + y4 * params.level_stride + x4;
    const int byte = int(8u * (plane == 0u ? dir : plane + 1u));
    const uint own = bitfieldExtract(words[at], byte, 8);
    return own != 0u ? own : bitfieldExtract(words[at - (dir == 0u ? 1u : params.level_stride)], byte, 8);
}

struct Edge {
    uint taps; // 0: leave the pixels alone
    int level;
};

Edge edge_of(uint plane, uint dir, uint x4, uint y4) {
    Edge e = Edge(edge_taps(plane, dir, x4, y4), 0);
    if (e.taps != 0u) {
        e.level = int(edge_level(plane, dir, x4, y4));
        if (e.level == 0)
            e.taps = 0u;
    }
    return e;
}

// Filters the line v across the edge between v[q - 1] and v[q]. `q` is a constant wherever this is called.
void filter_edge(inout int v[24], const int q, const Edge e) {
    if (e.taps == 0u)
        return;
    const int depth = int(params.bit_depth) - 8;
    const int sharp = int(params.sharpness);
    int limit = e.level;
    if (sharp > 0)
        limit = min(limit >> ((sharp + 3) >> 2), 9 - sharp);
    limit = max(limit, 1);
    const int outer = (2 * (e.level + 2) + limit) << depth;
    const int inner = limit << depth;
    const int thresh = (e.level >> 4) << depth;
    const int flat_limit = 1 << depth;

    const int p3 = v[q - 4], p2 = v[q - 3], p1 = v[q - 2], p0 = v[q - 1];
    const int q0 = v[q], q1 = v[q + 1], q2 = v[q + 2], q3 = v[q + 3];
    const int near = max(abs(p1 - p0), abs(q1 - q0));
    int far = near;
    if (e.taps >= 6u)
        far = max(far, max(abs(p2 - p1), abs(q2 - q1)));
    if (e.taps >= 8u)
        far = max(far, max(abs(p3 - p2), abs(q3 - q2)));
    if (far > inner || abs(p0 - q0) * 2 + (abs(p1 - q1) >> 1) > outer)
        return;

    bool flat_inner = false;
    if (e.taps >= 6u) {
        int d = max(max(abs(p2 - p0), abs(q2 - q0)), near);
        if (e.taps >= 8u)
            d = max(d, max(abs(p3 - p0), abs(q3 - q0)));
        flat_inner = d <= flat_limit;
    }
    if (flat_inner && e.taps == 14u) {
        const int p6 = v[q - 7], p5 = v[q - 6], p4 = v[q - 5], q4 = v[q + 4], q5 = v[q + 5], q6 = v[q + 6];
        const int d = max(max(max(abs(p6 - p0), abs(p5 - p0)), max(abs(p4 - p0), abs(q4 - q0))),
                          max(abs(q5 - q0), abs(q6 - q0)));
        if (d <= flat_limit) {
            // A window of 13 pixels that moves by one pixel for each output.
            int s = p6 * 7 + p5 * 2 + p4 * 2 + p3 + p2 + p1 + p0 + q0 + 8;
            v[q - 6] = s >> 4;
            s += p3 + q1 - p6 - p6;
            v[q - 5] = s >> 4;
            s += p2 + q2 - p6 - p5;
            v[q - 4] = s >> 4;
            s += p1 + q3 - p6 - p4;
            v[q - 3] = s >> 4;
            s += p0 + q4 - p6 - p3;
            v[q - 2] = s >> 4;
            s += q0 + q5 - p6 - p2;
            v[q - 1] = s >> 4;
            s += q1 + q6 - p6 - p1;
            v[q] = s >> 4;
            s += q2 + q6 - p5 - p0;
            v[q + 1] = s >> 4;
            s += q3 + q6 - p4 - q0;
            v[q + 2] = s >> 4;
            s += q4 + q6 - p3 - q1;
            v[q + 3] = s >> 4;
            s += q5 + q6 - p2 - q2;
            v[q + 4] = s >> 4;
            s += q6 + q6 - p1 - q3;
            v[q + 5] = s >> 4;
            return;
        }
    }
    if (flat_inner && e.taps >= 8u) {
        int s = p3 * 3 + p2 * 2 + p1 + p0 + q0 + 4;
        v[q - 3] = s >> 3;
        s += p1 + q1 - p3 - p2;
        v[q - 2] = s >> 3;
        s += p0 + q2 - p3 - p1;
        v[q - 1] = s >> 3;
        s += q0 + q3 - p3 - p0;
        v[q] = s >> 3;
        s += q1 + q3 - p2 - q0;
        v[q + 1] = s >> 3;
        s += q2 + q3 - p1 - q1;
        v[q + 2] = s >> 3;
        return;
    }
    if (flat_inner) {
        v[q - 2] = (p2 * 3 + p1 * 2 + p0 * 2 + q0 + 4) >> 3;
        v[q - 1] = (p2 + p1 * 2 + p0 * 2 + q0 * 2 + q1 + 4) >> 3;
        v[q] = (p1 + p0 * 2 + q0 * 2 + q1 * 2 + q2 + 4) >> 3;
        v[q + 1] = (p0 + q0 * 2 + q1 * 2 + q2 * 3 + 4) >> 3;
        return;
    }

    // The narrow filter, clause 7.14.6.3.
    const int low = -(128 << depth), high = (128 << depth) - 1;
    const int top = (256 << depth) - 1;
    const bool busy = near > thresh;
    const int base = clamp(3 * (q0 - p0) + (busy ? clamp(p1 - q1, low, high) : 0), low, high);
    const int f1 = min(base + 4, high) >> 3;
    const int f2 = min(base + 3, high) >> 3;
    v[q - 1] = clamp(p0 + f2, 0, top);
    v[q] = clamp(q0 - f1, 0, top);
    if (!busy) {
        const int f = (f1 + 1) >> 1;
        v[q - 2] = clamp(p1 + f, 0, top);
        v[q + 1] = clamp(q1 - f, 0, top);
    }
}
