// SPDX-License-Identifier: BSD-2-Clause
//
// What earlier streams have learned, in a file of the user's cache for each device, driver and version.
#pragma once
#include "scheduler/planner.h"

#include <string>

namespace dd {

// Where it is kept: $XDG_CACHE_HOME/daedalus or ~/.cache/daedalus. Empty: there is no cache folder.
// `identity` names all that costs depend on.
std::string calibration_path(const std::string &identity);
// False: there is none, or it isn't one; `knowledge` stays as it was.
bool load_calibration(const std::string &path, Knowledge &knowledge);
// Replaces the file at once, so that a reader sees the old one or the new one. Nothing where it can't be written.
void save_calibration(const std::string &path, const Knowledge &knowledge);

} // namespace dd
