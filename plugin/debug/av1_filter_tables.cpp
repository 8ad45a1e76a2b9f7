// SPDX-License-Identifier: BSD-2-Clause
#include "debug/av1_filter_tables.h"

namespace dd {
namespace {

std::array<std::int8_t, 3> taps_of(std::uint32_t word) {
    return {static_cast<std::int8_t>(word), static_cast<std::int8_t>(word >> 8), static_cast<std::int8_t>(word >> 16)};
}

std::array<std::uint8_t, 8> strengths_of(const std::uint32_t (&words)[2]) {
    std::array<std::uint8_t, 8> strengths{};
    for (unsigned i = 0; i < 8; i++)
        strengths[i] = static_cast<std::uint8_t>(words[i / 4] >> (8 * (i % 4)));
    return strengths;
}

Av1RestorationUnit unit_of(std::span<const std::uint32_t> record) {
    Av1RestorationUnit unit;
    unit.kind = static_cast<std::uint8_t>(record[0]);
    if (unit.kind == DD_AV1_UNIT_WIENER) {
        unit.horizontal = taps_of(record[1]);
        unit.vertical = taps_of(record[2]);
    } else if (unit.kind == DD_AV1_UNIT_SELF_GUIDED) {
        unit.set = static_cast<std::uint8_t>(av1_self_guided_set(record[1]));
        const int first = static_cast<std::int16_t>(record[2]), second = static_cast<std::int16_t>(record[2] >> 16);
        unit.weight = {static_cast<std::int8_t>(first), static_cast<std::int8_t>(128 - first - second)};
    }
    return unit;
}

} // namespace

Av1TablesOf::Av1TablesOf(const Av1Filters &filters) : filters_(filters) {
    const DdAv1FilterParams &params = filters.params();
    for (unsigned p = 0; p < 3; p++) {
        if (!(params.restored >> p & 1))
            continue;
        const std::size_t count = std::size_t{params.unit_cols[p]} * params.unit_rows[p];
        for (std::size_t i = 0; i < count; i++)
            units_[p].push_back(
                unit_of(filters.words().subspan(params.units[p] + i * DD_AV1_UNIT_WORDS, DD_AV1_UNIT_WORDS)));
    }
}

Av1FilterTables Av1TablesOf::tables() const {
    const DdAv1FilterParams &params = filters_.params();
    Av1FilterTables t;
    t.superblocks = filters_.superblocks();
    t.deblock_luma = params.deblock & DD_AV1_DEBLOCK_LUMA;
    t.deblock_chroma = params.deblock & DD_AV1_DEBLOCK_CHROMA;
    if (filters_.deblock()) {
        t.level_stride = params.level_stride;
        t.levels = filters_.levels();
    }
    t.sharpness = params.sharpness;
    t.cdef = filters_.cdef();
    t.cdef_damping = params.cdef_damping;
    t.cdef_luma = strengths_of(params.cdef_luma);
    t.cdef_chroma = strengths_of(params.cdef_chroma);
    for (unsigned p = 0; p < 3; p++)
        if (!units_[p].empty())
            t.restoration[p] = {units_[p], params.unit_cols[p], params.unit_rows[p], params.unit_log2[p]};
    return t;
}

} // namespace dd
