// SPDX-License-Identifier: BSD-2-Clause
//
// Checks of batches that didn't come from a recorder: whether all that they address lies inside pictures, tables and
// buffers.
#pragma once
#include "av1/batch.h"

namespace dd {

// `present`: bit s: the pixels of slot s are at hand.
bool is_valid(const Av1Recon &recon, const PictureLayout &dst, unsigned present);
// What Av1Filters::set() doesn't have to check of a decoder: no filter reaches over the picture.
bool are_valid(const Av1FilterTables &tables, const PictureLayout &dst);

} // namespace dd
