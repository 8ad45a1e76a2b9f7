// SPDX-License-Identifier: BSD-2-Clause
//
// The loop filter's records for the GPU: what a line of pixels meets in a superblock, in one word. The decoder's masks
// have a row of 8x8 blocks in a word, for both directions, and pairs of rows or columns share 16 wide edges
// (specification, clause 8.8).
#pragma once
#include "common/records.h"
#include "vp9/batch.h"

#include <cstddef>

namespace dd {

// Writes lf.superblocks.size() DdLfLines, front to back.
void write_vp9_filter_lines(const Vp9Batch &batch, std::byte *to);

} // namespace dd
