// SPDX-License-Identifier: BSD-2-Clause
//
// Random VP9 frames as a decoder would record them.
#pragma once
#include "vp9/batch.h"

#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace dd::test {

// The calls of one frame, to be made on whatever records.
struct RandomFrame {
    struct Block {
        std::vector<Vp9Prediction> predictions; // first ones, then seconds
        std::vector<Vp9Residual> residuals;     // coefs point into `coefs`
    };
    PictureLayout dst;
    Vp9References ref{};
    std::vector<Block> blocks;
    std::vector<std::vector<std::int32_t>> coefs; // int16 or int32, by residual
    std::vector<DdLfSuperblock> superblocks;
    unsigned sb_cols = 0, sb_rows = 0;
    std::array<std::uint8_t, 64> limit{}, mblimit{};
};

struct RandomOptions {
    bool scaled = false; // reference 1 has another size
    bool residuals = true;
    bool filter = true;
};

PictureFormat format(unsigned width, unsigned height, unsigned depth = 8, unsigned ss_h = 1, unsigned ss_v = 1);
RandomFrame make_random_frame(std::mt19937 &random, const PictureFormat &format, const RandomOptions &options);
// The same frame in a batch.
void record(const RandomFrame &frame, Vp9Batch &batch, unsigned recorders);
std::vector<std::byte> random_pixels(std::mt19937 &random, const PictureLayout &layout);
// The value of DAEDALUS_TEST_SEED, else 1; printed by Catch2 where a test fails.
std::uint32_t test_seed();

} // namespace dd::test
