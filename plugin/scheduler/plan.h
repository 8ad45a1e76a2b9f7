// SPDX-License-Identifier: BSD-2-Clause
//
// What the user asked for: where stages are to run.
#pragma once
#include "daedalus/debug.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace dd {

// Of plan `auto`.
enum class Goal {
    speed, // the most frames a second
    cpu,   // the least CPU time a frame, as long as frames come in real time
};
// "speed" or "cpu". False: not understood.
bool parse_goal(std::string_view text, Goal &goal);

struct PlanSpec {
    enum class Kind {
        automatic, // the scheduler decides
        fixed,     // `side` for every frame
        random,    // another side for each stage and frame, for tests
    };
    Kind kind = Kind::automatic;
    bool measures_all = false;                  // Kind::automatic: software renderers too, which otherwise get nothing
    std::array<std::uint8_t, DD_STAGES> side{}; // as DdPlan has them
    bool intra = true; // intra blocks go to the GPU with predictions and residuals, where it has lanes to spare
};

// "auto", "gpu", "cpu", those of debug.h, or a list of stage=side, separated by ',' or '+'; stages that aren't named
// stay on the CPU. "intra=cpu": as PlanSpec::intra is false. False: not understood.
bool parse_plan(std::string_view text, PlanSpec &spec);

const char *stage_name(unsigned stage);
// "mc=gpu,itx=gpu,lf=cpu": stages from `first` up to, not including, `stages`.
std::string plan_text(const DdPlan &plan, unsigned first, unsigned stages);

// Stages that a codec has; DD_STAGE_LF is the last one of VP9.
constexpr unsigned codec_stages(DdCodec codec) {
    return codec == DD_CODEC_VP9 ? DD_STAGE_LF + 1 : DD_STAGES;
}

} // namespace dd
