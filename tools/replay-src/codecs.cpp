// SPDX-License-Identifier: BSD-2-Clause
#include "codecs.h"

#include "av1/dispatch.h"
#include "reference/av1_batch.h"
#include "reference/av1_filters.h"
#include "reference/vp9_reference.h"
#include "vp9/dispatch.h"

#include <algorithm>

namespace replay {
namespace {

template <typename Streams>
unsigned long long records_of(const Streams &streams) {
    unsigned long long all = 0;
    for (const auto &group : streams)
        for (const auto &stream : group)
            all += stream.size();
    return all;
}

} // namespace

// ---- VP9 ----------------------------------------------------------------------------------------------------------

void plan(const dd::Vp9Batch &batch, unsigned phases, dd::Profile profile, Phases &work) {
    if (phases & kRecon)
        dd::plan_vp9_recon(batch, profile, work[0]);
    if (phases & kFilter)
        dd::plan_vp9_filter(batch, profile, work[1]);
}

void write(const dd::Vp9Batch &batch, unsigned phase, dd::Profile profile, const dd::PhaseWork &work,
           std::byte *upload) {
    if (phase == 0)
        dd::write_vp9_recon(batch, profile, work, upload);
    else
        dd::write_vp9_filter(batch, work, upload);
}

void run_reference(const dd::Vp9Batch &batch, unsigned phases, const References &references, std::byte *pixels) {
    dd::reference::Vp9References ref{};
    std::copy_n(references.begin(), ref.size(), ref.begin());
    if (phases & kRecon) {
        dd::reference::run_predictions(batch, pixels, ref);
        dd::reference::run_residuals(batch, pixels);
        dd::reference::run_intra(batch, pixels);
    }
    if (phases & kFilter)
        dd::reference::run_loop_filter(batch, pixels);
}

std::uint32_t scratch_bytes(const dd::Vp9Batch &, unsigned) {
    return 0;
}

bool padding_counts(const dd::Vp9Batch &, unsigned) {
    return true;
}

Counts count(const dd::Vp9Batch &batch) {
    Counts counts;
    for (const dd::Vp9Recorder &recorder : batch.recorders) {
        counts.predictions += recorder.squares();
        counts.residuals += records_of(recorder.itx);
    }
    counts.superblocks = batch.lf.superblocks.size();
    return counts;
}

// ---- AV1 ----------------------------------------------------------------------------------------------------------

void plan(const dd::Av1Batch &batch, unsigned phases, dd::Profile profile, Phases &work) {
    if (phases & kRecon)
        dd::plan_av1_recon(batch, profile, work[0]);
    if (phases & kFilter)
        dd::plan_av1_filter(batch, work[1]);
}

void write(const dd::Av1Batch &batch, unsigned phase, dd::Profile, const dd::PhaseWork &work, std::byte *upload) {
    if (phase == 0)
        dd::write_av1_recon(batch, work, upload);
    else
        dd::write_av1_filter(batch, work, upload);
}

void run_reference(const dd::Av1Batch &batch, unsigned phases, const References &references, std::byte *pixels) {
    std::array<const std::uint8_t *, dd::kAv1Refs> ref{};
    std::ranges::transform(references, ref.begin(),
                           [](const std::byte *bytes) { return reinterpret_cast<const std::uint8_t *>(bytes); });
    auto *bytes = reinterpret_cast<std::uint8_t *>(pixels);
    if (phases & kRecon)
        dd::reference::run_av1_recon(batch, ref, bytes);
    if ((phases & kFilter) && batch.filters.any())
        dd::reference::run_av1_filters(batch, bytes);
}

std::uint32_t scratch_bytes(const dd::Av1Batch &batch, unsigned phases) {
    return phases & kFilter ? dd::av1_scratch_bytes(batch.dst) : 0;
}

// The filters leave to each implementation what they make of it.
bool padding_counts(const dd::Av1Batch &, unsigned phases) {
    return !(phases & kFilter);
}

Counts count(const dd::Av1Batch &batch) {
    Counts counts;
    for (const dd::Av1Recorder &recorder : batch.recon.recorders) {
        counts.predictions += records_of(recorder.mc) + 2 * records_of(recorder.blocks) + records_of(recorder.pairs) +
                              2 * records_of(recorder.pair_blocks) + records_of(recorder.overlaps) +
                              records_of(recorder.warps) + records_of(recorder.differences);
        for (const dd::Av1ItxBin &bin : recorder.residuals.bins)
            counts.residuals += bin.records.size();
    }
    const dd::DdAv1FilterParams &params = batch.filters.params();
    if (batch.filters.any())
        counts.superblocks = static_cast<unsigned long long>((params.w8 + 7) / 8) * ((params.h8 + 7) / 8);
    return counts;
}

} // namespace replay
