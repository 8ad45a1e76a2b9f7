// SPDX-License-Identifier: BSD-2-Clause
//
// Says whether a record of AV1's intra prediction that somebody else made is safe to run: whatever it does stays in
// the picture and in its lists.
#include "debug/av1_validate.h"

#include <algorithm>

namespace dd {
namespace {

class IntraChecker {
  public:
    IntraChecker(const Av1Recorder &recorder, const Av1IntraStep &step, const PictureLayout &dst)
        : recorder_(recorder), step_(step), r_(step.record), dst_(dst) {}

    bool sound() const {
        return step_.level && step_.level <= Av1IntraLevels::kMostLevel && mode_ < DD_AV1_DOS && placed() &&
               edge(DD_AV1_INTRA_HAS_ABOVE, DD_AV1_INTRA_EDGE_ABOVE_SHIFT, y_, x_, w_, plane().padded_width) &&
               edge(DD_AV1_INTRA_HAS_LEFT, DD_AV1_INTRA_EDGE_LEFT_SHIFT, x_, y_, h_, plane().padded_height) &&
               residual(0) && (!chroma_ || residual(1)) && reads_lists();
    }

  private:
    static constexpr unsigned kLeast = 4, kMost = 64, kFew = 32; // pixels of a side

    const PlaneLayout &plane() const { return dst_.plane[chroma_]; }
    bool placed() const {
        return (!chroma_ || dst_.format.planes == 3) && !(r_.dst & 2) && !(y_ & 3) && std::min(w_, h_) >= kLeast &&
               std::max(w_, h_) <= kMost && x_ + w_ <= plane().padded_width && y_ + h_ <= plane().padded_height;
    }
    bool edge(std::uint32_t flag, unsigned shift, unsigned position, unsigned at, unsigned side, unsigned end) const {
        const unsigned pixels = 4 * ((r_.edges >> shift & 31) + 1);
        return !(r_.how & flag) || (position && pixels <= 2 * side && at + pixels <= end);
    }
    bool residual(unsigned plane) const {
        const bool there = r_.how & DD_AV1_INTRA_RESIDUAL << plane, dc = r_.how & DD_AV1_INTRA_DC_ALONE << plane;
        return !there || dc || words(r_.residual[plane], w_ * h_ / 2);
    }
    bool words(std::uint32_t first, unsigned count) const {
        return std::uint64_t{first} + count <= recorder_.intra_words;
    }
    bool masks(std::uint64_t end) const { return end <= recorder_.masks.size(); }

    bool reads_lists() const {
        const bool few = std::max(w_, h_) <= kFew;
        if (r_.how & DD_AV1_INTRA_BLEND)
            return few && mode_ < DD_AV1_DO_FILTER && masks(std::uint64_t{r_.extra} + w_ * h_ / 4);
        switch (mode_) {
        case DD_AV1_DO_FILTER:
            return few && r_.steps < 5;
        case DD_AV1_DO_CFL:
        case DD_AV1_DO_SUMS: {
            const unsigned columns = r_.more >> 16 & 0xff, rows = r_.more >> 24;
            return few && chroma_ && columns && columns <= w_ && rows && rows <= h_ && words(r_.extra, h_);
        }
        case DD_AV1_DO_PALETTE: {
            const std::uint64_t halves =
                (r_.more & 0xffff) + std::uint64_t{r_.more >> 16} * (h_ - 1) + w_ / 4; // of indices
            return masks(std::uint64_t{r_.extra} + (chroma_ ? 8 : 4) + (halves + 1) / 2);
        }
        default:
            return true;
        }
    }

    const Av1Recorder &recorder_;
    const Av1IntraStep &step_;
    const DdAv1IntraRecord &r_;
    const PictureLayout &dst_;
    const unsigned mode_ = av1_intra_mode(r_);
    const bool chroma_ = r_.dst & 1;
    const unsigned x_ = r_.dst & 0xfffc, y_ = r_.dst >> 16;
    const unsigned w_ = 1u << (r_.how >> DD_AV1_INTRA_W_SHIFT & 7), h_ = 1u << (r_.how >> DD_AV1_INTRA_H_SHIFT & 7);
};

} // namespace

bool is_valid(const Av1Recorder &recorder, const Av1IntraStep &step, const PictureLayout &dst) {
    return IntraChecker(recorder, step, dst).sound();
}

} // namespace dd
