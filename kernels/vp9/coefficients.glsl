// SPDX-License-Identifier: BSD-2-Clause
//
// The coefficients of a frame.

layout(std430, set = 0, binding = DD_BIND_COEFS) readonly buffer Coefs {
    uint coefs[];
};

// Element `at` of the corner that starts at word `first`.
int coefficient(uint first, uint at) {
#if BITS == 8
    return int(coefs[first + (at >> 1)] << (16u - (at & 1u) * 16u)) >> 16;
#else
    return int(coefs[first + at]);
#endif
}
