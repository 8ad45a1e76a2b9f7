// SPDX-License-Identifier: BSD-2-Clause
//
// IEEE half floats, round to nearest even, as the conversions of operands and results do them.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

namespace v3dsim {

static inline float half_to_float(uint16_t h) {
    const uint32_t sign = static_cast<uint32_t>(h & 0x8000) << 16;
    const uint32_t exponent = h >> 10 & 31;
    uint32_t mantissa = h & 0x3ff;
    if (exponent == 31)
        return std::bit_cast<float>(sign | 0x7f800000 | mantissa << 13);
    if (exponent != 0)
        return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f; // subnormal
    return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | sign);
}

static inline uint16_t float_to_half(float f) {
    const uint32_t bits = std::bit_cast<uint32_t>(f);
    const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
    const uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return sign | 0x7e00 | static_cast<uint16_t>(magnitude >> 13 & 0x3ff);
    if (magnitude >= 0x477ff000) // 65520 and above round to infinity
        return sign | 0x7c00;
    if (magnitude < 0x38800000) { // below 2^-14: a multiple of 2^-24
        const float scaled = std::bit_cast<float>(magnitude) * 0x1p24f;
        return sign | static_cast<uint16_t>(std::nearbyint(scaled));
    }
    const uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    return sign | static_cast<uint16_t>((rounded >> 13) - (112 << 10));
}

} // namespace v3dsim
