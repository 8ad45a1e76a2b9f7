// SPDX-License-Identifier: BSD-2-Clause
//
// Jobs other than compute: command lists of the 3D engine (the driver uses them for buffer copies and fills, and an
// empty one to signal) and jobs of the texture formatting unit.
#pragma once
#include "memory.h"
#include "v3d_uapi.h"

#include <string>

namespace v3dsim {

// False, with a message, when the list does something that is not implemented.
bool run_command_list(Memory &memory, const uapi::SubmitClArgs &list, std::string *error);
bool run_texture_format(Memory &memory, const uapi::SubmitTfuArgs &job, std::string *error);

} // namespace v3dsim
