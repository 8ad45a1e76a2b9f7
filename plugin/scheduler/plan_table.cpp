// SPDX-License-Identifier: BSD-2-Clause
#include "scheduler/plan_table.h"

namespace dd {
namespace {

constexpr unsigned kMc = 1u << DD_STAGE_MC, kItx = 1u << DD_STAGE_ITX, kLf = 1u << DD_STAGE_LF,
                   kCdef = 1u << DD_STAGE_CDEF, kLr = 1u << DD_STAGE_LR;
// AV1: the GPU adds residuals to its own predictions alone; restoration reads rows from before CDEF, which only the
// side that ran CDEF still has. So no candidate gives it residuals without predictions, nor divides the latter two.
constexpr unsigned kRecon = kMc | kItx, kLate = kCdef | kLr;
constexpr unsigned kVp9All = kRecon | kLf, kAv1All = kVp9All | kLate;

// VP9's residuals aren't recorded while a frame is parsed unless the GPU gets both stages of the recon phase.
constexpr Candidate kVp9Fast[] = {{kVp9All}, {0}, {kRecon}, {kVp9All, 2}};
constexpr Candidate kAv1Fast[] = {{kAv1All}, {0}, {kLf | kLate}, {kAv1All, 2}};
// The first one is slower than the CPU alone at no clock of V3D. The others are what docs/forecast.md finds best for
// some stream: V3D takes longer for a whole frame than four cores do, so that more stages go to it in some frames only.
constexpr Candidate kVp9V3d[] = {{kRecon, 2}, {0}, {kVp9All, 2}, {kVp9All, 4, kRecon}, {kVp9All, 2, kRecon}, {kVp9All}};
constexpr Candidate kAv1V3d[] = {{kRecon, 2}, {0}, {kRecon}, {kAv1All, 2, kRecon}, {kAv1All}, {kAv1All, 2}};

} // namespace

std::span<const Candidate> plan_table(DdCodec codec, DeviceKind kind) {
    if (kind == DeviceKind::v3d)
        return codec == DD_CODEC_AV1 ? std::span<const Candidate>(kAv1V3d) : std::span<const Candidate>(kVp9V3d);
    return codec == DD_CODEC_AV1 ? std::span<const Candidate>(kAv1Fast) : std::span<const Candidate>(kVp9Fast);
}

} // namespace dd
