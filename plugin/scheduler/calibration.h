// SPDX-License-Identifier: BSD-2-Clause
//
// What earlier streams have learned, in a file of the user's cache for each device, driver and version.
#pragma once
#include "scheduler/planner.h"

#include <string>

namespace dd {

constexpr const char *kCalibrationExtension = ".costs"; // of its cache_path()
// False: there is none, or it isn't one; `knowledge` stays as it was.
bool load_calibration(const std::string &path, Knowledge &knowledge);
void save_calibration(const std::string &path, const Knowledge &knowledge);

} // namespace dd
