// SPDX-License-Identifier: BSD-2-Clause
//
// What play.cpp tells of the plugin. Stock libraries have none: report_none.cpp.
#pragma once
#include <string>

void watch_plugin();
// Members of a JSON object, each after a comma.
std::string more_fields();
