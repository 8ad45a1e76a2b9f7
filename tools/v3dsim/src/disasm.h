// SPDX-License-Identifier: BSD-2-Clause
//
// Instruction words as text, in the notation that the driver's own disassembler prints.
#pragma once
#include "decode.h"

#include <string>

namespace v3dsim {

std::string disassemble(const Instruction &in);
std::string disassemble(uint64_t word);

} // namespace v3dsim
