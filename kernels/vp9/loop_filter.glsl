// SPDX-License-Identifier: BSD-2-Clause
//
// The filters of one line of pixels across an edge: VP9 specification, clauses 8.8.3 to 8.8.5. All in fp32, which is
// exact here. Pixels of a line are v[0] to v[15], all of them LINE_BIAS too large; the edge lies between v[7] and v[8].

const float UNIT = float(1 << (BITS - 8)); // thresholds are given for 8 bits
const float HIGH = float((1 << (BITS - 1)) - 1), LOW = -HIGH - 1.0;

const uint NARROW = 0u, EIGHT = 1u, SIXTEEN = 2u; // widths

struct Strength {
    float limit, edge_limit, variance;
    uint width;
};

// `limits`: limit | mblimit << 8. |p0 - q0| * 2 + |p1 - q1| / 2 <= mblimit, where the division rounds down.
Strength strength_of(uint level, uint limits, uint width) {
    return Strength(float(limits & 0xffu) * UNIT, float(limits >> 8) * (2.0 * UNIT) + 2.0, float(level >> 4) * UNIT,
                    width);
}

float max_of(float a, float b, float c, float d, float e, float f) {
    return max(max(max(a, b), max(c, d)), max(e, f));
}

float to_range(float v) { return clamp(v, LINE_BIAS, LINE_BIAS + float(PIXEL_MAX)); }

bool is_smooth(float v[16], Strength t) {
    return max_of(abs(v[4] - v[5]), abs(v[5] - v[6]), abs(v[6] - v[7]), abs(v[9] - v[8]), abs(v[10] - v[9]),
                  abs(v[11] - v[10])) <= t.limit &&
           abs(v[7] - v[8]) * 4.0 + abs(v[6] - v[9]) < t.edge_limit;
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

// v[6] to v[9]
void filter_narrow(inout float v[16], Strength t) {
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

// v[5] to v[10] become averages over eight pixels: a window slides across the edge. One addition after another: sums of
// differences that a compiler works out beforehand take registers.
void filter_eight(inout float v[16]) {
    const float old[16] = v;
    float sum = 3.0 * old[4] + 2.0 * old[5] + old[6] + old[7] + old[8] + 4.0;
    [[unroll]] for (uint i = 5u; i < 11u; i++) {
        v[i] = floor(sum * 0.125);
        sum = sum - old[i] + old[i + 1u] - old[max(i, 7u) - 3u] + old[min(i + 4u, 11u)];
    }
}
