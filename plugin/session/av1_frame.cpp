// SPDX-License-Identifier: BSD-2-Clause
#include "session/av1_frame.h"

#include "vulkan/av1_dispatch.h"
#include "vulkan/vp9_dispatch.h"

namespace dd {
namespace {

constexpr unsigned kFilter = 1; // index of the phase

struct Filter {
    DdStage stage;
    unsigned flag;
};
constexpr Filter kFilters[] = {{DD_STAGE_LF, DD_AV1_FILTER_DEBLOCK},
                               {DD_STAGE_CDEF, DD_AV1_FILTER_CDEF},
                               {DD_STAGE_LR, DD_AV1_FILTER_RESTORATION}};

GpuStatus prepare_scratch(DdFrame &frame) {
    PictureLayout layout = frame.dst->layout();
    layout.size = av1_scratch_bytes(layout);
    if (frame.scratch[0] && frame.scratch_layout == layout)
        return {};
    frame.scratch = {};
    for (auto &picture : frame.scratch)
        if (const GpuStatus status = frame.session->device->gpu->make_picture(layout, picture); !status)
            return status;
    frame.scratch_layout = layout;
    return {};
}

} // namespace

void begin_av1(DdFrame &frame, const DdFrameInfo &info) {
    frame.av1.dst = info.dst->layout();
    frame.av1.filters.clear();
    // Predictions and residuals have no AV1 kernels.
    frame.plan.side[DD_STAGE_MC] = frame.plan.side[DD_STAGE_ITX] = DD_SIDE_CPU;
    for (const Filter &filter : kFilters)
        if (!(info.filtered & filter.flag)) {
            frame.plan.side[filter.stage] = DD_SIDE_CPU;
            frame.absent |= static_cast<std::uint8_t>(1u << filter.stage);
        }
    // Restoration reads rows from before CDEF, which only the side that ran CDEF still has.
    const unsigned both = DD_AV1_FILTER_CDEF | DD_AV1_FILTER_RESTORATION;
    if ((info.filtered & both) == both && frame.on_gpu(DD_STAGE_CDEF) != frame.on_gpu(DD_STAGE_LR))
        frame.plan.side[DD_STAGE_CDEF] = frame.plan.side[DD_STAGE_LR] = DD_SIDE_CPU;
}

GpuStatus run_av1(DdFrame &frame, const std::array<const PhaseWork *, 2> &planned, bool cpu_wrote) {
    if (const GpuStatus status = prepare_scratch(frame); !status)
        return status;
    write_av1_filter(frame.av1, *planned[kFilter], frame.job->upload(kFilter));
    GpuJobInput input;
    input.dst = frame.dst->memory->gpu.get();
    input.ref[kAv1ScratchA] = frame.scratch[0].get();
    input.ref[kAv1ScratchB] = frame.scratch[1].get();
    input.tables = vp9_tables(); // no kernel reads them, but something must be bound
    input.cpu_wrote = cpu_wrote;
    input.final = true;
    return frame.job->submit(input);
}

std::array<std::uint64_t, DD_STAGES> count_av1_blocks(const DdFrame &frame) {
    std::array<std::uint64_t, DD_STAGES> blocks{};
    const PictureFormat &format = frame.av1.dst.format;
    const std::uint64_t superblocks = std::uint64_t{(format.width + 63) / 64} * ((format.height + 63) / 64);
    for (const Filter &filter : kFilters)
        if (frame.on_gpu(filter.stage))
            blocks[filter.stage] = superblocks;
    return blocks;
}

} // namespace dd
