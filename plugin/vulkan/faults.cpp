// SPDX-License-Identifier: BSD-2-Clause
#include "vulkan/faults.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace dd {
namespace {

constexpr std::array<std::string_view, kFaults> names = {"submit", "wait", "alloc", "map",   "pipeline",
                                                         "lost",   "hang", "late",  "adopt", "sync"};

} // namespace

std::unique_ptr<Faults> Faults::from_text(std::string_view text) {
    if (text.empty())
        return nullptr;
    auto faults = std::make_unique<Faults>();
    while (!text.empty()) {
        const std::string_view one = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), one.size() + 1));
        const std::size_t colon = one.find(':');
        const auto name = std::ranges::find(names, one.substr(0, colon));
        if (colon == one.npos || name == names.end())
            continue;
        unsigned long at = 0;
        std::from_chars(one.data() + colon + 1, one.data() + one.size(), at);
        faults->at_[static_cast<std::size_t>(name - names.begin())] = at;
    }
    return faults;
}

bool Faults::tell(Fault fault) const {
    const auto i = static_cast<std::size_t>(fault);
    std::fprintf(stderr, "made to fail: %s:%lu\n", names[i].data(), at_[i]);
    return true;
}

} // namespace dd
