// SPDX-License-Identifier: BSD-2-Clause
//
// A mistake of the driver's compiler that may show in a program: Mesa 25.0's register allocator postpones the spill
// of a value that is written while loads are under way, and then spills all lanes of it. Where the write was
// conditional (a value that a divergent branch assigns), the other lanes' spilled value is overwritten with what the
// register held before.
#pragma once
#include "execute.h"

namespace v3dsim {

// Spills of all lanes of a register of which the straight line of code before has written some lanes only. No proof
// of wrong results: the other lanes may never be read.
unsigned count_partial_spills(const Program &p);

} // namespace v3dsim
