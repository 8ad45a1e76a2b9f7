// SPDX-License-Identifier: BSD-2-Clause
#include "scheduler/plan_table.h"

namespace dd {
namespace {

constexpr unsigned kMc = 1u << DD_STAGE_MC, kItx = 1u << DD_STAGE_ITX, kLf = 1u << DD_STAGE_LF,
                   kCdef = 1u << DD_STAGE_CDEF, kLr = 1u << DD_STAGE_LR;
// AV1: the GPU adds residuals to its own predictions alone; restoration reads rows from before CDEF, which only the side
// that ran CDEF still has. So no candidate gives it residuals without predictions, nor divides the latter two.
constexpr unsigned kRecon = kMc | kItx, kLate = kCdef | kLr;

// VP9's residuals aren't recorded while a frame is parsed unless the GPU gets both stages of the recon phase.
constexpr Candidate kVp9Fast[] = {{kRecon | kLf}, {0}, {kRecon}, {kRecon | kLf, 2}};
constexpr Candidate kAv1Fast[] = {{kRecon | kLf | kLate}, {0}, {kLf | kLate}, {kRecon | kLf | kLate, 2}};
// By what the CPU saves for a millisecond of V3D (docs/forecast.md), the likeliest first: V3D takes longer for a whole
// frame than four cores do. AV1's residuals save next to nothing, its predictions most.
constexpr Candidate kVp9V3d[] = {{kLf, 2}, {0}, {kLf}, {kRecon | kLf, 4}, {kRecon | kLf, 2}, {kRecon | kLf}};
constexpr Candidate kAv1V3d[] = {{kMc}, {0}, {kMc, 2}, {kMc | kLf}, {kMc | kLate, 2}, {kRecon | kLf | kLate}};

} // namespace

std::span<const Candidate> plan_table(DdCodec codec, DeviceKind kind) {
    if (kind == DeviceKind::v3d)
        return codec == DD_CODEC_AV1 ? std::span<const Candidate>(kAv1V3d) : std::span<const Candidate>(kVp9V3d);
    return codec == DD_CODEC_AV1 ? std::span<const Candidate>(kAv1Fast) : std::span<const Candidate>(kVp9Fast);
}

} // namespace dd
