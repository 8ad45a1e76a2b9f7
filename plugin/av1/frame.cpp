// SPDX-License-Identifier: BSD-2-Clause
#include "av1/frame.h"

#include "av1/dispatch.h"
#include "av1/residual_dispatch.h"
#include "av1/tile_sync_dispatch.h"
#include "daedalus/debug.h"
#include "frame/objects.h"

#include <algorithm>
#include <utility>

namespace dd {
namespace {

struct Filter {
    DdStage stage;
    unsigned flag;
};
constexpr Filter kFilters[] = {{DD_STAGE_LF, DD_AV1_FILTER_DEBLOCK},
                               {DD_STAGE_CDEF, DD_AV1_FILTER_CDEF},
                               {DD_STAGE_LR, DD_AV1_FILTER_RESTORATION}};

} // namespace

Av1Codec::Av1Codec() : Codec({"av1", 128, false, true, false}) {}

std::unique_ptr<CodecFrame> Av1Codec::make_frame(DdFrame &frame) {
    return std::make_unique<Av1Frame>(*this, frame);
}

void Av1Codec::add_stages(const DdFrameInfo &info, FrameFacts &facts) const {
    for (const Filter &filter : kFilters)
        if (info.filtered & filter.flag)
            facts.stages |= 1u << filter.stage;
    facts.usable = facts.stages;
    if (info.intra_only)
        return;
    const unsigned recon = 1u << DD_STAGE_MC | 1u << DD_STAGE_ITX;
    facts.stages |= recon;
    if (!info.one_pass)
        facts.usable |= recon;
}

std::vector<unsigned> Av1Codec::kernels(const PictureFormat &format, const Gpu &gpu) const {
    std::vector<unsigned> kernels = av1_kernels(format, gpu.info().profile);
    if (gpu.info().copies_pictures)
        kernels.push_back(tile_sync_kernel());
    return kernels;
}

// The pictures that predictions may read without scaling.
Av1References Av1Frame::readable_references(const DdFrameInfo &info) const {
    std::array<const void *, kAv1Refs> pictures{};
    for (unsigned slot = 0; slot < kAv1Refs; slot++) {
        const DdPicture *picture = info.ref[slot];
        if (picture && picture->layout() == recorded.dst && picture->reachable(*frame_.session->gpu()))
            pictures[slot] = picture;
    }
    Av1References references;
    references.set(pictures);
    return references;
}

void Av1Frame::begin_recon(const DdFrameInfo &info) {
    refusal_.reset();
    if (info.cpu_only)
        refusal_ = DD_AV1_REFUSE_SUPERRES;
    if (frame_.on_gpu(DD_STAGE_MC) && info.one_pass)
        refuse(DD_AV1_REFUSE_NO_PASSES);
    if (frame_.on_gpu(DD_STAGE_MC)) {
        recorded.recon.reset(recorded.dst, readable_references(info), info.recorders);
        for (unsigned i = 0; i < info.recorders; i++)
            recorders.push_back({&frame_, i});
    } else {
        recorded.recon.clear();
    }
    // Residuals are added to predictions in the same submit: without those there is nothing to add them to.
    if (!frame_.on_gpu(DD_STAGE_MC))
        frame_.plan.side[DD_STAGE_ITX] = DD_SIDE_CPU;
}

bool Av1Frame::any_filter_on_gpu() const {
    return std::ranges::any_of(kFilters, [&](const Filter &filter) { return frame_.on_gpu(filter.stage); });
}

bool Av1Frame::filters_left() const {
    return std::ranges::any_of(kFilters, [&](const Filter &filter) {
        return !(frame_.absent >> filter.stage & 1) && !frame_.on_gpu(filter.stage);
    });
}

// Between its phases the CPU reads such a frame only where it decodes blocks itself. Batches are saved with whole
// pictures.
bool Av1Frame::syncs_tiles_alone() const {
    return frame_.on_gpu(DD_STAGE_MC) && frame_.on_gpu(DD_STAGE_ITX) && any_filter_on_gpu() && !filters_left() &&
           !frame_.session->saver.wanted();
}

// Such a frame is parsed, and what the GPU would get of it is recorded. Where there is no pass for that alone, it is
// decoded.
void Av1Frame::begin_without_pixels(const DdFrameInfo &info) {
    if (info.one_pass)
        frame_.plan = {};
    if (frame_.on_gpu(DD_STAGE_MC)) {
        begin_recon(info);
        return;
    }
    refusal_.reset();
    recorded.recon.clear();
}

void Av1Frame::begin(const DdFrameInfo &info) {
    auto [recon, lease] = codec_.recons.take(info.coded_bytes);
    recorded.recon = std::move(recon);
    lease_ = lease;
    has_records_ = true;
    recorded.dst = info.dst->layout();
    recorded.filters.clear();
    recorders.clear();
    sync.reset(recorded.dst, 0);
    in_tiles_ = false;
    if (frame_.plan.side[DD_STAGE_LF] == DD_SIDE_NONE) {
        begin_without_pixels(info);
        return;
    }
    begin_recon(info);
    for (const Filter &filter : kFilters)
        if (!(info.filtered & filter.flag)) {
            frame_.plan.side[filter.stage] = DD_SIDE_CPU;
            frame_.absent |= static_cast<std::uint8_t>(1u << filter.stage);
        }
    // Restoration reads rows from before CDEF, which only the side that ran CDEF still has.
    const unsigned both = DD_AV1_FILTER_CDEF | DD_AV1_FILTER_RESTORATION;
    if ((info.filtered & both) == both && frame_.on_gpu(DD_STAGE_CDEF) != frame_.on_gpu(DD_STAGE_LR))
        frame_.plan.side[DD_STAGE_CDEF] = frame_.plan.side[DD_STAGE_LR] = DD_SIDE_CPU;
    if (syncs_tiles_alone() && info.dst->memory->gpu->has_copy())
        sync.reset(recorded.dst, info.recorders);
}

void Av1Frame::refuse(DdAv1Refusal why) {
    if (!frame_.on_gpu(DD_STAGE_MC) && !frame_.on_gpu(DD_STAGE_ITX))
        return;
    frame_.plan.side[DD_STAGE_MC] = frame_.plan.side[DD_STAGE_ITX] = DD_SIDE_CPU;
    refusal_ = why;
}

// False: the CPU has to do it.
bool Av1Frame::plan_recon(PhaseWork &work) {
    const Gpu &gpu = *frame_.session->gpu();
    plan_av1_recon(recorded, gpu.info().profile, work);
    const bool exceeds = !gpu.exceeded({&work, nullptr}).empty();
    if (!exceeds && !too_many_av1_dispatches(work, gpu.info().profile))
        return true;
    refuse(exceeds ? DD_AV1_REFUSE_LIMITS : DD_AV1_REFUSE_DISPATCHES);
    work.clear();
    return false;
}

// What is copied between the CPU and the GPU, where that isn't the whole picture.
void Av1Frame::plan_sync(unsigned phases, std::array<PhaseWork, 2> &work) {
    if (phases == DD_PHASE_RECON && !work[kRecon].empty() && sync.make_lists())
        plan_tile_sync(recorded.dst, sync.read(), work[kRecon]);
    if (phases == DD_PHASE_FILTER && in_tiles_)
        plan_tile_sync(recorded.dst, sync.written(), work[kFilter]);
}

void Av1Frame::plan(unsigned phases, std::array<PhaseWork, 2> &work) {
    if ((phases & DD_PHASE_RECON) && !plan_recon(work[kRecon]))
        return; // nor can anything be filtered yet
    if (phases & DD_PHASE_FILTER)
        plan_av1_filter(recorded, work[kFilter]);
    plan_sync(phases, work);
}

// Restoration needs two pictures, CDEF one.
GpuStatus Av1Frame::prepare_scratch() {
    PictureLayout layout = frame_.dst->layout();
    layout.size = av1_scratch_bytes(layout);
    layout.p010 = 0;
    if (scratch_layout_ != layout)
        scratch_ = {};
    scratch_layout_ = layout;
    const bool needed[] = {recorded.filters.cdef(), recorded.filters.restoration()};
    for (unsigned i = 0; i < 2; i++)
        if (needed[i] && !scratch_[i])
            if (const GpuStatus status = frame_.session->gpu()->make_scratch(layout, scratch_[i]); !status)
                return status;
    return {};
}

GpuStatus Av1Frame::write(const PlannedPhases &planned, GpuJobInput &input) {
    static constexpr std::uint32_t no_tables[1] = {}; // no kernel reads them, but something must be bound
    input.tables = no_tables;
    if (planned[kRecon]) {
        write_av1_recon(recorded, *planned[kRecon], frame_.job->upload(kRecon));
        if (planned[kRecon]->tile_sync)
            write_tile_sync(sync.read(), *planned[kRecon], frame_.job->upload(kRecon));
    }
    if (planned[kFilter]) {
        if (const GpuStatus status = prepare_scratch(); !status)
            return status;
        write_av1_filter(recorded, *planned[kFilter], frame_.job->upload(kFilter));
        if (planned[kFilter]->tile_sync)
            write_tile_sync(sync.written(), *planned[kFilter], frame_.job->upload(kFilter));
        input.ref[kAv1ScratchA] = scratch_[0].get();
        input.ref[kAv1ScratchB] = scratch_[1].get();
    }
    return {};
}

void Av1Frame::submitted(const PlannedPhases &planned) {
    in_tiles_ = planned[kRecon] && planned[kRecon]->tile_sync;
}

void Av1Frame::release_records() {
    if (!has_records_)
        return;
    counts_ = recorded.recon.counts();
    codec_.recons.give({std::move(recorded.recon), lease_});
    recorded.recon = {};
    has_records_ = false;
}

void Av1Frame::count(FrameRecord &record) const {
    const PictureFormat &format = recorded.dst.format;
    const std::uint64_t superblocks = std::uint64_t{(format.width + 63) / 64} * ((format.height + 63) / 64);
    for (const Filter &filter : kFilters)
        if (frame_.on_gpu(filter.stage))
            record.blocks[filter.stage] = superblocks;
    if (frame_.on_gpu(DD_STAGE_MC))
        record.blocks[DD_STAGE_MC] = counts_.predictions;
    if (frame_.on_gpu(DD_STAGE_ITX)) {
        record.blocks[DD_STAGE_ITX] = counts_.residuals;
        record.residuals_kept = counts_.residuals_kept;
    }
    record.refusal = refusal_;
}

} // namespace dd
