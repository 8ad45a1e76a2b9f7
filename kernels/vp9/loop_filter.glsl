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

bool is_smooth(float p[8], float q[8], Thresholds t) {
    // |p0 - q0| * 2 + |p1 - q1| / 2 <= edge limit, where the division rounds down
    return max_of(abs(p[3] - p[2]), abs(p[2] - p[1]), abs(p[1] - p[0]), abs(q[1] - q[0]), abs(q[2] - q[1]),
                  abs(q[3] - q[2])) <= t.limit &&
           abs(p[0] - q[0]) * 4.0 + abs(p[1] - q[1]) < 2.0 * t.edge_limit + 2.0;
}

bool is_flat_inside(float p[8], float q[8]) {
    return max_of(abs(p[3] - p[0]), abs(p[2] - p[0]), abs(p[1] - p[0]), abs(q[1] - q[0]), abs(q[2] - q[0]),
                  abs(q[3] - q[0])) <= UNIT;
}

bool is_flat_outside(float p[8], float q[8]) {
    return max(max_of(abs(p[7] - p[0]), abs(p[6] - p[0]), abs(p[5] - p[0]), abs(p[4] - p[0]), abs(q[4] - q[0]),
                      abs(q[5] - q[0])),
               max(abs(q[6] - q[0]), abs(q[7] - q[0]))) <= UNIT;
}

void filter_narrow(inout float p[8], inout float q[8], Thresholds t) {
    const bool high_variance = max(abs(p[1] - p[0]), abs(q[1] - q[0])) > t.variance;
    float f = high_variance ? clamp(p[1] - q[1], LOW, HIGH) : 0.0;
    f = clamp(3.0 * (q[0] - p[0]) + f, LOW, HIGH);
    const float f1 = floor(min(f + 4.0, HIGH) * 0.125), f2 = floor(min(f + 3.0, HIGH) * 0.125);
    p[0] = to_range(p[0] + f2);
    q[0] = to_range(q[0] - f1);
    if (!high_variance) {
        f = floor(f1 * 0.5 + 0.5);
        p[1] = to_range(p[1] + f);
        q[1] = to_range(q[1] - f);
    }
}

// Averages over a window that slides across the edge; beyond pixel `count` the outermost one repeats.
#define FILTER_FLAT(NAME, COUNT)                                                                                       \
    void NAME(inout float p[8], inout float q[8]) {                                                                    \
        float v[2 * COUNT]; /* from the outermost p to the outermost q */                                              \
        [[unroll]] for (int i = 0; i < COUNT; i++) {                                                                              \
            v[i] = p[COUNT - 1 - i];                                                                                   \
            v[COUNT + i] = q[i];                                                                                       \
        }                                                                                                              \
        float sum = float(COUNT) + v[0] * float(COUNT - 1) + v[1];                                                     \
        [[unroll]] for (int i = 1; i <= COUNT; i++)                                                                               \
            sum += v[i];                                                                                               \
        [[unroll]] for (int i = 1; i <= 2 * COUNT - 2; i++) {                                                                     \
            const float average = floor(sum * (0.5 / float(COUNT)));                                                   \
            if (i < COUNT)                                                                                             \
                p[COUNT - 1 - i] = average;                                                                            \
            else                                                                                                       \
                q[i - COUNT] = average;                                                                                \
            if (i < 2 * COUNT - 2)                                                                                     \
                sum += (v[i + 1] + v[min(i + COUNT, 2 * COUNT - 1)]) - (v[i] + v[max(i - COUNT + 1, 0)]);              \
        }                                                                                                              \
    }

FILTER_FLAT(filter_flat8, 4)
FILTER_FLAT(filter_flat16, 8)
