// SPDX-License-Identifier: BSD-2-Clause
//
// Dispatches of AV1's inter prediction and residuals, and the bytes that they read.
#include "av1/dispatch.h"
#include "av1/prediction_dispatch.h"
#include "av1/residual_dispatch.h"
#include "av1/tables.h"

#include <algorithm>
#include <cstring>

namespace dd {
namespace {

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

void plan_av1_recon(const Av1Batch &batch, Profile profile, PhaseWork &work, std::uint64_t worth_ns) {
    const Av1Recon &recon = batch.recon;
    std::uint64_t next =
        DD_AV1_TABLE_WORDS + std::uint64_t{mask_words(recon)}; // in words from the end of the parameters
    constexpr unsigned most = kAv1MostDispatches - kAv1FilterDispatches - kAv1ResidualDispatches;
    next = plan_av1_predictions(batch, {profile == Profile::v3d ? most : 0, worth_ns}, next, work);
    next = plan_av1_residuals(recon, batch.dst.format.bit_depth, next, work);
    if (work.dispatches.empty())
        return;
    work.upload_bytes = align_upload(sizeof(DdAv1ReconParams) + next * 4);
    work.coefs_at = work.upload_bytes;
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
    upload = write_av1_predictions(batch, work, DD_AV1_TABLE_WORDS + mask_words(recon), upload);
    write_av1_residuals(recon, work, upload);
    write_av1_coefficients(recon, coefs);
}

} // namespace dd
