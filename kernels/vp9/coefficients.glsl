// SPDX-License-Identifier: BSD-2-Clause
//
// The coefficients of a frame.

layout(std430, set = 0, binding = DD_BIND_COEFS) readonly buffer Coefs {
    uint coefs[];
};

// With 8 bits, coefficients and residuals fit in 16, and two of them in a word.
int half_of(uint pair, uint odd) { return int(pair << (16u - odd * 16u)) >> 16; }
uint make_pair(int even, int odd) { return (uint(even) & 0xffffu) | uint(odd) << 16; }

// Element `at` of the corner that starts at word `first`.
int coefficient(uint first, uint at) {
#if BITS == 8
    return half_of(coefs[first + (at >> 1)], at & 1u);
#else
    return int(coefs[first + at]);
#endif
}
