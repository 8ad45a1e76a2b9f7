// SPDX-License-Identifier: BSD-2-Clause
//
// Random whole blocks of AV1, and the predictions of planes that they stand for.
#pragma once
#include "av1/recorder.h"
#include "kernels/av1_random.h"

namespace dd::test {

// Without a place.
inline DdAv1InterBlock random_block(Random &random, unsigned largest_log2) {
    DdAv1InterBlock b{};
    b.w_log2 = static_cast<std::uint8_t>(3 + below(random, largest_log2 - 2));
    b.h_log2 = static_cast<std::uint8_t>(3 + below(random, largest_log2 - 2));
    b.compound = static_cast<std::uint8_t>(below(random, 2));
    b.weight = static_cast<std::uint8_t>(below(random, 65));
    constexpr std::uint8_t taps[] = {DD_AV1_TAPS_REGULAR, DD_AV1_TAPS_SMOOTH, DD_AV1_TAPS_SHARP, DD_AV1_TAPS_BILINEAR};
    b.taps_x = taps[below(random, 4)];
    b.taps_y = taps[below(random, 4)];
    for (unsigned i = 0; i < 2; i++) {
        b.ref[i] = static_cast<std::uint8_t>(below(random, kAv1Refs));
        const unsigned reach = 1u << below(random, 16);
        for (std::int16_t &mv : b.mv[i])
            mv = static_cast<std::int16_t>(static_cast<int>(below(random, 2 * reach)) - static_cast<int>(reach));
        if (below(random, 3) == 0) // without a vertical filter: in luma alone, or in all planes
            b.mv[i][1] = static_cast<std::int16_t>(b.mv[i][1] & (below(random, 2) ? ~7 : ~15));
    }
    return b;
}

inline std::uint8_t taps_for(std::uint8_t kind, unsigned pixels) {
    return kind == DD_AV1_TAPS_BILINEAR || pixels > 4 ? kind
                                                      : static_cast<std::uint8_t>(DD_AV1_TAPS_REGULAR_4 + (kind & 1));
}

// What a decoder would say of one plane of it.
inline DdAv1Prediction prediction_of(const DdAv1InterBlock &b, const PictureFormat &format, bool chroma) {
    const unsigned ss_h = chroma ? format.ss_h : 0, ss_v = chroma ? format.ss_v : 0;
    DdAv1Prediction p{};
    p.chroma = chroma;
    p.kind = b.compound ? DD_AV1_WEIGHTED : DD_AV1_SINGLE;
    p.weight = b.compound ? b.weight : 0;
    p.x = static_cast<std::uint16_t>(b.x >> ss_h);
    p.y = static_cast<std::uint16_t>(b.y >> ss_v);
    p.w = static_cast<std::uint16_t>(1u << b.w_log2 >> ss_h);
    p.h = static_cast<std::uint16_t>(1u << b.h_log2 >> ss_v);
    for (unsigned i = 0; i < 2; i++)
        p.source[i] = {nullptr,
                       p.x * 16 + b.mv[i][0] * (ss_h ? 1 : 2),
                       p.y * 16 + b.mv[i][1] * (ss_v ? 1 : 2),
                       b.ref[i],
                       taps_for(b.taps_x, p.w),
                       taps_for(b.taps_y, p.h)};
    return p;
}

} // namespace dd::test
