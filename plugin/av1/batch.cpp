// SPDX-License-Identifier: BSD-2-Clause
#include "av1/batch.h"

#include "util/round_up.h"

#include <algorithm>

namespace dd {
namespace {

constexpr unsigned kSets = 16;
// Strengths of the 5x5 and the 3x3 box, AV1 specification, clause 7.17.3.
constexpr std::uint16_t kStrengths[kSets][2] = {
    {140, 3236}, {112, 2158}, {93, 1618}, {80, 1438}, {70, 1295}, {58, 1177}, {47, 1079}, {37, 996},
    {30, 925},   {25, 863},   {0, 2589},  {0, 1618},  {0, 1177},  {0, 925},   {56, 0},    {22, 0},
};

constexpr std::uint32_t pack_bytes(std::span<const std::uint8_t> bytes) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < bytes.size(); i++)
        word |= std::uint32_t{bytes[i]} << (8 * i);
    return word;
}

std::uint32_t pack_taps(const std::array<std::int8_t, 3> &taps) {
    std::uint32_t word = 0;
    for (unsigned i = 0; i < 3; i++)
        word |= std::uint32_t{static_cast<std::uint8_t>(taps[i])} << (8 * i);
    return word;
}

std::uint32_t pack_halves(int low, int high) {
    return static_cast<std::uint16_t>(low) | std::uint32_t{static_cast<std::uint16_t>(high)} << 16;
}

// 256 - a2 of clause 7.17.3.
unsigned x_by_x(unsigned z) {
    if (z == 0)
        return 255;
    return z == 255 ? 0 : 256 - ((z << 8) + z / 2) / (z + 1);
}

void append_x_by_x(std::vector<std::uint32_t> &words) {
    for (unsigned z = 0; z < 256; z += 4) {
        std::uint32_t word = 0;
        for (unsigned i = 0; i < 4; i++)
            word |= x_by_x(z + i) << (8 * i);
        words.push_back(word);
    }
}

void append_unit(std::vector<std::uint32_t> &words, const Av1RestorationUnit &unit) {
    std::array<std::uint32_t, DD_AV1_UNIT_WORDS> record{unit.kind};
    if (unit.kind == DD_AV1_UNIT_WIENER) {
        record[1] = pack_taps(unit.horizontal);
        record[2] = pack_taps(unit.vertical);
    } else if (unit.kind == DD_AV1_UNIT_SELF_GUIDED) {
        record[1] = pack_halves(kStrengths[unit.set][0], kStrengths[unit.set][1]);
        record[2] = pack_halves(unit.weight[0], 128 - unit.weight[0] - unit.weight[1]);
    }
    words.insert(words.end(), record.begin(), record.end());
}

bool valid(const Av1RestorationUnit &unit) {
    return unit.kind <= DD_AV1_UNIT_SELF_GUIDED && unit.set < kSets;
}

// Clause 7.17: the last unit of a row or column takes what is less than half a unit.
unsigned unit_count(unsigned pixels, unsigned log2) {
    return std::max((pixels + (1u << log2) / 2) >> log2, 1u);
}

} // namespace

unsigned av1_self_guided_set(std::uint32_t strengths) {
    const auto same = [&](const auto &set) { return pack_halves(set[0], set[1]) == strengths; };
    return static_cast<unsigned>(std::ranges::find_if(kStrengths, same) - std::begin(kStrengths));
}

void Av1Filters::clear() {
    params_ = {};
    words_.clear();
    superblocks_ = levels_ = {};
    cdef_ = self_guided_ = false;
}

bool Av1Filters::set(const PictureLayout &dst, const Av1FilterTables &t) {
    if (!refer(dst, t))
        return false;
    superblocks_.keep();
    levels_.keep();
    return true;
}

bool Av1Filters::refer(const PictureLayout &dst, const Av1FilterTables &t) {
    clear();
    const PictureFormat &format = dst.format;
    const unsigned sb_cols = div_up(format.width, 128), sb_rows = div_up(format.height, 128);
    if (!dst.size || t.superblocks.size() != std::size_t{sb_cols} * sb_rows * DD_AV1_SB_WORDS)
        return false;
    const bool deblock = t.deblock_luma || t.deblock_chroma;
    const unsigned level_rows = div_up(format.height, 4);
    if (deblock && (t.level_stride < div_up(format.width, 4) || t.level_stride > sb_cols * 32 ||
                    t.levels.size() < std::size_t{t.level_stride} * level_rows))
        return false;
    if (t.sharpness > 7 || (t.cdef && (t.cdef_damping < 3 || t.cdef_damping > 6)))
        return false;

    for (unsigned p = 0; p < format.planes; p++) {
        const PlaneLayout &plane = dst.plane[p];
        params_.plane[p] = {plane.offset, plane.stride, plane.width, plane.height};
    }
    params_.bit_depth = format.bit_depth;
    params_.planes = format.planes;
    params_.ss_h = format.ss_h;
    params_.ss_v = format.ss_v;
    params_.w4 = div_up(format.width, 4);
    params_.h4 = div_up(format.height, 4);
    params_.w8 = div_up(format.width, 8);
    params_.h8 = div_up(format.height, 8);
    params_.sb_cols = sb_cols;
    params_.sharpness = t.sharpness;
    params_.blocks = (dst.size + 3) / 4;

    append_x_by_x(words_);
    if (deblock) {
        params_.deblock = (t.deblock_luma ? DD_AV1_DEBLOCK_LUMA : 0) |
                          (t.deblock_chroma && format.planes > 1 ? DD_AV1_DEBLOCK_CHROMA : 0);
        params_.level_stride = t.level_stride;
        levels_.view = t.levels.first(std::size_t{t.level_stride} * level_rows);
    }
    set_cdef(t);
    for (unsigned p = 0; p < 3; p++) {
        params_.unit_cols[p] = params_.unit_rows[p] = 1;
        params_.unit_log2[p] = 6;
    }
    if (!set_restoration(dst, t)) {
        clear();
        return false;
    }
    superblocks_.view = t.superblocks;
    params_.superblocks = static_cast<std::uint32_t>(words_.size());
    if (deblock)
        params_.levels = static_cast<std::uint32_t>(words_.size() + t.superblocks.size());
    return true;
}

void Av1Filters::set_cdef(const Av1FilterTables &t) {
    const auto strong = [](std::uint8_t s) { return s != 0; };
    cdef_ = t.cdef && (std::ranges::any_of(t.cdef_luma, strong) || std::ranges::any_of(t.cdef_chroma, strong));
    params_.cdef_damping = t.cdef_damping;
    for (unsigned half = 0; half < 2; half++) {
        params_.cdef_luma[half] = pack_bytes(std::span(t.cdef_luma).subspan(half * 4, 4));
        params_.cdef_chroma[half] = pack_bytes(std::span(t.cdef_chroma).subspan(half * 4, 4));
    }
}

bool Av1Filters::set_restoration(const PictureLayout &dst, const Av1FilterTables &t) {
    for (unsigned p = 0; p < dst.format.planes; p++) {
        const Av1PlaneUnits &plane = t.restoration[p];
        if (plane.units.empty())
            continue;
        if (plane.log2 < 5 || plane.log2 > 8 || plane.cols != unit_count(dst.plane[p].width, plane.log2) ||
            plane.rows != unit_count(dst.plane[p].height, plane.log2) ||
            plane.units.size() != std::size_t{plane.cols} * plane.rows || !std::ranges::all_of(plane.units, valid))
            return false;
        params_.units[p] = static_cast<std::uint32_t>(words_.size());
        params_.unit_cols[p] = plane.cols;
        params_.unit_rows[p] = plane.rows;
        params_.unit_log2[p] = plane.log2;
        for (const Av1RestorationUnit &unit : plane.units) {
            append_unit(words_, unit);
            self_guided_ |= unit.kind == DD_AV1_UNIT_SELF_GUIDED;
        }
        params_.restored |= 1u << p;
    }
    return true;
}

} // namespace dd
