// SPDX-License-Identifier: BSD-2-Clause
//
// What AV1's works share.
#pragma once
#include "work.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

// A painted picture, and nothing to do with it yet.
Work start_av1(const std::string &name, const dd::PictureFormat &format, Random &random);
// The same, to be filtered as a whole.
Work start_av1_filter(const std::string &name, const dd::PictureFormat &format, Random &random);
// Puts the tables into the batch; throws where they are refused.
void set_av1_filters(Work &work, const dd::Av1FilterTables &tables);

// All superblocks of a picture (DD_AV1_SB_WORDS each), without edges, every block with residual.
std::vector<std::uint32_t> blank_superblocks(const dd::PictureFormat &format);

BenchPicture bench_picture(const dd::PictureLayout &layout, std::byte *pixels, const std::byte *before);

} // namespace bench
