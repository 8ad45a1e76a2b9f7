// SPDX-License-Identifier: BSD-2-Clause
//
// Residuals of AV1, one block after another, from what the C interface gets: AV1 specification, clauses 7.13.3 and
// 7.12.3.
#pragma once
#include "av1/residual.h"
#include "batch/picture_layout.h"
#include "daedalus/daedalus.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dd::reference {

using Av1Coefs = std::array<std::int32_t, 32 * 32>; // int16_t with 8 bits

// What a record of a bin was made of: not a DC coefficient alone. Its coefficients are put into `coefs`.
DdAv1Residual residual_of_record(const PictureLayout &layout, const Av1Residuals &residuals, std::uint32_t shape,
                                 const DdAv1ItxRecord &record, Av1Coefs &coefs);

// Row after row.
std::vector<std::int64_t> residual_of(const PictureLayout &layout, const DdAv1Residual &r);
void add_residual(const PictureLayout &layout, const DdAv1Residual &r, std::byte *dst);

} // namespace dd::reference
