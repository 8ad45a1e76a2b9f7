// SPDX-License-Identifier: BSD-2-Clause
//
// AV1's intra blocks on their way into the batch: a step for each transform block, with what it may read
// (specification, clause 7.11.2), and its residual.
#include "av1/position.h"
#include "av1/recorder.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace dd {
namespace {

static_assert(DD_AV1_DO_V == unsigned{DD_AV1_INTRA_V} && DD_AV1_DO_SMOOTH_H == unsigned{DD_AV1_INTRA_SMOOTH_H});

constexpr unsigned kLeastSide = 2, kMostSide = 6,
                   kMostOfFew = 5;            // log2; of recursive predictions, chroma from luma and blends
constexpr std::uint32_t kMostWords = 1 << 26; // a quarter of a GiB
constexpr unsigned kPaletteWords = 4;

// Clause 7.11.2.4: Dr_Intra_Derivative, by half of the angle to the nearer axis. 0: no direction of AV1.
constexpr std::uint16_t kDerivatives[44] = {0,  1023, 0,  547, 372, 0,  0,  273, 215, 0,  178, 151, 0,  132, 116,
                                            0,  102,  0,  90,  80,  0,  71, 64,  0,   57, 51,  0,   45, 0,   40,
                                            35, 0,    31, 27,  0,   23, 19, 0,   15,  0,  11,  0,   7,  3};
unsigned derivative(unsigned angle) {
    return angle / 2 < std::size(kDerivatives) ? kDerivatives[angle / 2] : 0;
}

// Clause 7.11.2.9, the strength of the filter of an edge. `sides`: width and height; `turn`: degrees between
// direction and edge.
unsigned edge_strength(unsigned sides, unsigned turn, bool smooth) {
    struct Step {
        unsigned sides;
        unsigned turn[3]; // from which strengths 1, 2 and 3 are
    };
    constexpr unsigned never = 180;
    constexpr Step rough[] = {
        {8, {56, never, never}}, {16, {40, never, never}}, {24, {8, 16, 32}}, {32, {0, 4, 32}}, {128, {0, 0, 0}}};
    constexpr Step even[] = {{8, {40, 64, never}}, {16, {20, 48, never}}, {24, {4, 4, 4}}, {128, {0, 0, 0}}};
    const auto strength = [&](const auto &steps) {
        const Step &step = *std::ranges::find_if(steps, [&](const Step &s) { return sides <= s.sides; });
        return static_cast<unsigned>(std::ranges::count_if(step.turn, [&](unsigned from) { return turn >= from; }));
    };
    return smooth ? strength(even) : strength(rough);
}

// Clause 7.11.2.10.
bool doubles_edge(unsigned sides, unsigned turn, bool smooth) {
    return turn < 40 && sides <= (smooth ? 8u : 16u);
}

// What becomes of the edges of a direction, as a record has it.
struct Direction {
    std::uint32_t edges = 0, steps = 0;
    unsigned mode = 0;
};
Direction direction_of(const DdAv1Intra &i) {
    const unsigned angle = i.angle, sides = (1u << i.w_log2) + (1u << i.h_log2);
    const bool smooth = i.smooth != 0;
    Direction d;
    const auto filter = [&](unsigned turn, unsigned shift, std::uint32_t doubles) {
        if (doubles_edge(sides, turn, smooth))
            d.edges |= doubles;
        else
            d.edges |= edge_strength(sides, turn, smooth) << shift;
    };
    if (angle < 180) {
        d.steps |= derivative(angle < 90 ? angle : 180 - angle);
        if (i.filters_edges)
            filter(angle < 90 ? 90 - angle : angle - 90, DD_AV1_INTRA_EDGE_STRENGTH_ABOVE_SHIFT,
                   DD_AV1_INTRA_EDGE_DOUBLE_ABOVE);
    }
    if (angle > 90) {
        d.steps |= derivative(angle < 180 ? angle - 90 : 270 - angle) << 16;
        if (i.filters_edges)
            filter(angle < 180 ? 180 - angle : angle - 180, DD_AV1_INTRA_EDGE_STRENGTH_LEFT_SHIFT,
                   DD_AV1_INTRA_EDGE_DOUBLE_LEFT);
    }
    d.mode = angle < 90 ? DD_AV1_DO_ABOVE : angle < 180 ? DD_AV1_DO_BOTH : DD_AV1_DO_LEFT;
    if (d.mode == DD_AV1_DO_BOTH && i.filters_edges && sides >= 24)
        d.edges |= DD_AV1_INTRA_EDGE_CORNER;
    return d;
}

bool is_direction(const DdAv1Intra &i) {
    const unsigned angle = i.angle;
    if (angle == 0 || angle >= 270 || angle % 90 == 0)
        return false;
    if (angle < 90)
        return i.has_above && derivative(angle);
    return angle < 180 ? derivative(angle - 90) && derivative(180 - angle) : i.has_left && derivative(270 - angle);
}

// All but residuals and lists.
DdAv1IntraRecord record_of(const DdAv1Intra &i) {
    constexpr unsigned same = DD_AV1_INTRA_DIRECTION; // modes below are their own numbers
    DdAv1IntraRecord record{};
    unsigned mode = i.mode;
    record.dst = av1_pack(unsigned{i.x}, unsigned{i.y}) | i.chroma;
    if (i.mode == DD_AV1_INTRA_DIRECTION) {
        const Direction d = direction_of(i);
        mode = d.mode;
        record.edges = d.edges;
        record.steps = d.steps;
    } else if (mode > same) {
        mode += DD_AV1_DO_FILTER - DD_AV1_INTRA_FILTER;
        record.steps = i.angle;
    }
    record.how = mode << DD_AV1_INTRA_MODE_SHIFT | std::uint32_t{i.w_log2} << DD_AV1_INTRA_W_SHIFT |
                 std::uint32_t{i.h_log2} << DD_AV1_INTRA_H_SHIFT | (i.has_above ? DD_AV1_INTRA_HAS_ABOVE : 0) |
                 (i.has_left ? DD_AV1_INTRA_HAS_LEFT : 0) | (i.mask ? DD_AV1_INTRA_BLEND : 0);
    record.edges |= (i.has_above ? i.above / 4u - 1 : 0) << DD_AV1_INTRA_EDGE_ABOVE_SHIFT |
                    (i.has_left ? i.left / 4u - 1 : 0) << DD_AV1_INTRA_EDGE_LEFT_SHIFT;
    return record;
}

constexpr std::uint32_t kResidualFlags = 3 * (DD_AV1_INTRA_RESIDUAL | DD_AV1_INTRA_DC_ALONE); // of both planes

DdAv1IntraRecord with_mode(DdAv1IntraRecord record, unsigned mode) {
    record.how = (record.how & ~(15u << DD_AV1_INTRA_MODE_SHIFT)) | mode << DD_AV1_INTRA_MODE_SHIFT;
    return record;
}
DdAv1IntraRecord without_residuals(DdAv1IntraRecord record) {
    record.how &= ~kResidualFlags;
    record.residual[0] = record.residual[1] = 0;
    return record;
}

} // namespace

unsigned av1_intra_class(const DdAv1IntraRecord &r) {
    const unsigned w = r.how >> DD_AV1_INTRA_W_SHIFT & 7, h = r.how >> DD_AV1_INTRA_H_SHIFT & 7;
    const unsigned mode = av1_intra_mode(r);
    if (mode == DD_AV1_DO_SUMS)
        return h;
    return (mode == DD_AV1_DO_FILTER ? 0 : w + h - 2) + (r.dst & 1);
}

// Says whether a block is one that the picture and the format allow.
bool Av1Recorder::allowed(const DdAv1Intra &i) const {
    const auto is_side = [](unsigned side) { return side >= kLeastSide && side <= kMostSide; };
    if (i.chroma > 1 || i.mode >= DD_AV1_INTRA_MODES || !is_side(i.w_log2) || !is_side(i.h_log2) || (i.x | i.y) & 3 ||
        i.tile >= levels_.size())
        return false;
    const Area whole{i.x, i.y, 1u << i.w_log2, 1u << i.h_log2};
    const PlaneLayout &plane = dst_.plane[i.chroma];
    const auto is_edge = [](bool there, unsigned position, unsigned pixels, unsigned side, unsigned at, unsigned end) {
        return !there || (position && pixels >= 4 && !(pixels & 3) && pixels <= 2 * side && at + pixels <= end);
    };
    if (!in_plane(i.chroma, whole) || !is_edge(i.has_above, i.y, i.above, whole.w, i.x, plane.padded_width) ||
        !is_edge(i.has_left, i.x, i.left, whole.h, i.y, plane.padded_height))
        return false;
    const bool few = std::max(i.w_log2, i.h_log2) <= kMostOfFew;
    if ((i.mask &&
         (!few || i.residual[0] || i.residual[1] || i.mode == DD_AV1_INTRA_FILTER || i.mode == DD_AV1_INTRA_NONE)) ||
        (!i.chroma && i.residual[1]))
        return false;
    switch (i.mode) {
    case DD_AV1_INTRA_PAETH:
        return i.has_above && i.has_left;
    case DD_AV1_INTRA_DIRECTION:
        return is_direction(i);
    case DD_AV1_INTRA_FILTER:
        return few && i.angle < 5;
    case DD_AV1_INTRA_CFL:
        return few && i.chroma && !i.mask && i.luma_w4 && i.luma_w4 <= whole.w / 4 && i.luma_h4 &&
               i.luma_h4 <= whole.h / 4;
    case DD_AV1_INTRA_PALETTE:
        return i.palette[0] && (!i.chroma || i.palette[1]) && i.indices && !i.mask;
    case DD_AV1_INTRA_NONE:
        return i.residual[0] || i.residual[1];
    default:
        return true;
    }
}

// One more than the levels of what it reads: the edges, as far as its mode does, or what stands for them where they
// are missing.
unsigned Av1Recorder::level_of(const DdAv1Intra &i, unsigned mode) const {
    const Av1IntraLevels &levels = levels_[i.tile];
    constexpr unsigned above = 1, left = 2, corner = 4;
    constexpr std::uint8_t reads[DD_AV1_DOS] = {
        above | left,          above,        left,           above | left | corner, above | left,
        above | left,          above | left, above | corner, above | left | corner, left | corner,
        above | left | corner, above | left};
    const Av1Cells own{i.x / 4u, i.y / 4u, 1u << (i.w_log2 - 2), 1u << (i.h_log2 - 2)};
    unsigned edges = reads[mode], level = 0;
    if (edges && (!i.has_above || !i.has_left))
        edges |= above | left;
    const auto see = [&](unsigned seen) { level = std::max(level, seen); };
    if (edges & above && i.has_above)
        see(levels.edges().highest_in_row(i.chroma, own.x, own.y - 1, i.above / 4u));
    if (edges & left && i.has_left)
        see(levels.edges().highest_in_column(i.chroma, own.x - 1, own.y, i.left / 4u));
    if (edges & corner && i.has_above && i.has_left)
        see(levels.edges().highest_in_row(i.chroma, own.x - 1, own.y - 1, 1));
    if (mode == DD_AV1_DO_NONE)
        see(levels.of_whole(i.chroma, own));
    return level + 1;
}

void Av1Recorder::add_step(const DdAv1IntraRecord &record, unsigned level) {
    Av1IntraStep &step = *intra_steps.extend(1);
    step.record = record;
    step.level = std::min(level, Av1IntraLevels::kMostLevel);
    intra_levels = std::max(intra_levels, step.level);
}

// The residual of one plane. There is capacity at DD_BIND_RESIDUALS.
Av1Recorded Av1Recorder::add_intra_residual(const DdAv1Intra &i, unsigned plane, DdAv1IntraRecord &record) {
    const DdAv1Residual &r = *i.residual[plane];
    bool dc_alone = false;
    record.residual[plane] = intra_words;
    const Av1Recorded taken = residuals.take_separate(r, i.w_log2, i.h_log2, record.residual[plane], dc_alone);
    if (taken != Av1Recorded::ok)
        return taken;
    record.how |= (DD_AV1_INTRA_RESIDUAL | (dc_alone ? DD_AV1_INTRA_DC_ALONE : 0)) << plane;
    if (!dc_alone)
        intra_words += 1u << (i.w_log2 + i.h_log2 - 1);
    return taken;
}

void Av1Recorder::add_palette(const DdAv1Intra &i, DdAv1IntraRecord &record) {
    const unsigned palettes = i.chroma ? 2 : 1, w4 = 1u << (i.w_log2 - 2), h = 1u << i.h_log2;
    const std::size_t first = masks.size();
    masks.resize(first + palettes * kPaletteWords + (w4 * h + 1) / 2);
    record.extra = static_cast<std::uint32_t>(first);
    record.more = w4 << 16;
    auto *to = reinterpret_cast<std::uint16_t *>(masks.data() + first);
    for (unsigned p = 0; p < palettes; p++)
        for (unsigned entry = 0; entry < 8; entry++) {
            std::uint16_t pixel = 0;
            if (dst_.bytes_per_pixel() == 1)
                pixel = static_cast<const std::uint8_t *>(i.palette[p])[entry];
            else
                std::memcpy(&pixel, static_cast<const std::uint8_t *>(i.palette[p]) + std::size_t{2} * entry, 2);
            *to++ = pixel;
        }
    for (unsigned y = 0; y < h; y++, to += w4)
        std::memcpy(to, i.indices + std::size_t{y} * i.index_stride, std::size_t{w4} * 2);
}

// Luma is summed a level before the prediction at the earliest. Returns the level of the sums.
unsigned Av1Recorder::add_sums(const DdAv1Intra &i, DdAv1IntraRecord &record) {
    const unsigned ss_h = dst_.format.ss_h, ss_v = dst_.format.ss_v;
    const Av1Cells luma{(unsigned{i.x} << ss_h) / 4, (unsigned{i.y} << ss_v) / 4, unsigned{i.luma_w4} << ss_h,
                        unsigned{i.luma_h4} << ss_v};
    record.extra = intra_words;
    record.more = static_cast<std::uint8_t>(i.alpha[0]) |
                  static_cast<std::uint32_t>(static_cast<std::uint8_t>(i.alpha[1])) << 8 |
                  std::uint32_t{i.luma_w4} << 18 | std::uint32_t{i.luma_h4} << 26;
    intra_words += 1u << i.h_log2;
    const unsigned level = levels_[i.tile].highest_of_last_luma(luma) + 1;
    add_step(without_residuals(with_mode(record, DD_AV1_DO_SUMS)), level);
    return level;
}

// Both, or none.
Av1Recorded Av1Recorder::add_intra_residuals(const DdAv1Intra &i, DdAv1IntraRecord &record) {
    const std::uint32_t words = intra_words;
    for (unsigned plane = 0; plane < 2; plane++)
        if (i.residual[plane])
            if (const Av1Recorded taken = add_intra_residual(i, plane, record); taken != Av1Recorded::ok) {
                if (plane && i.residual[0])
                    residuals.undo_separate(*i.residual[0]);
                intra_words = words;
                return taken;
            }
    return Av1Recorded::ok;
}

Av1Recorded Av1Recorder::intra(const DdAv1Intra &i) {
    if (!allowed(i) || intra_words > kMostWords || masks.size() > kMostWords)
        return Av1Recorded::invalid;
    DdAv1IntraRecord record = record_of(i);
    if (const Av1Recorded taken = add_intra_residuals(i, record); taken != Av1Recorded::ok)
        return taken;
    put_steps(i, record);
    predictions++;
    return Av1Recorded::ok;
}

void Av1Recorder::put_steps(const DdAv1Intra &i, DdAv1IntraRecord &record) {
    const unsigned mode = av1_intra_mode(record);
    Av1IntraLevels &levels = levels_[i.tile];
    levels.prepare();
    unsigned level = level_of(i, mode);
    if (i.mask)
        record.extra = add_mask(i.mask, 1u << i.w_log2, 1u << i.h_log2);
    if (mode == DD_AV1_DO_PALETTE)
        add_palette(i, record);
    if (mode == DD_AV1_DO_CFL)
        level = std::max(level, add_sums(i, record) + 1);
    if (mode == DD_AV1_DO_FILTER && record.how & kResidualFlags) {
        add_step(without_residuals(record), level++);
        record = with_mode(record, DD_AV1_DO_NONE);
    }
    add_step(record, level);
    const Av1Cells own{i.x / 4u, i.y / 4u, 1u << (i.w_log2 - 2), 1u << (i.h_log2 - 2)};
    level = std::min(level, Av1IntraLevels::kMostLevel);
    if (i.mask)
        levels.put_whole(i.chroma, own, level);
    else if (i.mode == DD_AV1_INTRA_NONE)
        levels.put_again(i.chroma, own, level);
    else
        levels.put(i.chroma, own, level);
}

} // namespace dd
