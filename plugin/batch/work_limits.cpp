// SPDX-License-Identifier: BSD-2-Clause
#include "batch/work_limits.h"

#include "batch/capacity.h"

#include <algorithm>
#include <charconv>

namespace dd {
namespace {

// Of V3D by the timing model: an AV1 frame at 1080p has 30 000 workgroups in 32 ms; a superblock of VP9's loop filter,
// a step, takes 6 us, of a small picture with edges every four pixels 21. A wide device has so many lanes that
// workgroups cost next to nothing, and pays for each barrier as much.
constexpr std::uint64_t kGroupNs[] = {2000, 100}, kStepNs[] = {30'000, 10'000};

std::uint64_t groups_of(const Dispatch &dispatch) {
    return std::uint64_t{dispatch.groups} * dispatch.groups_y;
}

bool fits(const Dispatch &dispatch, const WorkLimits &limits) {
    return dispatch.groups <= limits.groups[0] && dispatch.groups_y <= limits.groups[1];
}

bool fits(const PhaseWork &work, const WorkLimits &limits) {
    return std::ranges::all_of(work.dispatches, [&](const Dispatch &dispatch) { return fits(dispatch, limits); }) &&
           (!work.tile_sync || fits(*work.tile_sync, limits));
}

} // namespace

std::uint64_t estimate_ns(const PhaseWork &work, Profile profile) {
    const auto of = static_cast<std::size_t>(profile);
    std::uint64_t groups = work.tile_sync ? groups_of(*work.tile_sync) : 0;
    for (const Dispatch &dispatch : work.dispatches)
        groups += groups_of(dispatch);
    return groups * kGroupNs[of] + (work.steps + work.dispatches.size()) * kStepNs[of];
}

std::string_view exceeded_limit(const std::array<const PhaseWork *, 2> &phases, Profile profile,
                                const WorkLimits &limits) {
    std::uint64_t upload = 0, time = 0;
    for (const PhaseWork *work : phases) {
        upload += upload_capacity(work);
        if (!work)
            continue;
        if (work->residual_bytes > limits.residual_bytes)
            return "the size of a buffer";
        if (!fits(*work, limits))
            return "the number of workgroups";
        time += estimate_ns(*work, profile);
    }
    if (upload > limits.upload_bytes)
        return "the size of an upload";
    return time > limits.time_ns ? "the time of a submit" : "";
}

WorkLimits limits_from_text(std::string_view text, WorkLimits limits) {
    while (!text.empty()) {
        const std::string_view one = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), one.size() + 1));
        const std::size_t colon = std::min(one.find(':'), one.size() - 1);
        std::uint64_t value = 0;
        std::from_chars(one.data() + colon + 1, one.data() + one.size(), value);
        const std::string_view name = one.substr(0, colon);
        if (name == "groups")
            for (std::uint32_t &most : limits.groups)
                most = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, value));
        else if (name == "upload")
            limits.upload_bytes = std::min(limits.upload_bytes, value);
        else if (name == "time")
            limits.time_ns = std::min(limits.time_ns, value);
    }
    return limits;
}

} // namespace dd
