// SPDX-License-Identifier: BSD-2-Clause
//
// Dispatches of AV1's inter prediction and residuals, and the bytes that they read.
#include "av1/blocks.h"
#include "av1/dispatch.h"
#include "av1/intra_dispatch.h"
#include "av1/residual_dispatch.h"
#include "av1/tables.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace dd {
namespace {

constexpr unsigned kLanes = 255;

// The streams of a recorder, for one kernel: of planes, and of whole blocks.
template <auto Planes, auto Blocks = nullptr>
struct KernelStreams {
    const char *name;
    bool may_have_masks = false;
    static constexpr bool has_blocks = !std::is_null_pointer_v<decltype(Blocks)>;
    const auto &planes(const Av1Recorder &recorder) const { return recorder.*Planes; }
    const auto &blocks(const Av1Recorder &recorder) const requires has_blocks { return recorder.*Blocks; }
};

template <typename Visit>
void for_all_kernels(Visit visit) {
    visit(KernelStreams<&Av1Recorder::mc, &Av1Recorder::blocks>{"mc"});
    visit(KernelStreams<&Av1Recorder::pairs, &Av1Recorder::pair_blocks>{"pair", true});
    visit(KernelStreams<&Av1Recorder::overlaps>{"overlap"});
    visit(KernelStreams<&Av1Recorder::warps>{"warp", true});
    visit(KernelStreams<&Av1Recorder::differences>{"difference"});
}

// Records of one kernel and group of references, that as many lanes each work on.
struct Run {
    std::uint32_t first, count; // records of the dispatch
    std::uint32_t how;          // DD_AV1_GROUP_*
    std::uint32_t lanes() const { return count << (how >> DD_AV1_GROUP_LOG2 & 7); }
    std::uint32_t groups() const { return (lanes() + kLanes - 1) / kLanes; }
};

// In the order in which put_records() writes them. Whole blocks have a second run for chroma. Returns the number of
// records.
template <typename Kernel, typename Visit>
std::uint32_t for_all_runs(const Av1Batch &batch, const Kernel &kernel, unsigned group, Visit visit) {
    std::uint32_t next = 0;
    const auto count = [&](auto &&streams_of, unsigned c) {
        std::size_t records = 0;
        for (const Av1Recorder &recorder : batch.recon.recorders)
            records += streams_of(recorder)[group][c].size();
        next += static_cast<std::uint32_t>(records);
        return static_cast<std::uint32_t>(records);
    };
    for (unsigned c = 0; c < DD_AV1_CLASSES; c++) {
        const std::uint32_t first = next;
        if (const std::uint32_t records = count(
                [&](const auto &r) -> auto & { return kernel.planes(r); }, c))
            visit(Run{first, records, c << DD_AV1_GROUP_LOG2});
    }
    if constexpr (Kernel::has_blocks)
        for (unsigned c = 0; c < DD_AV1_CLASSES; c++) {
            const std::uint32_t first = next;
            const std::uint32_t records = count(
                [&](const auto &r) -> auto & { return kernel.blocks(r); }, c);
            if (!records)
                continue;
            visit(Run{first, records, c << DD_AV1_GROUP_LOG2});
            if (batch.dst.format.planes > 1)
                visit(Run{first, records,
                          av1_chroma_class(batch.dst.format, c) << DD_AV1_GROUP_LOG2 | DD_AV1_GROUP_CHROMA});
        }
    return next;
}

// Masks lie behind one another from word `first` on.
template <typename Record, typename Put>
void put_with_masks(std::span<const Record> records, std::uint32_t first, Put &&put) {
    for (Record record : records) {
        if constexpr (requires { record.mask; })
            record.mask += first;
        put(&record, sizeof(record));
    }
}

std::uint32_t record_words(const auto &kernel) {
    return sizeof(kernel.planes(std::declval<const Av1Recorder &>())[0][0][0]) / 4;
}

std::uint32_t mask_words(const Av1Recon &recon) {
    std::size_t all = 0;
    for (const Av1Recorder &recorder : recon.recorders)
        all += recorder.masks.size();
    return static_cast<std::uint32_t>(all);
}

// The table of workgroups of a kernel and group of references. `records`: word of its first record.
template <typename Kernel, typename Put>
void put_groups(const Av1Batch &batch, const Kernel &kernel, unsigned group, std::uint32_t records, Put &&put) {
    for_all_runs(batch, kernel, group, [&](const Run &run) {
        for (std::uint32_t i = 0; i < run.groups(); i++) {
            const DdAv1WorkGroup one = {records + run.first * record_words(kernel), i * kLanes, run.lanes(), run.how};
            put(&one, sizeof(one));
        }
    });
}

template <typename Streams, typename Put>
void put_records(const Av1Recon &recon, Streams streams_of, unsigned group, bool may_have_masks, Put &&put) {
    for (unsigned c = 0; c < DD_AV1_CLASSES; c++) {
        std::uint32_t masks = DD_AV1_TABLE_WORDS;
        for (const Av1Recorder &recorder : recon.recorders) {
            const auto &records = streams_of(recorder)[group][c];
            if (recorder.masks.empty() || !may_have_masks)
                put(records.data(), records.size() * sizeof(records[0]));
            else
                put_with_masks(std::span(records.begin(), records.end()), masks, put);
            masks += static_cast<std::uint32_t>(recorder.masks.size());
        }
    }
}

// From word `next` on; returns the word behind it.
template <typename Kernel, typename Put>
std::uint32_t put_dispatch(const Av1Batch &batch, const Kernel &kernel, unsigned group, std::uint32_t next, Put &&put) {
    const Av1Recon &recon = batch.recon;
    const std::uint32_t records =
        for_all_runs(batch, kernel, group, [&](const Run &run) { next += run.groups() * DD_AV1_GROUP_WORDS; });
    put_groups(batch, kernel, group, next, put);
    put_records(
        recon, [&](const auto &r) -> auto & { return kernel.planes(r); }, group, kernel.may_have_masks, put);
    if constexpr (Kernel::has_blocks)
        put_records(
            recon, [&](const auto &r) -> auto & { return kernel.blocks(r); }, group, false, put);
    return next + records * record_words(kernel);
}

DdAv1ReconParams params_of(const PictureLayout &layout) {
    DdAv1ReconParams params{};
    for (unsigned p = 0; p < layout.format.planes; p++)
        params.offset[p] = layout.plane[p].offset / 4;
    for (unsigned p = 0; p < 2; p++) {
        params.stride[p] = layout.plane[p].stride / 4;
        params.last[p] = (std::max(layout.plane[p].width, 1u) - 1) | (std::max(layout.plane[p].height, 1u) - 1) << 16;
    }
    params.ss_h = layout.format.ss_h;
    params.ss_v = layout.format.ss_v;
    return params;
}

std::array<std::int8_t, 4 * DD_AV1_TABLE_WORDS> make_tables() {
    std::array<std::int8_t, 4 * DD_AV1_TABLE_WORDS> tables{};
    for (unsigned kind = 0; kind < DD_AV1_TAP_KINDS; kind++) {
        std::int8_t *to = tables.data() + 4 * DD_AV1_TAPS + std::size_t{kind} * 16 * 8;
        to[3] = 64;
        std::memcpy(to + 8, av1_subpel_taps[kind], sizeof(av1_subpel_taps[kind]));
    }
    std::memcpy(tables.data() + 4 * DD_AV1_WARP_TAPS, av1_warp_taps, sizeof(av1_warp_taps));
    // Twice as far apart as they are long: weights past an overlap are 0.
    for (unsigned size = 2; size <= 32; size *= 2)
        std::memcpy(tables.data() + 4 * DD_AV1_OVERLAP + std::size_t{2} * size, av1_overlap_weights + size, size);
    return tables;
}

} // namespace

void plan_av1_recon(const Av1Batch &batch, PhaseWork &work) {
    const Av1Recon &recon = batch.recon;
    std::uint64_t next =
        DD_AV1_TABLE_WORDS + std::uint64_t{mask_words(recon)}; // in words from the end of the parameters
    for_all_kernels([&](auto kernel) {
        for (unsigned group = 0; group < recon.references.groups(); group++) {
            std::uint32_t groups = 0;
            const std::uint32_t records =
                for_all_runs(batch, kernel, group, [&](const Run &run) { groups += run.groups(); });
            if (!records)
                continue;
            Dispatch d;
            d.kernel =
                kernel_index(std::string("av1_") + kernel.name + "_" + std::to_string(batch.dst.format.bit_depth));
            d.set_push(DdAv1ReconPush{static_cast<std::uint32_t>(next)});
            d.groups = groups;
            d.av1_ref = recon.references.bound(group);
            work.dispatches.push_back(d);
            next += std::uint64_t{groups} * DD_AV1_GROUP_WORDS + std::uint64_t{records} * record_words(kernel);
        }
    });
    next = plan_av1_residuals(recon, batch.dst.format.bit_depth, next, work);
    next = plan_av1_intra(batch, next, work);
    if (work.dispatches.empty())
        return;
    work.upload_bytes = align_upload(sizeof(DdAv1ReconParams) + next * 4);
    work.coefs_at = work.upload_bytes;
    work.coefs_acquired = recon.has_lent_coefs();
    if (!work.coefs_acquired)
        work.upload_bytes += align_upload(4 * av1_coefficient_words(recon));
}

void write_av1_recon(const Av1Batch &batch, const PhaseWork &work, std::byte *upload) {
    if (work.dispatches.empty())
        return;
    std::byte *const words = upload + sizeof(DdAv1ReconParams), *const coefs = upload + work.coefs_at;
    static const auto tables = make_tables();
    const Av1Recon &recon = batch.recon;
    const DdAv1ReconParams params = params_of(batch.dst);
    const auto put = [&](const void *from, std::size_t bytes) {
        if (bytes)
            std::memcpy(upload, from, bytes);
        upload += bytes;
    };
    put(&params, sizeof(params));
    put(tables.data(), tables.size());
    for (const Av1Recorder &recorder : recon.recorders)
        put(recorder.masks.data(), recorder.masks.size() * 4);
    std::uint32_t next = DD_AV1_TABLE_WORDS + mask_words(recon);
    for_all_kernels([&](auto kernel) {
        for (unsigned group = 0; group < recon.references.groups(); group++)
            next = put_dispatch(batch, kernel, group, next, put);
    });
    write_av1_intra(batch, work, words, write_av1_residuals(recon, work, upload));
    if (!work.coefs_acquired)
        write_av1_coefficients(recon, coefs);
}

} // namespace dd
