// SPDX-License-Identifier: BSD-2-Clause
#include "session/vp9_frame.h"

#include "vulkan/vp9_dispatch.h"

#include <cstddef>
#include <utility>

namespace dd {
namespace {

Vp9References reference_layouts(const DdFrame &frame) {
    Vp9References layouts{};
    for (unsigned slot = 0; slot < DD_MAX_REFS; slot++)
        if (frame.ref[slot])
            layouts[slot] = frame.ref[slot]->layout();
    return layouts;
}

void count(DdFrame &frame) {
    frame.vp9_counts = {};
    std::size_t coefficient_words = 0;
    for (const Vp9Recorder &recorder : frame.batch.recorders) {
        frame.vp9_counts.predictions += recorder.predictions;
        frame.vp9_counts.residuals += recorder.residuals();
        coefficient_words += recorder.coefs.size();
    }
    frame.vp9_counts.filtered_superblocks = frame.batch.lf.superblocks.size();
    frame.session->expected_coefs.met(coefficient_words * sizeof(std::uint32_t), frame.coded_bytes);
}

} // namespace

void begin_vp9(DdFrame &frame, const DdFrameInfo &info) {
    auto [batch, room] = frame.session->vp9_batches.take(info.coded_bytes);
    frame.batch = std::move(batch);
    frame.record_room = room;
    frame.records = true;
    frame.coded_bytes = info.coded_bytes;
    frame.batch.reset(info.dst->layout(), reference_layouts(frame), info.recorders);
    for (unsigned i = 0; i < info.recorders; i++) {
        Vp9Recorder *recorder = &frame.batch.recorders[i];
        frame.vp9_recorders.push_back(
            {&frame, frame.on_gpu(DD_STAGE_MC) ? recorder : nullptr, frame.on_gpu(DD_STAGE_ITX) ? recorder : nullptr});
    }
}

void return_vp9_batch(DdFrame &frame) {
    if (!frame.records)
        return;
    count(frame);
    for (DdVp9Recorder &recorder : frame.vp9_recorders)
        recorder.predictions = recorder.residuals = nullptr;
    frame.session->vp9_batches.give({std::move(frame.batch), frame.record_room});
    frame.batch = {};
    frame.records = false;
}

unsigned used_vp9_refs(const DdFrame &frame) {
    unsigned used = 0;
    for (const Vp9Recorder &recorder : frame.batch.recorders)
        used |= recorder.used_refs;
    return used;
}

GpuStatus run_vp9(DdFrame &frame, const std::array<const PhaseWork *, 2> &planned, bool cpu_wrote) {
    const Profile profile = frame.session->gpu()->profile();
    if (planned[kRecon])
        write_vp9_recon(frame.batch, profile, *planned[kRecon], frame.job->upload(kRecon));
    if (planned[kFilter])
        write_vp9_filter(frame.batch, profile, *planned[kFilter], frame.job->upload(kFilter));
    GpuJobInput input;
    input.dst = frame.dst->memory->gpu.get();
    // Of references that nothing reads, the decoder may not even have waited for the pixels.
    const unsigned used = planned[kRecon] ? used_vp9_refs(frame) : 0;
    for (unsigned slot = 0; slot < DD_MAX_REFS; slot++)
        if (used >> slot & 1)
            if (const GpuStatus status = frame.ref[slot]->reach(*frame.session->gpu(), input.ref[slot]); !status)
                return status;
    input.tables = vp9_tables();
    input.cpu_wrote = cpu_wrote;
    input.final = planned[kFilter] != nullptr;
    input.reads_unfinished = frame.trusted_refs != 0;
    return frame.job->submit(input);
}

std::array<std::uint64_t, DD_STAGES> count_vp9_blocks(const DdFrame &frame) {
    std::array<std::uint64_t, DD_STAGES> blocks{};
    blocks[DD_STAGE_MC] = frame.vp9_counts.predictions;
    blocks[DD_STAGE_ITX] = frame.vp9_counts.residuals;
    blocks[DD_STAGE_LF] = frame.vp9_counts.filtered_superblocks;
    return blocks;
}

} // namespace dd
