// SPDX-License-Identifier: BSD-2-Clause
#include "scheduler/plan.h"

#include <algorithm>

namespace dd {
namespace {

constexpr std::array<std::string_view, DD_STAGES> names = {"mc", "itx", "lf", "cdef", "lr"};

bool parse_side(std::string_view text, std::uint8_t &side) {
    if (text != "gpu" && text != "cpu")
        return false;
    side = text == "gpu" ? DD_SIDE_GPU : DD_SIDE_CPU;
    return true;
}

bool parse_stage(std::string_view text, PlanSpec &spec) {
    const std::size_t equals = text.find('=');
    if (text.substr(0, equals) == "intra" && equals != text.npos) {
        std::uint8_t side = DD_SIDE_CPU;
        const bool understood = parse_side(text.substr(equals + 1), side);
        spec.intra = side == DD_SIDE_GPU;
        return understood;
    }
    const auto name = std::ranges::find(names, text.substr(0, equals));
    if (equals == text.npos || name == names.end())
        return false;
    std::uint8_t &side = spec.side[static_cast<std::size_t>(name - names.begin())];
    if (*name == names[DD_STAGE_LF] && text.substr(equals + 1) == "none") {
        side = DD_SIDE_NONE;
        return true;
    }
    return parse_side(text.substr(equals + 1), side);
}

bool parse_list(std::string_view text, PlanSpec &spec) {
    for (;;) {
        const std::size_t end = text.find_first_of(",+");
        if (!parse_stage(text.substr(0, end), spec))
            return false;
        if (end == text.npos)
            return true;
        text.remove_prefix(end + 1);
    }
}

} // namespace

bool parse_plan(std::string_view text, PlanSpec &spec) {
    spec = {};
    spec.measures_all = text == "measure";
    if (text == "auto" || spec.measures_all)
        return true;
    if (text == "random") {
        spec.kind = PlanSpec::Kind::random;
        return true;
    }
    spec.kind = PlanSpec::Kind::fixed;
    if (text == "parse") {
        spec.side.fill(DD_SIDE_NONE);
        return true;
    }
    std::uint8_t side = DD_SIDE_CPU;
    if (parse_side(text, side)) {
        spec.side.fill(side);
        return true;
    }
    return parse_list(text, spec);
}

bool parse_goal(std::string_view text, Goal &goal) {
    if (text != "speed" && text != "cpu")
        return false;
    goal = text == "cpu" ? Goal::cpu : Goal::speed;
    return true;
}

const char *stage_name(unsigned stage) {
    return stage < names.size() ? names[stage].data() : "?";
}

std::string plan_text(const DdPlan &plan, unsigned first, unsigned stages) {
    std::string text;
    for (unsigned stage = first; stage < stages; stage++) {
        if (stage > first)
            text += ',';
        text += names[stage];
        constexpr std::array<std::string_view, 3> sides = {"=cpu", "=gpu", "=none"};
        text += sides[plan.side[stage]];
    }
    return text;
}

} // namespace dd
