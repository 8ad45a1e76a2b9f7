// SPDX-License-Identifier: BSD-2-Clause
#include "tmu.h"

namespace v3dsim {

bool texture_access(Thread &t, const RunContext &, unsigned, const Lanes &, LaneMask) {
    t.error = "texture access is not implemented";
    return false;
}

} // namespace v3dsim
