// SPDX-License-Identifier: BSD-2-Clause
//
// Records of AV1's inter prediction: checked, cut into what a kernel's record may be, and sorted by kernel, by the
// references that a dispatch binds, and by class.
#pragma once
#include "av1/residual.h"
#include "batch/picture_layout.h"
#include "common/av1_recon.h"
#include "daedalus/daedalus.h"
#include "util/record_list.h"

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace dd {

constexpr unsigned kAv1Refs = 7;

// The pictures behind the seven slots. A dispatch binds six; where there are seven different ones, four groups of six
// hold every combination of three.
class Av1References {
  public:
    // By slot: anything that tells pictures apart; nullptr: none that the GPU can read.
    void set(const std::array<const void *, kAv1Refs> &pictures);
    bool has(unsigned slot) const { return slot < kAv1Refs && picture_[slot] != kNone; }
    // Pictures are numbered in the order of the first slot that each has; that slot is the one that is bound.
    unsigned picture(unsigned slot) const { return picture_[slot]; }
    unsigned bound_slot(unsigned slot) const { return slot_[picture_[slot]]; }
    unsigned groups() const { return count_ > DD_AV1_BOUND_REFS ? kGroups : 1; }
    // The group that binds all pictures of the set (bit n: picture n).
    unsigned group_with(unsigned pictures) const { return groups() == 1 ? 0 : group_of_many(pictures); }
    static unsigned binding(unsigned group, unsigned picture) {
        return picture > kLeftOut[group] ? picture - 1 : picture;
    }
    // Slots by binding; where there are fewer pictures, the rest repeats the first.
    std::array<std::uint8_t, DD_AV1_BOUND_REFS> bound(unsigned group) const;

    static constexpr unsigned kGroups = 4;

  private:
    static constexpr unsigned kNone = 0xff;
    unsigned group_of_many(unsigned pictures) const;
    static constexpr std::array<unsigned, kGroups> kLeftOut = {6, 0, 1, 2};
    std::array<unsigned, kAv1Refs> picture_{};
    std::array<std::uint8_t, kAv1Refs> slot_{}; // of a picture
    unsigned count_ = 0;
};

template <typename Record>
using Av1Streams = std::array<std::array<RecordList<Record>, DD_AV1_CLASSES>, Av1References::kGroups>;

// Lanes of a whole block's chroma, as a logarithm, by those of luma.
constexpr unsigned av1_chroma_class(const PictureFormat &format, unsigned luma_class) {
    return luma_class + 1 - format.ss_h - format.ss_v;
}

class Av1Recorder {
  public:
    void reset(const PictureLayout &dst, const Av1References &references);
    // False: refused.
    bool predict(const DdAv1Prediction &p);
    // A record for all planes, or as many for parts of a large block.
    bool predict(const DdAv1InterBlock &b);
    bool overlap(const DdAv1Overlap &o);
    bool difference(const DdAv1Difference &d);

    Av1Streams<DdAv1McRecord> mc, blocks;           // from one reference: of planes, of whole blocks
    Av1Streams<DdAv1PairRecord> pairs, pair_blocks; // from two
    Av1Streams<DdAv1OverlapRecord> overlaps;
    Av1Streams<DdAv1WarpRecord> warps;
    Av1Streams<DdAv1DiffRecord> differences;
    std::vector<std::uint32_t> masks; // records count from the first one of this recorder
    std::uint64_t predictions = 0;
    unsigned used_pictures = 0; // by bit
    Av1Residuals residuals;
    std::uint64_t residuals_kept = 0; // by the CPU

  private:
    struct Area {
        unsigned x, y, w, h;
    };
    // What a source is, as a kernel has it, for a part of the block.
    struct Placed {
        DdAv1RecordSource source;
        DdAv1RecordWarp warp;
    };
    bool in_plane(bool chroma, const Area &a) const;
    bool valid(const DdAv1Source &s, bool may_warp) const;
    bool allowed(const DdAv1Prediction &p, bool &warped) const;
    bool allowed(const DdAv1InterBlock &b) const;
    unsigned group_of(std::span<const DdAv1Source> sources);
    Placed place(const DdAv1Source &s, unsigned group, bool chroma, const Area &whole, const Area &part) const;
    DdAv1RecordSource place_translated(const DdAv1Source &s, unsigned group, bool chroma, const Area &whole,
                                       const Area &part) const;
    void add_mc(const DdAv1Prediction &p, unsigned group, const Area &part, std::uint32_t mask);
    template <unsigned sources>
    void add_block(const DdAv1InterBlock &b);
    void add_warp(const DdAv1Prediction &p, unsigned group, const Area &part, std::uint32_t mask);
    std::uint32_t add_mask(const DdAv1Prediction &p, const Area &part);
    // Of w * h weights.
    std::uint32_t add_mask(const std::uint8_t *mask, unsigned w, unsigned h);
    std::uint32_t copy_mask(const std::uint8_t *from, unsigned stride, unsigned w, unsigned h);

    PictureLayout dst_;
    Av1References references_;
    // One mask may serve blocks of several sizes.
    struct Mask {
        const std::uint8_t *weights;
        unsigned count;
        bool operator==(const Mask &) const = default;
    };
    struct MaskHash {
        std::size_t operator()(const Mask &m) const { return std::hash<const void *>{}(m.weights) ^ m.count; }
    };
    std::unordered_map<Mask, std::uint32_t, MaskHash> known_masks_;
};

struct Av1ReconCounts {
    std::uint64_t predictions = 0, residuals = 0, residuals_kept = 0;
};

// Inter prediction of a frame and the residuals that are added to it.
struct Av1Recon {
    Av1References references;
    std::vector<Av1Recorder> recorders;

    void reset(const PictureLayout &dst, const Av1References &refs, unsigned recorder_count);
    // Empties the recorders, which refuse everything then and keep their memory.
    void clear();
    Av1ReconCounts counts() const;
    unsigned used_refs() const;
};

} // namespace dd
