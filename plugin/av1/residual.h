// SPDX-License-Identifier: BSD-2-Clause
//
// Records of AV1's residuals: checked, sorted by shape, with the coefficients that the end of block allows.
#pragma once
#include "batch/coefficient_moves.h"
#include "batch/picture_layout.h"
#include "common/av1_recon.h"
#include "daedalus/daedalus.h"
#include "util/record_list.h"

#include <array>
#include <cstdint>
#include <vector>

namespace dd {

constexpr unsigned kAv1TxSizes = 19, kAv1TxTypes = 17; // as DdAv1Residual numbers them

enum class Av1Kind : std::uint8_t { dct, adst, identity, wht }; // DD_AV1_ITX_*

// What a transform's size and type mean.
struct Av1Shape {
    unsigned w = 0, h = 0;
    Av1Kind horizontal{}, vertical{};
    bool flip_h = false, flip_v = false;
    unsigned shift = 0; // after rows
    bool valid = false; // AV1 has it
    bool rect() const { return w == 2 * h || h == 2 * w; }
};
Av1Shape av1_shape(unsigned size, unsigned type);

// The corner outside of which no coefficient is, log2 of its sides: at least four, no more than 32.
struct Av1Corner {
    unsigned cols = 0, rows = 0;
};
// `eob`: index of the last coefficient in the scan.
Av1Corner av1_corner(unsigned size, unsigned type, unsigned eob);
Av1Corner av1_corner(const Av1Shape &shape, unsigned size, unsigned eob);

// A bin's shape (DD_AV1_ITX_*). A corner's sides are 0 where there is a DC coefficient alone.
std::uint32_t av1_shape_bits(const Av1Shape &shape, const Av1Corner &corner);

// What each pixel of a block gets whose DC coefficient is the only one. DCT only.
int av1_dc_residual(unsigned size, int dc);
int av1_dc_residual(const Av1Shape &shape, int dc);

struct Av1ItxBin {
    std::uint32_t shape; // DD_AV1_ITX_*
    RecordList<DdAv1ItxRecord> records;
};

enum class Av1Recorded { ok, invalid, out_of_range };

class Av1Residuals {
  public:
    Av1Residuals();
    void reset(const PictureLayout &dst);
    // Moves the coefficients into the batch: zeros stay behind.
    Av1Recorded take(const DdAv1Residual &r);
    // Puts everything that was taken back to where it was, or to its home.
    void give_back();

    std::vector<Av1ItxBin> bins;     // of shapes that were met, in any frame
    RecordList<std::uint32_t> coefs; // records count from the first one of this recorder
    std::uint64_t count = 0;

  private:
    struct Taken {
        void *home;
        std::uint32_t coefs;             // the first word; of a DC coefficient alone the value
        std::uint8_t cols, rows, stride; // of the corner, 0: a DC coefficient alone
    };
    // What a size and type allow, in the frame's bit depth.
    struct Limits {
        Av1Shape shape;
        unsigned coded = 0; // coefficients
        HarmlessSum harmless;
    };
    using LimitsTable = std::array<std::array<Limits, kAv1TxTypes>, kAv1TxSizes>;
    static LimitsTable make_limits(unsigned bit_depth);
    // nullptr: such a residual isn't possible, or doesn't fit any more.
    const Limits *limits_of(const DdAv1Residual &r) const;

    // The corner's sides are 0 where there is a DC coefficient alone.
    Av1ItxBin &bin_of(unsigned size, unsigned type, const Av1Shape &shape, const Av1Corner &corner);
    void note_taken(void *home, std::uint32_t first, const Av1Corner &corner, unsigned stride);
    template <typename T>
    std::uint32_t take_dc(const DdAv1Residual &r, const Limits &limits);
    template <typename T>
    Av1Recorded take(const DdAv1Residual &r, const Limits &limits, std::uint32_t dst);
    template <typename T>
    void give_back(const Taken &one) const;

    PictureLayout dst_;
    LimitsTable limits_{};
    unsigned limits_depth_ = 0; // that the limits are for
    RecordList<Taken> taken_;
    static constexpr unsigned kCorners = 17, kNoBin = 0xffff;
    std::vector<std::uint16_t> bin_at_; // by size, type and corner
};

} // namespace dd
