// SPDX-License-Identifier: BSD-2-Clause
//
// Checks of batches that didn't come from a recorder.
#pragma once
#include "vp9/batch.h"

namespace dd {

// Says whether all that the records address lies inside the pictures and buffers of the batch.
bool is_valid(const Vp9Batch &batch);

} // namespace dd
