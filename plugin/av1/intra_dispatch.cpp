// SPDX-License-Identifier: BSD-2-Clause
#include "av1/intra_dispatch.h"

#include "av1/intra_schedule.h"
#include "av1/tables.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

namespace dd {
namespace {

constexpr std::uint32_t kMostGroups = 65535; // the smallest limit that Vulkan allows

using Tables = std::array<std::uint8_t, 4 * DD_AV1_INTRA_TABLE_WORDS>;

Tables make_tables() {
    Tables tables{};
    std::memcpy(tables.data() + 4 * DD_AV1_INTRA_SMOOTH_TABLE, av1_smooth_weights, sizeof(av1_smooth_weights));
    std::uint8_t *to = tables.data() + 4 * DD_AV1_INTRA_FILTER_TABLE;
    for (const auto &mode : av1_intra_filter_taps)
        for (const auto &pixel : mode) {
            std::memcpy(to, pixel, sizeof(pixel));
            to += 8;
        }
    return tables;
}

std::uint64_t group_words(const Av1IntraSchedule &wave) {
    return std::uint64_t{wave.groups.size()} * DD_AV1_INTRA_GROUP_WORDS;
}

} // namespace

std::uint64_t plan_av1_intra(const Av1Batch &batch, std::uint64_t next, PhaseWork &work) {
    if (!batch.recon.highest_intra_level())
        return next;
    if (!work.av1_intra_schedule)
        work.av1_intra_schedule = std::make_shared<Av1IntraSchedule>();
    Av1IntraSchedule &wave = *work.av1_intra_schedule;
    wave.build(batch.recon);
    const auto tables = static_cast<std::uint32_t>(next);
    const std::uint32_t groups = tables + DD_AV1_INTRA_TABLE_WORDS;
    Dispatch d;
    d.kernel = kernel_index("av1_intra_" + std::to_string(batch.dst.format.bit_depth));
    for (std::uint32_t level = 0; level < wave.levels(); level++) {
        d.barrier = !work.dispatches.empty();
        for (std::uint32_t first = wave.first_group[level], end = wave.first_group[level + 1]; first < end;) {
            d.set_push(DdAv1IntraPush{groups + first * DD_AV1_INTRA_GROUP_WORDS, tables});
            d.groups = std::min(end - first, kMostGroups);
            work.dispatches.push_back(d);
            d.barrier = false;
            first += d.groups;
        }
    }
    work.residual_bytes = (std::uint64_t{wave.words} + 1) * sizeof(std::uint32_t); // a buffer must not be empty
    work.most_residual_bytes = std::uint64_t{batch.dst.size} * sizeof(std::int16_t) / batch.dst.bytes_per_pixel();
    return next + DD_AV1_INTRA_TABLE_WORDS + group_words(wave) +
           std::uint64_t{wave.records()} * DD_AV1_INTRA_RECORD_WORDS;
}

void write_av1_intra(const Av1Batch &batch, const PhaseWork &work, std::byte *words, std::byte *to) {
    if (!batch.recon.highest_intra_level())
        return;
    static const Tables tables = make_tables();
    const Av1IntraSchedule &wave = *work.av1_intra_schedule;
    const auto records = static_cast<std::uint32_t>((to - words) / 4 + DD_AV1_INTRA_TABLE_WORDS + group_words(wave));
    const auto put = [&](const void *from, std::size_t bytes) {
        std::memcpy(to, from, bytes);
        to += bytes;
    };
    put(tables.data(), tables.size());
    for (DdAv1IntraGroup group : wave.groups) {
        group.records += records;
        put(&group, sizeof(group));
    }
    wave.each_record(batch.recon, DD_AV1_TABLE_WORDS,
                     [&](const DdAv1IntraRecord &record) { put(&record, sizeof(record)); });
}

} // namespace dd
