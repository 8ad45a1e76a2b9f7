// SPDX-License-Identifier: BSD-2-Clause
//
// The filters of one line of pixels across an edge: VP9 specification, clauses 8.8.3 to 8.8.5. p[0] and q[0] are the
// pixels at the edge. All in fp32, which is exact here.

const float UNIT = float(1 << (BITS - 8)); // thresholds are given for 8 bits
const float HIGH = float((1 << (BITS - 1)) - 1), LOW = -HIGH - 1.0;

struct Thresholds {
    float limit, edge_limit, variance;
};

Thresholds thresholds(uint level, uint limits) {
    return Thresholds(float(limits & 0xffu) * UNIT, float(limits >> 8) * UNIT, float(level >> 4) * UNIT);
}

float max_of(float a, float b, float c, float d, float e, float f) {
    return max(max(max(a, b), max(c, d)), max(e, f));
}

float to_range(float v) { return clamp(v, 0.0, float(PIXEL_MAX)); }

// Pixels of a line are v[0] to v[15] here; the edge lies between v[7] and v[8].

bool is_smooth(float v[16], Thresholds t) {
    // |p0 - q0| * 2 + |p1 - q1| / 2 <= edge limit, where the division rounds down
    return max_of(abs(v[4] - v[5]), abs(v[5] - v[6]), abs(v[6] - v[7]), abs(v[9] - v[8]), abs(v[10] - v[9]),
                  abs(v[11] - v[10])) <= t.limit &&
           abs(v[7] - v[8]) * 4.0 + abs(v[6] - v[9]) < 2.0 * t.edge_limit + 2.0;
}

bool is_flat_inside(float v[16]) {
    return max_of(abs(v[4] - v[7]), abs(v[5] - v[7]), abs(v[6] - v[7]), abs(v[9] - v[8]), abs(v[10] - v[8]),
                  abs(v[11] - v[8])) <= UNIT;
}

bool is_flat_outside(float v[16]) {
    return max(max_of(abs(v[0] - v[7]), abs(v[1] - v[7]), abs(v[2] - v[7]), abs(v[3] - v[7]), abs(v[12] - v[8]),
                      abs(v[13] - v[8])),
               max(abs(v[14] - v[8]), abs(v[15] - v[8]))) <= UNIT;
}

// The pixels that the filters replace, from v[5] on. They are values of their own, so that a lane keeps no more of a line
// than one filter needs.
struct Narrow {
    float p1, p0, q0, q1;
};

Narrow filter_narrow(float v[16], Thresholds t) {
    const bool high_variance = max(abs(v[6] - v[7]), abs(v[9] - v[8])) > t.variance;
    float f = high_variance ? clamp(v[6] - v[9], LOW, HIGH) : 0.0;
    f = clamp(3.0 * (v[8] - v[7]) + f, LOW, HIGH);
    const float f1 = floor(min(f + 4.0, HIGH) * 0.125), f2 = floor(min(f + 3.0, HIGH) * 0.125);
    const float outer = high_variance ? 0.0 : floor(f1 * 0.5 + 0.5);
    return Narrow(to_range(v[6] + outer), to_range(v[7] + f2), to_range(v[8] - f1), to_range(v[9] - outer));
}

// The filters of one line, whose pixels GET(i) and SET(i, value) name; the outer ones are only looked at for 16 wide
// edges. Flat lines become averages over a window that slides across the edge.
#define FILTER_LINE(GET, SET, WIDE, THRESHOLDS)                                                                        \
    {                                                                                                                  \
        float v[16];                                                                                                   \
        [[unroll]] for (uint i = 4u; i < 12u; i++)                                                                     \
            v[i] = GET(i);                                                                                             \
        if (is_smooth(v, THRESHOLDS)) {                                                                                \
            if ((WIDE) >= 8u && is_flat_inside(v)) {                                                                   \
                bool flat_outside = false;                                                                             \
                if ((WIDE) == 16u) {                                                                                   \
                    [[unroll]] for (uint i = 0u; i < 4u; i++) {                                                        \
                        v[i] = GET(i);                                                                                 \
                        v[12u + i] = GET(12u + i);                                                                     \
                    }                                                                                                  \
                    flat_outside = is_flat_outside(v);                                                                 \
                    if (flat_outside) {                                                                                \
                        float sum = 7.0 * v[0] + 2.0 * v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7] + v[8] + 8.0;    \
                        [[unroll]] for (uint i = 1u; i < 15u; i++) {                                                   \
                            SET(i, floor(sum * 0.0625));                                                               \
                            sum += (v[i + 1u] + v[min(i + 8u, 15u)]) - (v[i] + v[max(i, 7u) - 7u]);                    \
                        }                                                                                              \
                    }                                                                                                  \
                }                                                                                                      \
                if (!flat_outside) {                                                                                   \
                    float sum = 3.0 * v[4] + 2.0 * v[5] + v[6] + v[7] + v[8] + 4.0;                                    \
                    [[unroll]] for (uint i = 5u; i < 11u; i++) {                                                       \
                        SET(i, floor(sum * 0.125));                                                                    \
                        sum += (v[i + 1u] + v[min(i + 4u, 11u)]) - (v[i] + v[max(i, 7u) - 3u]);                        \
                    }                                                                                                  \
                }                                                                                                      \
            } else {                                                                                                   \
                const Narrow n = filter_narrow(v, THRESHOLDS);                                                         \
                SET(6, n.p1);                                                                                          \
                SET(7, n.p0);                                                                                          \
                SET(8, n.q0);                                                                                          \
                SET(9, n.q1);                                                                                          \
            }                                                                                                          \
        }                                                                                                              \
    }
