// SPDX-License-Identifier: BSD-2-Clause
//
// Dispatches of AV1's inter prediction and residuals, and the bytes that they read.
#include "batch/av1_tables.h"
#include "vulkan/av1_dispatch.h"
#include "vulkan/av1_residual_dispatch.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

namespace dd {
namespace {

constexpr unsigned kLanes = 255;

// The streams of a recorder, for one kernel.
template <auto Streams>
struct KernelStreams {
    const char *name;
    bool may_have_masks = false;
    const auto &of(const Av1Recorder &recorder) const { return recorder.*Streams; }
};

template <typename Visit>
void for_all_kernels(Visit visit) {
    visit(KernelStreams<&Av1Recorder::mc>{"mc"});
    visit(KernelStreams<&Av1Recorder::pairs>{"pair", true});
    visit(KernelStreams<&Av1Recorder::overlaps>{"overlap"});
    visit(KernelStreams<&Av1Recorder::warps>{"warp", true});
    visit(KernelStreams<&Av1Recorder::differences>{"difference"});
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

std::uint32_t record_words(const auto &streams) {
    return sizeof(streams[0][0][0]) / 4;
}

std::uint32_t mask_words(const Av1Recon &recon) {
    std::size_t all = 0;
    for (const Av1Recorder &recorder : recon.recorders)
        all += recorder.masks.size();
    return static_cast<std::uint32_t>(all);
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
    std::uint32_t next = DD_AV1_TABLE_WORDS + mask_words(recon); // in words from the end of the parameters
    for_all_kernels([&](auto kernel) {
        for (unsigned group = 0; group < recon.references.groups(); group++) {
            DdAv1ReconPush push{};
            std::uint32_t records = 0, groups = 0, words = 0;
            for (unsigned c = 0; c < DD_AV1_CLASSES; c++) {
                std::size_t count = 0;
                for (const Av1Recorder &recorder : recon.recorders) {
                    count += kernel.of(recorder)[group][c].size();
                    words = record_words(kernel.of(recorder));
                }
                push.first_group[c] = groups;
                push.first_record[c] = records;
                records += static_cast<std::uint32_t>(count);
                groups += static_cast<std::uint32_t>(((count << c) + kLanes - 1) / kLanes);
            }
            if (!records)
                continue;
            push.first_record[DD_AV1_CLASSES] = records;
            push.records = next;
            next += records * words;
            Dispatch d;
            d.kernel =
                kernel_index(std::string("av1_") + kernel.name + "_" + std::to_string(batch.dst.format.bit_depth));
            d.set_push(push);
            d.groups = groups;
            d.av1_ref = recon.references.bound(group);
            work.dispatches.push_back(d);
        }
    });
    next = plan_av1_residuals(recon, batch.dst.format.bit_depth, next, work);
    if (work.dispatches.empty())
        return;
    work.upload_bytes = align_upload(static_cast<std::uint32_t>(sizeof(DdAv1ReconParams) + std::size_t{next} * 4));
    work.coefs_at = work.upload_bytes;
    work.coefs_lent = recon.has_lent_coefs();
    if (!work.coefs_lent)
        work.upload_bytes += align_upload(4 * av1_coefficient_words(recon));
}

void write_av1_recon(const Av1Batch &batch, const PhaseWork &work, std::byte *upload) {
    if (work.dispatches.empty())
        return;
    std::byte *const coefs = upload + work.coefs_at;
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
    for_all_kernels([&](auto kernel) {
        for (unsigned group = 0; group < recon.references.groups(); group++)
            for (unsigned c = 0; c < DD_AV1_CLASSES; c++) {
                std::uint32_t masks = DD_AV1_TABLE_WORDS;
                for (const Av1Recorder &recorder : recon.recorders) {
                    const auto &records = kernel.of(recorder)[group][c];
                    if (recorder.masks.empty() || !kernel.may_have_masks)
                        put(records.data(), records.size() * sizeof(records[0]));
                    else
                        put_with_masks(std::span(records.begin(), records.end()), masks, put);
                    masks += static_cast<std::uint32_t>(recorder.masks.size());
                }
            }
    });
    write_av1_residuals(recon, work, upload);
    if (!work.coefs_lent)
        write_av1_coefficients(recon, coefs);
}

} // namespace dd
