// SPDX-License-Identifier: BSD-2-Clause
//
// Why a device's file can't be opened, as people can mend it.
#pragma once
#include <span>
#include <string>

namespace dd {

// Of the first of the files that is there and that this process may not read and write: its path, "permission denied",
// and the group that may open it, if one may. Empty: there is none.
std::string denied_device_file(std::span<const char *const> paths);

} // namespace dd
