// SPDX-License-Identifier: BSD-2-Clause
//
// The batch of one VP9 frame: every record of the stages that were planned for the GPU. Filled once, then
// immutable until the frame is done. It knows no Vulkan: slots (vulkan/slot.h), the scalar reference and tools/replay
// all run the same batch.
#pragma once
#include "batch/coefficient_moves.h"
#include "batch/picture_layout.h"
#include "common/records.h"
#include "daedalus/daedalus.h"
#include "util/record_list.h"
#include "vp9/blocks.h"
#include "vp9/intra_levels.h"
#include "vp9/squares.h"

#include <array>
#include <cstdint>
#include <vector>

namespace dd {

using Vp9References = std::array<PictureLayout, DD_MAX_REFS>; // by slot; size 0: no such reference

// A prediction of a rectangle from one reference, as the decoder's own motion compensation call has it.
struct Vp9Prediction {
    unsigned plane = 0, ref = 0, filter = 0; // plane: also DD_PLANES_CHROMA; ref: slot 0..2
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

constexpr unsigned itx_size(unsigned kind) {
    return kind == DD_ITX_WHT ? 4 : 4u << kind;
}
// The smallest corner class that holds the first `eob` coefficients of the default scan.
unsigned itx_corner(unsigned kind, unsigned eob);
constexpr unsigned corner_size(unsigned corner) {
    return corner ? 4u << (corner - 1) : 0;
}
// Words that a corner takes in the coefficient buffer.
constexpr unsigned corner_words(unsigned corner, unsigned bytes_per_pixel) {
    return corner_size(corner) * corner_size(corner) * bytes_per_pixel / 2;
}

// Intra prediction of one transform block, and its level, from 1 on.
struct Vp9IntraStep {
    DdIntraRecord record;
    std::uint32_t level;
};
constexpr unsigned intra_size(std::uint32_t how) {
    return how >> DD_INTRA_SIZE_SHIFT & 3;
}

// Records of one recording thread (a tile column). Streams are concatenated when the frame is submitted. Every
// record that is in here addresses nothing outside the pictures of the batch.
class Vp9Recorder {
  public:
    Vp9Recorder() = default; // refuses everything
    Vp9Recorder(const PictureLayout &dst, const Vp9References &ref) { reset(dst, ref); }
    // Empties the streams, which keep their memory.
    void reset(const PictureLayout &dst, const Vp9References &ref);
    // Marks the start of a block: second predictions pair with the first ones since then, in order.
    void begin_block();
    // Both check sizes and positions; false: refused (the frame must go to the CPU).
    bool predict(const Vp9Prediction &p);
    bool predict_block(const DdVp9Block &block);
    // Moves the residuals of a block in here: zeros stay behind. When one is refused, some may have been moved.
    bool take_residuals(const DdVp9Residuals &block);
    // The same as take_residuals() for a single one, which is copied.
    bool residual(const Vp9Residual &r);
    std::size_t residuals() const;
    // Squares of single planes that are predicted.
    std::size_t squares() const { return 3 * (blocks.size() + pair_blocks.size()) + mc.size() + scaled.size(); }
    // Intra prediction of a block, in the order of decoding, and its residuals, as take_residuals() moves them.
    bool intra_block(const DdVp9IntraBlock &block);
    // Why a residual was refused: its values leave the range in which all implementations agree.
    bool out_of_range() const { return out_of_range_; }

    // Predictions. Where chroma has half of the width and height, whole blocks lie in lists of their own.
    Vp9Blocks blocks;
    Vp9PairBlocks pair_blocks;
    Vp9Squares<DdMcRecord, 9> mc;
    Vp9Squares<DdScaledMcRecord, 1> scaled;
    std::array<std::array<RecordList<DdItxRecord>, DD_ITX_CORNERS>, DD_ITX_KINDS> itx;
    // Intra blocks, in the order of decoding; residuals count from this recorder's first.
    RecordList<Vp9IntraStep> intra;
    std::array<RecordList<DdIntraItxRecord>, DD_INTRA_SIZES> intra_itx; // by size
    std::uint32_t intra_words = 0;                                      // of the residuals
    std::array<std::uint32_t, 2> intra_levels{};                        // the highest one of luma and of chroma
    RecordList<std::uint32_t> coefs;                                    // record.coefs counts from here
    std::uint64_t predictions = 0;                                      // calls of predict that were taken
    unsigned used_refs = 0;                                             // bit s: a prediction reads slot s

  private:
    struct Square { // of a first prediction of the block
        std::uint8_t size_class;
        bool scaled;
        std::uint16_t bin;
        std::uint32_t index;
    };
    bool in_plane(unsigned plane, unsigned x, unsigned y, unsigned w, unsigned h) const {
        if (plane > 2 || ((x | y | w | h) & 3) || w == 0 || h == 0)
            return false;
        const auto [width, height] = limit_[plane];
        return x < width && y < height && w <= width - x && h <= height - y;
    }
    // The same in a few instructions, of x | y << 16 with at most 14 bits each. An empty rectangle is inside as well.
    bool inside(unsigned plane, std::uint32_t at, std::uint32_t size) const {
        return !(at & 0x00030003) && ((sides_[plane] - at - size) & kNoBorrow) == kNoBorrow;
    }
    bool allowed(const Vp9Prediction &p) const;
    template <bool compound>
    bool put_block(const DdVp9Block &block, unsigned shape);
    bool put_planes(const DdVp9Block &block, unsigned shape);
    bool predict_plane(const Vp9Prediction &p);
    void simple_squares(const Vp9Prediction &p, unsigned side);
    void square(const Vp9Prediction &p, unsigned dx, unsigned dy, unsigned size_class);
    bool pair_square(const Vp9Prediction &p, unsigned dx, unsigned dy, unsigned size_class);
    template <typename Squares>
    void put_first(Squares &to, unsigned size_class, const typename Squares::Record &record);
    template <typename Squares>
    typename Squares::Record take_first(Squares &from, const Square &first);

    void prepare_ranges();
    template <typename T>
    bool take_planes(const DdVp9Residuals &block);
    template <typename T>
    bool take_all_planes(const DdVp9Residuals &block);
    // The transforms of one plane. `at` in pixels, `size` in 4x4 blocks: x | y << 16, so that registers hold all
    // arguments.
    template <typename T>
    bool take_kind(const DdVp9Residuals &block, unsigned plane, std::uint32_t at, std::uint32_t size);
    template <typename T, unsigned kind>
    bool take_plane(unsigned plane, std::uint32_t at, std::uint32_t size, const void *eobs, void *coefficients);
    template <typename T, unsigned kind>
    bool take_plane_growing(unsigned plane, std::uint32_t at, std::uint32_t size, const void *eobs, void *coefficients);
    template <typename T, unsigned kind>
    bool take_rows(unsigned plane, std::uint32_t at, std::uint32_t size, const std::uint8_t *eobs, T *from);
    template <typename T, unsigned kind>
    bool take(unsigned plane, std::uint32_t at, unsigned eob, T *from);
    template <typename T, unsigned kind, unsigned corner>
    bool take_corner(unsigned plane, std::uint32_t at, T *from);
    template <typename T, unsigned kind, unsigned corner>
    bool take_doubtful(unsigned plane, std::uint32_t at);

    struct IntraShare;
    bool allowed(const DdVp9IntraBlock &block) const;
    template <typename T>
    bool put_intra(const DdVp9IntraBlock &block);
    template <typename T, unsigned size, bool chroma>
    bool put_intra_planes(const DdVp9IntraBlock &block);
    template <unsigned size>
    bool intra_share(const DdVp9IntraBlock &block, unsigned plane, IntraShare &share) const;
    template <unsigned size>
    void fill_intra_step(const IntraShare &s, unsigned plane, unsigned x4, unsigned y4, unsigned mode,
                         Vp9IntraStep &step);
    template <typename T, unsigned size>
    bool put_intra_residual(std::uint32_t transform, unsigned eob, T *from, std::uint32_t &residual);
    template <typename T, unsigned size, unsigned corner>
    bool put_intra_corner(std::uint32_t how, T *from);

    static constexpr std::uint32_t kNoBorrow = 0x80008000;
    std::array<std::array<std::uint32_t, 2>, 3> limit_{}; // padded width and height by plane
    std::array<std::uint32_t, 3> sides_{};                // the same: width | height << 16 | kNoBorrow
    unsigned cols_ = 0, rows_ = 0;                        // blocks of 8x8 in luma
    unsigned has_ref_ = 0;                                // bit s: slot s
    unsigned ss_h_ = 0, ss_v_ = 0;
    bool has_halves_ = false; // chroma of half of the width and height
    unsigned bit_depth_ = 8, bytes_per_pixel_ = 1;
    bool out_of_range_ = false;
    std::array<HarmlessSum, DD_ITX_KINDS> harmless_{}; // by kind
    Vp9IntraLevels levels_;
    std::array<std::array<std::uint32_t, 2>, 3>
        end_{}; // where the last 8x8 block of luma ends, by plane, in 4x4 blocks
    std::vector<Square> firsts_;
    std::size_t next_pair_ = 0;
};

// Nothing to filter while there are no superblocks.
struct Vp9LoopFilter {
    unsigned sb_cols = 0, sb_rows = 0;
    RecordList<DdLfSuperblock> superblocks;           // sb_rows * sb_cols, raster
    std::array<std::uint32_t, DD_LF_LEVELS> limits{}; // limit | mblimit << 8
};

struct Vp9Counts {
    std::uint64_t predictions = 0, residuals = 0, filtered_superblocks = 0;
};

struct Vp9Batch {
    PictureLayout dst;
    Vp9References ref;
    std::vector<Vp9Recorder> recorders;
    Vp9LoopFilter lf;

    // An empty batch for a picture. References of other pixel formats are left out. Keeps memory.
    void reset(const PictureLayout &dst_layout, const Vp9References &references, unsigned recorder_count);
    // Copies the loop filter's input, without edges on the picture's border; false: refused. The arguments are those of
    // dd_vp9_loop_filter.
    bool set_loop_filter(const void *sb, unsigned sb_cols, unsigned sb_rows, const std::uint8_t *limit,
                         const std::uint8_t *mblimit);
};

} // namespace dd
