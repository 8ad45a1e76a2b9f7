// SPDX-License-Identifier: BSD-2-Clause
#include "vp9/intra_dispatch.h"

#include "vp9/intra_schedule.h"
#include "vp9/parts.h"

#include <algorithm>

namespace dd {
namespace {

constexpr unsigned kItxLanes = 128; // as kernels/vp9/intra_itx.comp has it

std::size_t count_residuals(const Vp9Batch &batch, unsigned size) {
    std::size_t count = 0;
    for (const Vp9Recorder &recorder : batch.recorders)
        count += recorder.intra_itx[size].size();
    return count;
}

void plan_residuals(const Vp9Batch &batch, PhaseWork &work) {
    DdIntraItxPush push{};
    std::size_t records = 0;
    std::uint32_t groups = 0;
    for (unsigned size = 0; size < DD_INTRA_SIZES; size++) {
        if (size)
            push.first_group[size - 1] = groups;
        push.first_record[size] = static_cast<std::uint32_t>(records);
        const std::size_t count = count_residuals(batch, size);
        records += count;
        groups += groups_for(count * (4u << size), kItxLanes);
    }
    push.first_record[DD_INTRA_SIZES] = static_cast<std::uint32_t>(records);
    if (!records)
        return;
    Dispatch d;
    d.kernel = kernel_of(kIntraItx, batch.dst.format.bit_depth);
    d.set_push(push);
    d.groups = groups;
    d.records_at = work.upload_bytes;
    work.dispatches.push_back(d);
    work.upload_bytes = align_upload(work.upload_bytes + records * sizeof(DdIntraItxRecord));
}

void write_residuals(const Vp9Batch &batch, std::byte *to) {
    for (unsigned size = 0; size < DD_INTRA_SIZES; size++) {
        std::uint32_t coefs = 0, residual = 0; // words of the recorders before
        for (const Vp9Recorder &recorder : batch.recorders) {
            for (DdIntraItxRecord record : recorder.intra_itx[size]) {
                record.coefs += coefs;
                record.residual += residual;
                std::memcpy(to, &record, sizeof(record));
                to += sizeof(record);
            }
            coefs += static_cast<std::uint32_t>(recorder.coefs.size());
            residual += recorder.intra_words;
        }
    }
}

} // namespace

void plan_vp9_intra(const Vp9Batch &batch, PhaseWork &work) {
    if (std::ranges::all_of(batch.recorders, [](const Vp9Recorder &r) { return r.intra.empty(); }))
        return;
    plan_residuals(batch, work);
    if (!work.intra_schedule)
        work.intra_schedule = std::make_shared<Vp9IntraSchedule>();
    Vp9IntraSchedule &schedule = *work.intra_schedule;
    schedule.build(batch);
    DdIntraPush push{};
    push.planes = planes_of(batch.dst);
    std::ranges::copy(schedule.levels, push.levels);
    push.records_at = static_cast<std::uint32_t>(schedule.table.size());
    Dispatch d;
    d.kernel = kernel_of(kIntra, batch.dst.format.bit_depth);
    d.set_push(push);
    d.groups = batch.dst.format.planes;
    d.barrier = !work.dispatches.empty();
    d.records_at = work.upload_bytes;
    work.dispatches.push_back(d);
    work.upload_bytes = align_upload(work.upload_bytes + schedule.table.size() * sizeof(std::uint32_t) +
                                     schedule.records.size() * sizeof(DdIntraRecord));
    // A workgroup has all levels of a plane, and makes a block, or 1024 pixels of them, at a time.
    work.steps += schedule.levels[0] + schedule.levels[1] +
                  std::min<std::uint64_t>(schedule.records.size(), batch.dst.size / batch.dst.bytes_per_pixel() / 1024);
    std::uint64_t words = 1; // a buffer must not be empty
    for (const Vp9Recorder &recorder : batch.recorders)
        words += recorder.intra_words;
    work.residual_bytes = words * sizeof(std::uint32_t);
    work.most_residual_bytes = std::uint64_t{batch.dst.size} * sizeof(std::int16_t) / batch.dst.bytes_per_pixel();
}

void write_vp9_intra(const Vp9Batch &batch, const PhaseWork &work, std::size_t next, std::byte *upload) {
    if (next == work.dispatches.size())
        return;
    if (work.dispatches.size() - next == 2)
        write_residuals(batch, upload + work.dispatches[next++].records_at);
    const Vp9IntraSchedule &schedule = *work.intra_schedule;
    append(append(upload + work.dispatches[next].records_at, schedule.table), schedule.records);
}

} // namespace dd
