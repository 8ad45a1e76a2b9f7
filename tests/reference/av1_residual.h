// SPDX-License-Identifier: BSD-2-Clause
//
// Residuals of AV1, one block after another, from what the C interface gets: AV1 specification, clauses 7.13.3 and 7.12.3.
#pragma once
#include "batch/picture_layout.h"
#include "daedalus/daedalus.h"

#include <cstddef>

namespace dd::reference {

void add_residual(const PictureLayout &layout, const DdAv1Residual &r, std::byte *dst);

} // namespace dd::reference
