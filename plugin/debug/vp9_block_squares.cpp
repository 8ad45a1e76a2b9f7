// SPDX-License-Identifier: BSD-2-Clause
#include "debug/vp9_block_squares.h"

namespace dd {
namespace {

DdMcRecord square_of(std::uint32_t at, std::uint32_t mv, unsigned slot, unsigned plane) {
    const unsigned side = plane ? 4 : 8; // of the smallest block
    const unsigned x = (at >> DD_MC_BLOCK_COL_SHIFT & DD_MC_BLOCK_PLACE_MASK) * side,
                   y = (at >> DD_MC_BLOCK_ROW_SHIFT & DD_MC_BLOCK_PLACE_MASK) * side;
    const std::int32_t unit = plane ? 1 : 2; // a vector counts 1/8 pixel of luma and 1/16 of chroma
    const Vp9Source source{static_cast<std::int16_t>(mv & 0xffff) * unit, static_cast<std::int16_t>(mv >> 16) * unit};
    return {vp9_pack(x, y), source.position(x, y), 0,
            (at >> DD_MC_BLOCK_FILTER_SHIFT & 3) << DD_MC_FILTER_SHIFT | plane << DD_MC_PLANE_SHIFT |
                slot << DD_MC_REF0_SHIFT | source.subpel() << DD_MC_MX0_SHIFT};
}

} // namespace

std::array<DdMcRecord, 3> vp9_squares_of(const DdMcBlock &block, unsigned first) {
    std::array<DdMcRecord, 3> all{};
    for (unsigned plane = 0; plane < 3; plane++)
        all[plane] = square_of(block.at, block.mv, first, plane);
    return all;
}

std::array<DdMcRecord, 3> vp9_squares_of(const DdMcPairBlock &block, unsigned first, unsigned second) {
    std::array<DdMcRecord, 3> all = vp9_squares_of(DdMcBlock{block.at, block.mv0}, first);
    for (unsigned plane = 0; plane < 3; plane++) {
        const DdMcRecord other = square_of(block.at, block.mv1, 0, plane);
        all[plane].src1 = other.src0;
        all[plane].ctl |=
            DD_MC_COMPOUND | second << DD_MC_REF1_SHIFT | (other.ctl >> DD_MC_MX0_SHIFT & 0xff) << DD_MC_MX1_SHIFT;
    }
    return all;
}

} // namespace dd
