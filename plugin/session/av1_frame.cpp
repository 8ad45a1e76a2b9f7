// SPDX-License-Identifier: BSD-2-Clause
#include "session/av1_frame.h"

#include "vulkan/av1_dispatch.h"
#include "vulkan/av1_residual_dispatch.h"
#include "vulkan/exchange.h"
#include "vulkan/vp9_dispatch.h"

#include <algorithm>

namespace dd {
namespace {

struct Filter {
    DdStage stage;
    unsigned flag;
};
constexpr Filter kFilters[] = {{DD_STAGE_LF, DD_AV1_FILTER_DEBLOCK},
                               {DD_STAGE_CDEF, DD_AV1_FILTER_CDEF},
                               {DD_STAGE_LR, DD_AV1_FILTER_RESTORATION}};

// Restoration needs two pictures, CDEF one.
GpuStatus prepare_scratch(DdFrame &frame) {
    PictureLayout layout = frame.dst->layout();
    layout.size = av1_scratch_bytes(layout);
    if (frame.scratch_layout != layout)
        frame.scratch = {};
    frame.scratch_layout = layout;
    const bool needed[] = {frame.av1.filters.cdef(), frame.av1.filters.restoration()};
    for (unsigned i = 0; i < 2; i++)
        if (needed[i] && !frame.scratch[i])
            if (const GpuStatus status = frame.session->gpu()->make_scratch(layout, frame.scratch[i]); !status)
                return status;
    return {};
}

// The pictures that predictions may read without scaling.
Av1References readable_references(const DdFrame &frame, const DdFrameInfo &info) {
    std::array<const void *, kAv1Refs> pictures{};
    for (unsigned slot = 0; slot < kAv1Refs; slot++) {
        const DdPicture *picture = info.ref[slot];
        if (picture && picture->layout() == frame.av1.dst && picture->reachable(*frame.session->gpu()))
            pictures[slot] = picture;
    }
    Av1References references;
    references.set(pictures);
    return references;
}

void begin_recon(DdFrame &frame, const DdFrameInfo &info) {
    frame.refusal.reset();
    if (info.cpu_only)
        frame.refusal = DD_AV1_REFUSE_SUPERRES;
    if (frame.on_gpu(DD_STAGE_MC) && info.one_pass)
        refuse_av1(frame, DD_AV1_REFUSE_NO_PASSES);
    if (frame.on_gpu(DD_STAGE_MC))
        frame.av1.recon.reset(frame.av1.dst, readable_references(frame, info), info.recorders,
                              std::max(info.tiles, 1u));
    else
        frame.av1.recon.clear();
    // Residuals are added to predictions in the same submit: without those there is nothing to add them to.
    if (!frame.on_gpu(DD_STAGE_MC))
        frame.plan.side[DD_STAGE_ITX] = DD_SIDE_CPU;
}

bool any_filter_on_gpu(const DdFrame &frame) {
    return std::ranges::any_of(kFilters, [&](const Filter &filter) { return frame.on_gpu(filter.stage); });
}

// Between its phases nobody needs such a frame but who decodes the CPU's blocks. What is saved are whole pictures.
bool has_shares_alone(const DdFrame &frame) {
    return frame.on_gpu(DD_STAGE_MC) && frame.on_gpu(DD_STAGE_ITX) && any_filter_on_gpu(frame) &&
           !av1_filters_left(frame) && !frame.session->saver.wanted();
}

// Such a frame is parsed, and what the GPU would get of it is recorded. Where there is no pass for that alone, it is decoded.
void begin_without_pixels(DdFrame &frame, const DdFrameInfo &info) {
    if (info.one_pass)
        frame.plan = {};
    if (frame.on_gpu(DD_STAGE_MC)) {
        begin_recon(frame, info);
        return;
    }
    frame.refusal.reset();
    frame.av1.recon.clear();
}

} // namespace

bool av1_filters_left(const DdFrame &frame) {
    return frame.session->codec == DD_CODEC_AV1 && std::ranges::any_of(kFilters, [&](const Filter &filter) {
               return !(frame.absent >> filter.stage & 1) && !frame.on_gpu(filter.stage);
           });
}

void add_av1_stages(const DdFrameInfo &info, FrameFacts &facts) {
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

void refuse_av1(DdFrame &frame, DdAv1Refusal why) {
    if (!frame.on_gpu(DD_STAGE_MC) && !frame.on_gpu(DD_STAGE_ITX))
        return;
    frame.plan.side[DD_STAGE_MC] = frame.plan.side[DD_STAGE_ITX] = DD_SIDE_CPU;
    frame.refusal = why;
}

void return_av1_recon(DdFrame &frame) {
    if (!frame.records)
        return;
    frame.session->expected_coefs.met(av1_coefficient_words(frame.av1.recon) * sizeof(std::uint32_t),
                                      frame.coded_bytes);
    frame.av1_counts = frame.av1.recon.counts();
    frame.session->av1_recons.give({std::move(frame.av1.recon), frame.record_room});
    frame.av1.recon = {};
    frame.records = false;
}

void begin_av1(DdFrame &frame, const DdFrameInfo &info) {
    auto [recon, room] = frame.session->av1_recons.take(info.coded_bytes);
    frame.av1.recon = std::move(recon);
    frame.record_room = room;
    frame.records = true;
    frame.coded_bytes = info.coded_bytes;
    frame.av1.dst = info.dst->layout();
    frame.av1.filters.clear();
    frame.shares.reset(frame.av1.dst, 0);
    frame.in_tiles = false;
    if (frame.plan.side[DD_STAGE_LF] == DD_SIDE_NONE) {
        begin_without_pixels(frame, info);
        return;
    }
    begin_recon(frame, info);
    for (const Filter &filter : kFilters)
        if (!(info.filtered & filter.flag)) {
            frame.plan.side[filter.stage] = DD_SIDE_CPU;
            frame.absent |= static_cast<std::uint8_t>(1u << filter.stage);
        }
    // Restoration reads rows from before CDEF, which only the side that ran CDEF still has.
    const unsigned both = DD_AV1_FILTER_CDEF | DD_AV1_FILTER_RESTORATION;
    if ((info.filtered & both) == both && frame.on_gpu(DD_STAGE_CDEF) != frame.on_gpu(DD_STAGE_LR))
        frame.plan.side[DD_STAGE_CDEF] = frame.plan.side[DD_STAGE_LR] = DD_SIDE_CPU;
    if (has_shares_alone(frame) && info.dst->memory->gpu->has_copy())
        frame.shares.reset(frame.av1.dst, info.recorders);
}

void plan_av1_exchange(DdFrame &frame, unsigned phases) {
    PhaseWork &recon = frame.work[kRecon];
    if (phases == DD_PHASE_RECON && !recon.empty() && frame.shares.make_lists())
        plan_exchange(frame.av1.dst, frame.shares.read(), recon);
    if (phases == DD_PHASE_FILTER && frame.in_tiles)
        plan_exchange(frame.av1.dst, frame.shares.written(), frame.work[kFilter]);
}

GpuStatus run_av1(DdFrame &frame, const std::array<const PhaseWork *, 2> &planned, bool cpu_wrote) {
    GpuJobInput input;
    input.dst = frame.dst->memory->gpu.get();
    if (planned[kRecon]) {
        write_av1_recon(frame.av1, *planned[kRecon], frame.job->upload(kRecon));
        if (planned[kRecon]->exchange)
            write_exchange(frame.shares.read(), *planned[kRecon], frame.job->upload(kRecon));
        const unsigned used = frame.av1.recon.used_refs();
        for (unsigned slot = 0; slot < kAv1Refs; slot++)
            if (used >> slot & 1)
                if (const GpuStatus status = frame.ref[slot]->reach(*frame.session->gpu(), input.ref[slot]); !status)
                    return status;
    }
    if (planned[kFilter]) {
        if (const GpuStatus status = prepare_scratch(frame); !status)
            return status;
        write_av1_filter(frame.av1, *planned[kFilter], frame.job->upload(kFilter));
        if (planned[kFilter]->exchange)
            write_exchange(frame.shares.written(), *planned[kFilter], frame.job->upload(kFilter));
        input.ref[kAv1ScratchA] = frame.scratch[0].get();
        input.ref[kAv1ScratchB] = frame.scratch[1].get();
    }
    input.tables = vp9_tables(); // no kernel reads them, but something must be bound
    input.cpu_wrote = cpu_wrote;
    input.final = planned[kFilter] && !av1_filters_left(frame);
    input.reads_unfinished = frame.trusted_refs != 0;
    const GpuStatus status = frame.job->submit(input);
    frame.in_tiles = status && planned[kRecon] && planned[kRecon]->exchange;
    return status;
}

std::array<std::uint64_t, DD_STAGES> count_av1_blocks(const DdFrame &frame) {
    std::array<std::uint64_t, DD_STAGES> blocks{};
    const PictureFormat &format = frame.av1.dst.format;
    const std::uint64_t superblocks = std::uint64_t{(format.width + 63) / 64} * ((format.height + 63) / 64);
    for (const Filter &filter : kFilters)
        if (frame.on_gpu(filter.stage))
            blocks[filter.stage] = superblocks;
    if (frame.on_gpu(DD_STAGE_MC))
        blocks[DD_STAGE_MC] = frame.av1_counts.predictions;
    if (frame.on_gpu(DD_STAGE_ITX))
        blocks[DD_STAGE_ITX] = frame.av1_counts.residuals;
    return blocks;
}

} // namespace dd
