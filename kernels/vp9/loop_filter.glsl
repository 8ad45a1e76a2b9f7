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

void filter_narrow(inout float v[16], Thresholds t) {
    const bool high_variance = max(abs(v[6] - v[7]), abs(v[9] - v[8])) > t.variance;
    float f = high_variance ? clamp(v[6] - v[9], LOW, HIGH) : 0.0;
    f = clamp(3.0 * (v[8] - v[7]) + f, LOW, HIGH);
    const float f1 = floor(min(f + 4.0, HIGH) * 0.125), f2 = floor(min(f + 3.0, HIGH) * 0.125);
    const float outer = high_variance ? 0.0 : floor(f1 * 0.5 + 0.5);
    v[6] = to_range(v[6] + outer);
    v[7] = to_range(v[7] + f2);
    v[8] = to_range(v[8] - f1);
    v[9] = to_range(v[9] - outer);
}

// Averages over a window that slides across the edge.
void filter_flat8(inout float v[16]) {
    const float left = v[4], right = v[11];
    const float p2 = v[5], p1 = v[6], p0 = v[7], q0 = v[8], q1 = v[9], q2 = v[10];
    float sum = 3.0 * left + 2.0 * p2 + p1 + p0 + q0 + 4.0;
    v[5] = floor(sum * 0.125);
    sum += (p1 + q1) - (left + p2);
    v[6] = floor(sum * 0.125);
    sum += (p0 + q2) - (left + p1);
    v[7] = floor(sum * 0.125);
    sum += (q0 + right) - (left + p0);
    v[8] = floor(sum * 0.125);
    sum += (q1 + right) - (p2 + q0);
    v[9] = floor(sum * 0.125);
    sum += (q2 + right) - (p1 + q1);
    v[10] = floor(sum * 0.125);
}

// The filters of one line, whose pixels GET(i) and SET(i, value) name; the outer ones are only looked at for 16 wide
// edges.
#define FILTER_LINE(GET, SET, WIDE, THRESHOLDS)                                                                        \
    {                                                                                                                  \
        float v[16];                                                                                                   \
        [[unroll]] for (uint i = 4u; i < 12u; i++)                                                                     \
            v[i] = GET(i);                                                                                             \
        if (is_smooth(v, THRESHOLDS)) {                                                                                \
            const bool flat_inside = (WIDE) >= 8u && is_flat_inside(v);                                                \
            bool flat_outside = false;                                                                                 \
            if (flat_inside && (WIDE) == 16u) {                                                                        \
                [[unroll]] for (uint i = 0u; i < 4u; i++) {                                                            \
                    v[i] = GET(i);                                                                                     \
                    v[12u + i] = GET(12u + i);                                                                         \
                }                                                                                                      \
                flat_outside = is_flat_outside(v);                                                                     \
                if (flat_outside) {                                                                                    \
                    float sum = 7.0 * v[0] + 2.0 * v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7] + v[8] + 8.0;        \
                    [[unroll]] for (uint i = 1u; i < 15u; i++) {                                                       \
                        SET(i, floor(sum * 0.0625));                                                                   \
                        sum += (v[i + 1u] + v[min(i + 8u, 15u)]) - (v[i] + v[max(i, 7u) - 7u]);                        \
                    }                                                                                                  \
                }                                                                                                      \
            }                                                                                                          \
            if (!flat_outside) {                                                                                       \
                if (flat_inside)                                                                                       \
                    filter_flat8(v);                                                                                   \
                else                                                                                                   \
                    filter_narrow(v, THRESHOLDS);                                                                      \
                [[unroll]] for (uint i = 5u; i < 11u; i++)                                                             \
                    SET(i, v[i]);                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }
