// SPDX-License-Identifier: BSD-2-Clause
//
// What the shape of a bin of residuals says.
#pragma once
#include "av1/residual.h"

#include <optional>

namespace dd {

struct Av1CodedShape {
    unsigned size = 0, type = 0;
    Av1Corner corner; // sides of 0: a DC coefficient alone
};
// Nothing where no residual has that shape (DD_AV1_ITX_*).
std::optional<Av1CodedShape> av1_shape_of_bits(std::uint32_t bits);

} // namespace dd
