// SPDX-License-Identifier: BSD-2-Clause
#include "debug/av1_block_planes.h"

#include "av1/position.h"

namespace dd {
namespace {

template <typename Record>
Record plane_of(const Record &block, const PictureLayout &dst, bool chroma) {
    const unsigned ss_h = chroma ? dst.format.ss_h : 0, ss_v = chroma ? dst.format.ss_v : 0;
    const unsigned x0 = (block.dst & 0xffff) >> ss_h, y0 = block.dst >> 16 >> ss_v;
    Record plane = block;
    plane.dst = av1_pack(x0, y0);
    plane.ctl = (block.ctl & ~DD_AV1_WHOLE) - (ss_h << DD_AV1_W4_SHIFT) - (ss_v << DD_AV1_H4_SHIFT);
    if (chroma)
        plane.ctl |= DD_AV1_CHROMA;
    for (DdAv1RecordSource &source : plane.source) {
        const std::uint32_t how = source.how;
        const int x = static_cast<int>(x0) * 16 + static_cast<std::int16_t>(source.at) * (2 >> ss_h);
        const int y = static_cast<int>(y0) * 16 + static_cast<std::int16_t>(source.at >> 16) * (2 >> ss_v);
        source.at = av1_pack(av1_near(x >> 4, dst.plane[chroma].width), av1_near(y >> 4, dst.plane[chroma].height));
        source.how = (how & 7u << DD_AV1_REF_SHIFT) | (static_cast<std::uint32_t>(x) & 15) << DD_AV1_MX_SHIFT |
                     (static_cast<std::uint32_t>(y) & 15) << DD_AV1_MY_SHIFT |
                     (how >> (chroma ? DD_AV1_CHROMA_TAPS_X_SHIFT : DD_AV1_TAPS_X_SHIFT) & 7) << DD_AV1_TAPS_X_SHIFT |
                     (how >> (chroma ? DD_AV1_CHROMA_TAPS_Y_SHIFT : DD_AV1_TAPS_Y_SHIFT) & 7) << DD_AV1_TAPS_Y_SHIFT;
    }
    return plane;
}

} // namespace

DdAv1McRecord av1_plane_of(const DdAv1McRecord &block, const PictureLayout &dst, bool chroma) {
    return plane_of(block, dst, chroma);
}
DdAv1PairRecord av1_plane_of(const DdAv1PairRecord &block, const PictureLayout &dst, bool chroma) {
    return plane_of(block, dst, chroma);
}

} // namespace dd
