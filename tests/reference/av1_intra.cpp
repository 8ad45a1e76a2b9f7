// SPDX-License-Identifier: BSD-2-Clause
#include "reference/av1_intra.h"
#include "av1/tables.h"
#include "reference/av1_residual.h"
#include "reference/pixels.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

namespace dd::reference {
namespace {

// Row after row: what blocks of a recorder get, at the halves of the words that their records name.
using Residuals = std::vector<std::int64_t>;

Residuals residuals_apart(const PictureLayout &layout, const Av1Recorder &recorder) {
    Residuals all(std::size_t{recorder.intra_words} * 2);
    for (const Av1ItxBin &bin : recorder.residuals.bins) {
        if (!(bin.shape & DD_AV1_ITX_SEPARATE))
            continue;
        for (const DdAv1ItxRecord &record : bin.records) {
            Av1Coefs coefs;
            const DdAv1Residual r = residual_of_record(layout, recorder.residuals, bin.shape, record, coefs);
            const std::vector<std::int64_t> values = residual_of(layout, r);
            for (std::size_t i = 0; i < values.size(); i++)
                all.at(std::size_t{record.dst} * 2 + i) = values[i];
        }
    }
    return all;
}

// The pixels along a side of a block. [-1] is the corner; with values between the pixels, [-2] is.
class Edge {
  public:
    int &operator[](int i) { return values_.at(static_cast<std::size_t>(i + kBefore)); }
    int operator[](int i) const { return values_.at(static_cast<std::size_t>(i + kBefore)); }
    void set_corner(int value) { (*this)[-1] = (*this)[-2] = value; }

    // Clause 7.11.2.12, for the first `count` pixels of those up to `last`.
    void filter(unsigned strength, int last, int count) {
        static constexpr int taps[3][5] = {{0, 4, 8, 4, 0}, {0, 5, 6, 5, 0}, {2, 4, 4, 4, 2}};
        const Edge before = *this;
        for (int i = 0; i < count; i++) {
            int sum = 0;
            for (int t = 0; t < 5; t++)
                sum += taps[strength - 1][t] * before[std::clamp(i + t - 2, -1, last)];
            (*this)[i] = (sum + 8) >> 4;
        }
    }
    // Clause 7.11.2.11, for the pixels up to `last`.
    void upsample(int last, int max) {
        const Edge edge = *this;
        const auto before = [&](int i) { return edge[std::clamp(i, -1, last)]; };
        (*this)[-2] = before(-1);
        for (int i = 0; i <= last; i++) {
            const int sum = 9 * (before(i - 1) + before(i)) - before(i - 2) - before(i + 1);
            (*this)[2 * i - 1] = std::clamp((sum + 8) >> 4, 0, max);
            (*this)[2 * i] = before(i);
        }
    }

  private:
    static constexpr int kBefore = 2, kMostSide = 64;
    std::array<int, kBefore + 4 * kMostSide> values_{};
};

// One step, in one plane.
class Block {
  public:
    Block(const PictureLayout &layout, const Av1Recorder &recorder, const Residuals &residuals,
          const DdAv1IntraRecord &r, unsigned plane, std::byte *dst)
        : layout_(layout), recorder_(recorder), residuals_(residuals), r_(r), plane_number_(plane),
          plane_(layout, plane, dst), luma_(layout, 0, dst) {
        for (int k = 0; k < w_ + h_; k++) {
            above_[k] = above(k);
            left_[k] = left(k);
        }
        above_.set_corner(corner());
        left_.set_corner(corner());
    }

    void run() {
        std::vector<int> p(static_cast<std::size_t>(w_ * h_));
        const auto at = [&](int i, int j) -> int & { return p[static_cast<std::size_t>(i * w_ + j)]; };
        if (mode_ == DD_AV1_DO_ABOVE || mode_ == DD_AV1_DO_BOTH || mode_ == DD_AV1_DO_LEFT)
            prepare_edges();
        if (mode_ == DD_AV1_DO_FILTER)
            filter_recursively(at);
        else
            for (int i = 0; i < h_; i++)
                for (int j = 0; j < w_; j++)
                    at(i, j) = predicted(i, j);
        for (int i = 0; i < h_; i++)
            for (int j = 0; j < w_; j++)
                plane_.set(x_ + j, y_ + i, finished(i, j, at(i, j)));
    }

  private:
    bool has(std::uint32_t flag) const { return (r_.how & flag) != 0; }
    int extra_bits(unsigned shift, unsigned mask) const { return static_cast<int>(r_.edges >> shift & mask); }

    // ---- edges, clause 7.11.2

    int above(int k) const {
        const int last = 4 * extra_bits(DD_AV1_INTRA_EDGE_ABOVE_SHIFT, 31) + 3;
        if (has_above_)
            return plane_.at(x_ + std::min(k, last), y_ - 1);
        return has_left_ ? plane_.at(x_ - 1, y_) : middle_ - 1;
    }
    int left(int k) const {
        const int last = 4 * extra_bits(DD_AV1_INTRA_EDGE_LEFT_SHIFT, 31) + 3;
        if (has_left_)
            return plane_.at(x_ - 1, y_ + std::min(k, last));
        return has_above_ ? plane_.at(x_, y_ - 1) : middle_ + 1;
    }
    int corner() const {
        if (has_above_ && has_left_)
            return plane_.at(x_ - 1, y_ - 1);
        return has_above_ ? plane_.at(x_, y_ - 1) : has_left_ ? plane_.at(x_ - 1, y_) : middle_;
    }

    // Pixels of the plane from the block on, up to the end of the last 8x8 of luma.
    int pixels_left(std::uint32_t luma, unsigned ss, int from) const {
        return static_cast<int>(((luma + 7) & ~7u) >> (plane_number_ ? ss : 0)) - from;
    }

    // Clause 7.11.2.7.
    void filter_corner() {
        const int filtered = (5 * (above_[0] + left_[0]) + 6 * corner() + 8) >> 4;
        above_.set_corner(filtered);
        left_.set_corner(filtered);
    }
    // Clause 7.11.2.4, its first part.
    void prepare_edges() {
        const bool both = mode_ == DD_AV1_DO_BOTH;
        const int columns = pixels_left(layout_.format.width, layout_.format.ss_h, x_);
        const int rows = pixels_left(layout_.format.height, layout_.format.ss_v, y_);
        if (r_.edges & DD_AV1_INTRA_EDGE_CORNER)
            filter_corner();
        const auto prepare = [&](Edge &edge, int side, int there, unsigned strength_shift, bool doubled) {
            const int last = both ? side - 1 : w_ + h_ - 1;
            const auto strength = static_cast<unsigned>(extra_bits(strength_shift, 3));
            if (doubled)
                edge.upsample(last, max_);
            else if (strength)
                edge.filter(strength, last, both ? std::min(side, there) : w_ + h_);
        };
        if (mode_ != DD_AV1_DO_LEFT)
            prepare(above_, w_, columns, DD_AV1_INTRA_EDGE_STRENGTH_ABOVE_SHIFT, double_above_);
        if (mode_ != DD_AV1_DO_ABOVE)
            prepare(left_, h_, rows, DD_AV1_INTRA_EDGE_STRENGTH_LEFT_SHIFT, double_left_);
    }

    // ---- modes

    int predicted(int i, int j) const {
        switch (mode_) {
        case DD_AV1_DO_DC:
            return dc();
        case DD_AV1_DO_V:
            return above_[j];
        case DD_AV1_DO_H:
            return left_[i];
        case DD_AV1_DO_PAETH:
            return paeth(i, j);
        case DD_AV1_DO_SMOOTH:
            return (smooth_v(i, j) + smooth_h(i, j) + 256) >> 9;
        case DD_AV1_DO_SMOOTH_V:
            return (smooth_v(i, j) + 128) >> 8;
        case DD_AV1_DO_SMOOTH_H:
            return (smooth_h(i, j) + 128) >> 8;
        case DD_AV1_DO_ABOVE:
            return along(above_, double_above_, static_cast<int>(r_.steps & 0xffff), i, j);
        case DD_AV1_DO_BOTH:
            return across(i, j);
        case DD_AV1_DO_LEFT:
            return along(left_, double_left_, static_cast<int>(r_.steps >> 16), j, i);
        case DD_AV1_DO_CFL:
            return from_luma(i, j);
        case DD_AV1_DO_PALETTE:
            return from_palette(i, j);
        default:
            return plane_.at(x_ + j, y_ + i);
        }
    }

    int dc() const {
        int sum = 0, count = 0;
        for (int k = 0; has_above_ && k < w_; k++, count++)
            sum += above_[k];
        for (int k = 0; has_left_ && k < h_; k++, count++)
            sum += left_[k];
        return count ? (sum + count / 2) / count : middle_;
    }

    int paeth(int i, int j) const {
        const int base = above_[j] + left_[i] - above_[-1];
        const int to_left = std::abs(base - left_[i]), to_above = std::abs(base - above_[j]);
        const int to_corner = std::abs(base - above_[-1]);
        if (to_left <= to_above && to_left <= to_corner)
            return left_[i];
        return to_above <= to_corner ? above_[j] : above_[-1];
    }

    static int smooth(int side, int at, int near, int far) {
        const int weight = av1_smooth_weights[side + at];
        return weight * near + (256 - weight) * far;
    }
    int smooth_v(int i, int j) const { return smooth(h_, i, above_[j], left_[h_ - 1]); }
    int smooth_h(int i, int j) const { return smooth(w_, j, left_[i], above_[w_ - 1]); }

    // Nothing lies before the corner: only a damaged record asks for that.
    static int between(const Edge &edge, int base, int shift) {
        base = std::max(base, -2);
        return (edge[base] * (32 - shift) + edge[base + 1] * shift + 16) >> 5;
    }
    // By one edge: pixel j of row i above which it lies, or the same with rows and columns exchanged.
    int along(const Edge &edge, bool doubled, int step, int i, int j) const {
        const int up = doubled, position = (i + 1) * step;
        const int base = (position >> (6 - up)) + (j << up), end = (w_ + h_ - 1) << up;
        return base < end ? between(edge, base, (position << up >> 1) & 31) : edge[end];
    }
    int across(int i, int j) const {
        const auto at = [](const Edge &edge, int position, bool doubled) {
            return between(edge, position >> (6 - doubled), (position * (1 << doubled) >> 1) & 31);
        };
        const int above = j * 64 - (i + 1) * static_cast<int>(r_.steps & 0xffff);
        if (above >> (6 - double_above_) >= -(1 << double_above_))
            return at(above_, above, double_above_);
        return at(left_, i * 64 - (j + 1) * static_cast<int>(r_.steps >> 16), double_left_);
    }

    // Clause 7.11.2.3.
    template <typename At>
    void filter_recursively(At at) const {
        for (int i = 0; i < h_; i += 2)
            for (int j = 0; j < w_; j += 4) {
                std::array<int, 7> p{};
                for (int k = 0; k < 5; k++)
                    p[static_cast<std::size_t>(k)] = i               ? j + k ? at(i - 1, j + k - 1) : left_[i - 1]
                                                                   : j + k - 1 < 0 ? above_[-1]
                                                                     : above_[j + k - 1];
                for (int k = 0; k < 2; k++)
                    p[static_cast<std::size_t>(5 + k)] = j ? at(i + k, j - 1) : left_[i + k];
                for (int k = 0; k < 8; k++) {
                    int sum = 8;
                    for (std::size_t t = 0; t < p.size(); t++)
                        sum += av1_intra_filter_taps[r_.steps][k][t] * p[t];
                    at(i + k / 4, j + k % 4) = std::clamp(sum >> 4, 0, max_);
                }
            }
    }

    // Eighths of a pixel, at a pixel of chroma.
    int luma(int i, int j) const {
        const int ss_h = layout_.format.ss_h, ss_v = layout_.format.ss_v;
        i = std::min(i, static_cast<int>(r_.more >> 24) - 1);
        j = std::min(j, static_cast<int>(r_.more >> 16 & 255) - 1);
        int sum = 0;
        for (int y = 0; y <= ss_v; y++)
            for (int x = 0; x <= ss_h; x++)
                sum += luma_.at(((x_ + j) << ss_h) + x, ((y_ + i) << ss_v) + y);
        return sum << (3 - ss_h - ss_v);
    }
    int average_luma() const {
        int sum = 0;
        for (int i = 0; i < h_; i++)
            for (int j = 0; j < w_; j++)
                sum += luma(i, j);
        return (sum + w_ * h_ / 2) / (w_ * h_);
    }
    int from_luma(int i, int j) const {
        if (!luma_average_)
            luma_average_ = average_luma();
        const int alpha = static_cast<std::int8_t>(r_.more >> (plane_number_ == 2 ? 8 : 0));
        const int scaled = alpha * (luma(i, j) - *luma_average_), rounded = (std::abs(scaled) + 32) >> 6;
        return plane_.clip(dc() + (scaled < 0 ? -rounded : rounded));
    }

    int from_palette(int i, int j) const {
        const auto *halves = reinterpret_cast<const std::uint16_t *>(recorder_.masks.data());
        const std::size_t first = std::size_t{r_.extra} * 2, end = first + (plane_number_ ? 16 : 8);
        const std::size_t at = end + (r_.more & 0xffff) + static_cast<unsigned>(i) * std::size_t{r_.more >> 16} +
                               static_cast<unsigned>(j) / 4;
        return halves[first + (plane_number_ == 2 ? 8 : 0) + (halves[at] >> (j % 4 * 4) & 7)];
    }

    // ---- what follows

    int finished(int i, int j, int p) const {
        const auto at = static_cast<std::size_t>(i * w_ + j);
        if (has(DD_AV1_INTRA_BLEND)) {
            const int m = reinterpret_cast<const std::uint8_t *>(recorder_.masks.data() + r_.extra)[at];
            p = (plane_.at(x_ + j, y_ + i) * (64 - m) + p * m + 32) >> 6;
        }
        const unsigned second = plane_number_ == 2;
        if (!has(DD_AV1_INTRA_RESIDUAL << second))
            return p;
        const std::uint32_t residual = r_.residual[second];
        if (has(DD_AV1_INTRA_DC_ALONE << second))
            return plane_.clip(std::int64_t{p} + static_cast<std::int32_t>(residual));
        return plane_.clip(p + residuals_.at(std::size_t{residual} * 2 + at));
    }

    const PictureLayout &layout_;
    const Av1Recorder &recorder_;
    const Residuals &residuals_;
    const DdAv1IntraRecord &r_;
    const unsigned plane_number_;
    Plane plane_, luma_;
    const unsigned mode_ = r_.how >> DD_AV1_INTRA_MODE_SHIFT & 15;
    const int x_ = static_cast<int>(r_.dst & 0xfffc), y_ = static_cast<int>(r_.dst >> 16);
    const int w_ = 1 << (r_.how >> DD_AV1_INTRA_W_SHIFT & 7), h_ = 1 << (r_.how >> DD_AV1_INTRA_H_SHIFT & 7);
    const int middle_ = 1 << (layout_.format.bit_depth - 1), max_ = 2 * middle_ - 1;
    const bool has_above_ = has(DD_AV1_INTRA_HAS_ABOVE), has_left_ = has(DD_AV1_INTRA_HAS_LEFT);
    const bool double_above_ = (r_.edges & DD_AV1_INTRA_EDGE_DOUBLE_ABOVE) != 0;
    const bool double_left_ = (r_.edges & DD_AV1_INTRA_EDGE_DOUBLE_LEFT) != 0;
    Edge above_, left_;
    mutable std::optional<int> luma_average_;
};

} // namespace

std::vector<Av1IntraPlace> av1_intra_by_level(const Av1Batch &batch) {
    const auto &recorders = batch.recon.recorders;
    std::vector<Av1IntraPlace> all;
    for (std::size_t recorder = 0; recorder < recorders.size(); recorder++)
        for (std::size_t step = 0; step < recorders[recorder].intra_steps.size(); step++)
            all.push_back({recorder, step});
    std::ranges::stable_sort(all, {},
                             [&](const Av1IntraPlace &p) { return recorders[p.recorder].intra_steps[p.step].level; });
    return all;
}

void run_av1_intra(const Av1Batch &batch, std::span<const Av1IntraPlace> order, std::uint8_t *dst) {
    std::vector<Residuals> residuals;
    for (const Av1Recorder &recorder : batch.recon.recorders)
        residuals.push_back(residuals_apart(batch.dst, recorder));
    for (const Av1IntraPlace &place : order) {
        const Av1Recorder &recorder = batch.recon.recorders[place.recorder];
        const DdAv1IntraRecord &r = recorder.intra_steps[place.step].record;
        if ((r.how >> DD_AV1_INTRA_MODE_SHIFT & 15) == DD_AV1_DO_SUMS)
            continue; // chroma makes its own
        const unsigned chroma = r.dst & 1;
        for (unsigned plane = chroma; plane <= 2 * chroma; plane++)
            Block(batch.dst, recorder, residuals[place.recorder], r, plane, reinterpret_cast<std::byte *>(dst)).run();
    }
}

void run_av1_intra(const Av1Batch &batch, std::uint8_t *dst) {
    run_av1_intra(batch, av1_intra_by_level(batch), dst);
}

} // namespace dd::reference
