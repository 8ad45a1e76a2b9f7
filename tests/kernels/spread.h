// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include "kernels/av1_random.h"

#include <algorithm>
#include <cstdlib>

namespace dd::test {

// With DAEDALUS_SPREAD=N one of N cases, by chance: emulated processors are slow.
inline bool chosen(Random &random) {
    static const char *const spread = std::getenv("DAEDALUS_SPREAD");
    return !spread || below(random, static_cast<unsigned>(std::max(std::atoi(spread), 1))) == 0;
}

} // namespace dd::test
