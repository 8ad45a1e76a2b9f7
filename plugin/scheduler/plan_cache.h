// SPDX-License-Identifier: BSD-2-Clause
//
// What earlier streams found of plans, in a file of the user's cache for each device, driver, codec and version.
#pragma once
#include "scheduler/planner.h"

#include <string>

namespace dd {

constexpr const char *kPlanCacheExtension = ".plans"; // of its cache_path()
// Nothing is known where there is no such file, or where it isn't one for this table.
Standings load_standings(const std::string &path, std::span<const Candidate> table);
void save_standings(const std::string &path, std::span<const Candidate> table, const Standings &standings);

} // namespace dd
