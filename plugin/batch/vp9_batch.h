// SPDX-License-Identifier: BSD-2-Clause
//
// The batch of one VP9 frame: every record of the stages that were planned for the GPU. Filled once, then
// immutable until the frame is done, so that a failed frame can be run again. It knows no Vulkan: the
// executor, the scalar reference and tools/replay all run the same batch.
#pragma once
#include "batch/picture_layout.h"
#include "common/records.h"

#include <array>
#include <cstdint>
#include <vector>

namespace dd {

// A prediction of a rectangle from one reference, as the decoder's own motion compensation call has it.
struct Vp9Prediction {
    unsigned plane = 0, ref = 0, filter = 0; // ref: slot 0..2
    bool second = false;                     // second reference of a compound block
    unsigned x = 0, y = 0, w = 0, h = 0;     // pixels of the destination plane, multiples of 4
    std::int32_t src_x = 0, src_y = 0;       // 1/16 pixel of the reference plane
    unsigned step_x = 16, step_y = 16;       // 1/16 pixel; 16, 16: same size
};

struct Vp9Residual {
    unsigned plane = 0, x = 0, y = 0; // pixels
    unsigned kind = 0;                // DD_ITX_*: 0..3 DCT by size, DD_ITX_WHT
    unsigned eob = 0;
    const void *coefs = nullptr; // int16 (8 bits) or int32, whole block, column after column
};

// Records of one recording thread (a tile column). Streams are concatenated when the frame is submitted.
class Vp9Recorder {
  public:
    explicit Vp9Recorder(const PictureLayout &dst) : dst_(&dst) {}
    void clear();
    // Marks the start of a block: second predictions pair with the first ones since then, in order.
    void begin_block();
    // Both check sizes and positions; false: refused, nothing was recorded (the frame must go to the CPU).
    bool predict(const Vp9Prediction &p);
    bool residual(const Vp9Residual &r);

    std::array<std::vector<DdMcRecord>, DD_MC_CLASSES> mc;
    std::array<std::vector<DdScaledMcRecord>, DD_MC_CLASSES> scaled;
    std::array<std::array<std::vector<DdItxRecord>, DD_ITX_CORNERS>, DD_ITX_KINDS> itx;
    std::vector<std::uint32_t> coefs; // record.coefs counts from here

  private:
    const PictureLayout *dst_;
    std::array<std::size_t, DD_MC_CLASSES> mc_cursor_{}, scaled_cursor_{};
};

// Nothing to filter while there are no superblocks.
struct Vp9LoopFilter {
    unsigned sb_cols = 0, sb_rows = 0;
    std::vector<DdLfSuperblock> superblocks;          // sb_rows * sb_cols, raster
    std::array<std::uint32_t, DD_LF_LEVELS> limits{}; // limit | mblimit << 8
};

struct Vp9Batch {
    PictureLayout dst;
    std::array<PictureLayout, DD_MAX_REFS> ref; // size 0: no such reference
    std::vector<Vp9Recorder> recorders;
    Vp9LoopFilter lf;
};

} // namespace dd
