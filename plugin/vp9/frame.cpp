// SPDX-License-Identifier: BSD-2-Clause
#include "vp9/frame.h"

#include "frame/objects.h"
#include "vp9/dispatch.h"

#include <cstddef>
#include <utility>

namespace dd {

Vp9Codec::Vp9Codec() : Codec({"vp9", 64, true, false, true}) {}

std::unique_ptr<CodecFrame> Vp9Codec::make_frame(DdFrame &frame) {
    return std::make_unique<Vp9Frame>(*this, frame);
}

void Vp9Codec::add_stages(const DdFrameInfo &info, FrameFacts &facts) const {
    if (!info.intra_only)
        facts.stages |= 1u << DD_STAGE_MC | 1u << DD_STAGE_ITX;
    if (info.filtered)
        facts.stages |= 1u << DD_STAGE_LF;
    facts.usable = facts.stages;
}

std::vector<unsigned> Vp9Codec::kernels(const PictureFormat &format, const Gpu &gpu) const {
    return vp9_kernels(format, gpu.info().profile);
}

Vp9References Vp9Frame::reference_layouts() const {
    Vp9References layouts{};
    for (unsigned slot = 0; slot < DD_MAX_REFS; slot++)
        if (frame_.ref[slot])
            layouts[slot] = frame_.ref[slot]->layout();
    return layouts;
}

void Vp9Frame::begin(const DdFrameInfo &info) {
    recorders.clear();
    counts_ = {};
    if (!frame_.any_on_gpu())
        return;
    auto [batch, lease] = codec_.batches.take(info.coded_bytes);
    recorded = std::move(batch);
    lease_ = lease;
    has_records_ = true;
    recorded.reset(info.dst->layout(), reference_layouts(), info.recorders);
    for (unsigned i = 0; i < info.recorders; i++) {
        Vp9Recorder *recorder = &recorded.recorders[i];
        recorders.push_back({&frame_, frame_.on_gpu(DD_STAGE_MC) ? recorder : nullptr,
                             frame_.on_gpu(DD_STAGE_ITX) ? recorder : nullptr});
    }
}

unsigned Vp9Frame::used_refs() const {
    unsigned used = 0;
    for (const Vp9Recorder &recorder : recorded.recorders)
        used |= recorder.used_refs;
    return used;
}

void Vp9Frame::plan(unsigned phases, std::array<PhaseWork, 2> &work) {
    const Profile profile = frame_.session->gpu()->info().profile;
    if (phases & DD_PHASE_RECON)
        plan_vp9_recon(recorded, profile, work[kRecon]);
    if (phases & DD_PHASE_FILTER)
        plan_vp9_filter(recorded, profile, work[kFilter]);
}

GpuStatus Vp9Frame::write(const PlannedPhases &planned, GpuJobInput &input) {
    const Profile profile = frame_.session->gpu()->info().profile;
    if (planned[kRecon])
        write_vp9_recon(recorded, profile, *planned[kRecon], frame_.job->upload(kRecon));
    if (planned[kFilter])
        write_vp9_filter(recorded, *planned[kFilter], frame_.job->upload(kFilter));
    input.tables = vp9_tables();
    return {};
}

void Vp9Frame::count_records() {
    for (const Vp9Recorder &recorder : recorded.recorders) {
        counts_.predictions += recorder.predictions;
        counts_.residuals += recorder.residuals();
    }
    counts_.filtered_superblocks = recorded.lf.superblocks.size();
}

void Vp9Frame::release_records() {
    if (!has_records_)
        return;
    count_records();
    for (DdVp9Recorder &recorder : recorders)
        recorder.predictions = recorder.residuals = nullptr;
    codec_.batches.give({std::move(recorded), lease_});
    recorded = {};
    has_records_ = false;
}

void Vp9Frame::count(FrameRecord &record) const {
    record.blocks[DD_STAGE_MC] = counts_.predictions;
    record.blocks[DD_STAGE_ITX] = counts_.residuals;
    record.blocks[DD_STAGE_LF] = counts_.filtered_superblocks;
}

} // namespace dd
