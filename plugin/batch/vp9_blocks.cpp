// SPDX-License-Identifier: BSD-2-Clause
#include "batch/vp9_blocks.h"

namespace dd {
namespace {

constexpr std::uint32_t pack(unsigned x, unsigned y) {
    return (x & 0xffffu) | y << 16;
}

struct Source {
    std::uint32_t position, subpel; // of DdMcRecord
};

// Of the square at (x, y) in a plane: a vector counts 1/8 pixel of luma and 1/16 of chroma.
Source source_of(unsigned x, unsigned y, std::uint32_t mv, bool chroma) {
    const std::int32_t scale = chroma ? 1 : 2;
    const std::int32_t mv_x = static_cast<std::int16_t>(mv & 0xffff) * scale,
                       mv_y = static_cast<std::int16_t>(mv >> 16) * scale;
    return {pack(x + static_cast<unsigned>(mv_x >> 4), y + static_cast<unsigned>(mv_y >> 4)),
            (mv_x & 15u) | (mv_y & 15u) << 4};
}

DdMcRecord square_of(std::uint32_t at, std::uint32_t mv, unsigned slot, unsigned plane) {
    const unsigned side = plane ? 4 : 8; // of the smallest block
    const unsigned x = (at >> DD_MC_BLOCK_COL_SHIFT & DD_MC_BLOCK_PLACE_MASK) * side,
                   y = (at >> DD_MC_BLOCK_ROW_SHIFT & DD_MC_BLOCK_PLACE_MASK) * side;
    const Source source = source_of(x, y, mv, plane != 0);
    return {pack(x, y), source.position, 0,
            (at >> DD_MC_BLOCK_FILTER_SHIFT & 3) << DD_MC_FILTER_SHIFT | plane << DD_MC_PLANE_SHIFT |
                slot << DD_MC_REF0_SHIFT | source.subpel << DD_MC_MX0_SHIFT};
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
