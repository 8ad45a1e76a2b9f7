// SPDX-License-Identifier: BSD-2-Clause
#include "av1/recorder.h"
#include "av1/position.h"
#include "batch/power_of_two.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace dd {
namespace {

constexpr unsigned kLargest = 128, kRecordSideLog2 = 5, kRecordSide = 1 << kRecordSideLog2, kUnit = 8;
// Width and height in cells, as logarithms, and the class of a record with as many lanes.
struct Cells {
    unsigned w, h;
    unsigned of_class(bool chroma) const { return w + h + chroma; }
};
Cells cells_of(unsigned w, unsigned h) {
    return {static_cast<unsigned>(std::countr_zero(w)) - 2, h < 4 ? 0 : static_cast<unsigned>(std::countr_zero(h)) - 2};
}

std::uint32_t shape_bits(const Cells &cells, bool chroma) {
    return cells.w << DD_AV1_W4_SHIFT | cells.h << DD_AV1_H4_SHIFT | (chroma ? DD_AV1_CHROMA : 0);
}
std::uint32_t shape_bits(unsigned w, unsigned h, bool chroma) {
    return shape_bits(cells_of(w, h), chroma) | (h == 2 ? DD_AV1_TWO_ROWS : 0);
}

template <typename Record>
Record &added(RecordList<Record> &records) {
    return *records.extend(1) = Record{};
}

// Planes of four pixels have filters of four taps.
std::uint32_t taps_of(unsigned kind, unsigned pixels_log2) {
    return pixels_log2 > 2 || kind > DD_AV1_TAPS_SHARP ? kind : DD_AV1_TAPS_REGULAR_4 + (kind & 1);
}

std::uint32_t compound_bits(const DdAv1Prediction &p) {
    return DD_AV1_COMPOUND | std::uint32_t{p.weight} << DD_AV1_WEIGHT_SHIFT |
           (p.kind == DD_AV1_BY_MASK ? DD_AV1_MASKED : 0);
}

} // namespace

// ---- references -----------------------------------------------------------------------------------------

void Av1References::set(const std::array<const void *, kAv1Refs> &pictures) {
    count_ = 0;
    for (unsigned slot = 0; slot < kAv1Refs; slot++) {
        picture_[slot] = kNone;
        if (!pictures[slot])
            continue;
        const auto first = std::ranges::find(pictures, pictures[slot]) - pictures.begin();
        if (first == slot)
            slot_[count_] = static_cast<std::uint8_t>(slot);
        picture_[slot] = first == slot ? count_++ : picture_[static_cast<std::size_t>(first)];
    }
}

unsigned Av1References::group_of_many(unsigned pictures) const {
    for (unsigned group = 0; group < groups(); group++)
        if (!(pictures >> kLeftOut[group] & 1))
            return group;
    return 0; // four pictures would be needed
}

std::array<std::uint8_t, DD_AV1_BOUND_REFS> Av1References::bound(unsigned group) const {
    std::array<std::uint8_t, DD_AV1_BOUND_REFS> slots{};
    slots.fill(slot_[0]);
    for (unsigned picture = 0; picture < count_; picture++)
        if (count_ <= DD_AV1_BOUND_REFS || picture != kLeftOut[group])
            slots[binding(group, picture)] = slot_[picture];
    return slots;
}

// ---- recorder -------------------------------------------------------------------------------------------

void Av1Recorder::reset(const PictureLayout &dst, const Av1References &references) {
    const auto clear = [](auto &streams) {
        for (auto &group : streams)
            for (auto &stream : group)
                stream.clear();
    };
    clear(mc);
    clear(blocks);
    clear(pairs);
    clear(pair_blocks);
    clear(overlaps);
    clear(warps);
    clear(differences);
    masks.clear();
    known_masks_.clear();
    predictions = residuals_kept = 0;
    residuals.reset(dst);
    used_pictures = 0;
    dst_ = dst;
    references_ = references;
}

bool Av1Recorder::in_plane(bool chroma, const Area &a) const {
    if (chroma && dst_.format.planes < 3)
        return false;
    const PlaneLayout &plane = dst_.plane[chroma];
    return a.x + a.w <= plane.padded_width && a.y + a.h <= plane.padded_height; // sums of 16 bits
}

bool Av1Recorder::valid(const DdAv1Source &s, bool may_warp) const {
    constexpr std::int32_t far = 1 << 28;
    const auto is_near = [](std::int32_t at) { return at > -far && at < far; };
    if (!references_.has(s.ref))
        return false;
    return s.warp ? may_warp : std::max(s.taps_x, s.taps_y) < DD_AV1_TAP_KINDS && is_near(s.x) && is_near(s.y);
}

unsigned Av1Recorder::group_of(std::span<const DdAv1Source> sources) {
    unsigned pictures = 0;
    for (const DdAv1Source &s : sources)
        pictures |= 1u << references_.picture(s.ref);
    used_pictures |= pictures;
    return references_.group_with(pictures);
}

DdAv1RecordSource Av1Recorder::place_translated(const DdAv1Source &s, unsigned group, bool chroma, const Area &whole,
                                                const Area &part) const {
    const PlaneLayout &plane = dst_.plane[chroma];
    const unsigned ref = Av1References::binding(group, references_.picture(s.ref));
    const std::int32_t x = s.x + static_cast<std::int32_t>(part.x - whole.x) * 16;
    const std::int32_t y = s.y + static_cast<std::int32_t>(part.y - whole.y) * 16;
    return {av1_pack(av1_near(x >> 4, plane.width), av1_near(y >> 4, plane.height)),
            ref << DD_AV1_REF_SHIFT | std::uint32_t{s.taps_x} << DD_AV1_TAPS_X_SHIFT |
                std::uint32_t{s.taps_y} << DD_AV1_TAPS_Y_SHIFT |
                (static_cast<std::uint32_t>(x) & 15) << DD_AV1_MX_SHIFT |
                (static_cast<std::uint32_t>(y) & 15) << DD_AV1_MY_SHIFT};
}

// Clause 7.11.3.5: warps are made for 8x8 pixels; `part` lies in one of those.
Av1Recorder::Placed Av1Recorder::place(const DdAv1Source &s, unsigned group, bool chroma, const Area &whole,
                                       const Area &part) const {
    if (!s.warp)
        return {place_translated(s, group, chroma, whole, part), {}};
    const PlaneLayout &plane = dst_.plane[chroma];
    const unsigned ss_h = chroma ? dst_.format.ss_h : 0, ss_v = chroma ? dst_.format.ss_v : 0;
    Placed placed{};
    placed.source.how = Av1References::binding(group, references_.picture(s.ref)) << DD_AV1_REF_SHIFT;
    const DdAv1Warp &w = *s.warp;
    const unsigned x8 = part.x & ~7u, y8 = part.y & ~7u;
    const std::int64_t src_x = std::int64_t{x8 + 4} << ss_h, src_y = std::int64_t{y8 + 4} << ss_v;
    const std::int64_t x = (w.matrix[2] * src_x + w.matrix[3] * src_y + w.matrix[0]) >> ss_h;
    const std::int64_t y = (w.matrix[4] * src_x + w.matrix[5] * src_y + w.matrix[1]) >> ss_v;
    const int alpha = w.shear[0], beta = w.shear[1], gamma = w.shear[2], delta = w.shear[3];
    placed.source.at = av1_pack(av1_near((x >> 16) - 4, plane.width), av1_near((y >> 16) - 4, plane.height));
    placed.source.how |=
        DD_AV1_WARPED | (part.x >> 2 & 1) << DD_AV1_CELL_X_SHIFT | (part.y >> 2 & 1) << DD_AV1_CELL_Y_SHIFT;
    placed.warp.mx = (static_cast<int>(x & 0xffff) - alpha * 4 - beta * 7) & ~63;
    placed.warp.my = (static_cast<int>(y & 0xffff) - gamma * 4 - delta * 4) & ~63;
    placed.warp.alpha_beta = av1_pack(alpha, beta);
    placed.warp.gamma_delta = av1_pack(gamma, delta);
    return placed;
}

std::uint32_t Av1Recorder::copy_mask(const std::uint8_t *from, unsigned stride, unsigned w, unsigned h) {
    const std::size_t first = masks.size();
    masks.resize(first + w * h / 4);
    auto *to = reinterpret_cast<std::uint8_t *>(masks.data() + first);
    for (unsigned y = 0; y < h; y++)
        std::transform(from + y * stride, from + y * stride + w, to + y * w,
                       [](std::uint8_t m) { return std::min<std::uint8_t>(m, 64); });
    return static_cast<std::uint32_t>(first);
}

std::uint32_t Av1Recorder::add_mask(const std::uint8_t *mask, unsigned w, unsigned h) {
    const auto [known, added] = known_masks_.try_emplace(Mask{mask, w * h}, static_cast<std::uint32_t>(masks.size()));
    // Memory may be used anew for another mask.
    if (added || std::memcmp(mask, masks.data() + known->second, std::size_t{w} * h) != 0)
        known->second = copy_mask(mask, w, w, h);
    return known->second;
}

std::uint32_t Av1Recorder::add_mask(const DdAv1Prediction &p, const Area &part) {
    if (part.w == p.w && part.h == p.h)
        return add_mask(p.mask, p.w, p.h);
    return copy_mask(p.mask + (part.y - p.y) * p.w + (part.x - p.x), p.w, part.w, part.h);
}

void Av1Recorder::add_mc(const DdAv1Prediction &p, unsigned group, const Area &part, std::uint32_t mask) {
    const Area whole{p.x, p.y, p.w, p.h};
    const unsigned size_class = cells_of(part.w, part.h).of_class(p.chroma);
    // Made in place: a copy of what has just been written in smaller pieces has to wait for it.
    if (p.kind == DD_AV1_SINGLE) {
        DdAv1McRecord &record = added(mc[group][size_class]);
        record.dst = av1_pack(part.x, part.y);
        record.ctl = shape_bits(part.w, part.h, p.chroma);
        record.source[0] = place_translated(p.source[0], group, p.chroma, whole, part);
        return;
    }
    DdAv1PairRecord &record = added(pairs[group][size_class]);
    record.dst = av1_pack(part.x, part.y);
    record.ctl = shape_bits(part.w, part.h, p.chroma) | (p.kind == DD_AV1_SPLIT ? DD_AV1_HALVES : compound_bits(p));
    record.mask = mask;
    record.source[0] = place_translated(p.source[0], group, p.chroma, whole, part);
    DdAv1Source second = p.source[1];
    if (p.kind == DD_AV1_SPLIT)
        second.x -= 32; // as if the whole cell came from there
    record.source[1] = place_translated(second, group, p.chroma, whole, part);
}

void Av1Recorder::add_warp(const DdAv1Prediction &p, unsigned group, const Area &part, std::uint32_t mask) {
    const Area whole{p.x, p.y, p.w, p.h};
    DdAv1WarpRecord &record = added(warps[group][cells_of(part.w, part.h).of_class(p.chroma)]);
    record.dst = av1_pack(part.x, part.y);
    record.ctl = shape_bits(part.w, part.h, p.chroma);
    record.mask = mask;
    for (unsigned i = 0; i < (p.kind == DD_AV1_SINGLE ? 1u : 2u); i++) {
        const Placed placed = place(p.source[i], group, p.chroma, whole, part);
        record.source[i] = placed.source;
        record.warp[i] = placed.warp;
    }
    if (p.kind != DD_AV1_SINGLE)
        record.ctl |= compound_bits(p);
}

bool Av1Recorder::allowed(const DdAv1Prediction &p, bool &warped) const {
    const Area whole{p.x, p.y, p.w, p.h};
    const bool sizes = is_power_of_two(whole.w) && is_power_of_two(whole.h) && whole.w >= 4 && whole.h >= 2 &&
                       whole.w <= kLargest && whole.h <= kLargest;
    if (!sizes || p.chroma > 1 || p.kind > DD_AV1_SPLIT || p.weight > 64 || whole.x & 3 || whole.y & 1 ||
        !in_plane(p.chroma, whole) || !valid(p.source[0], p.kind != DD_AV1_SPLIT))
        return false;
    warped = p.source[0].warp != nullptr;
    if (p.kind != DD_AV1_SINGLE) {
        if (!valid(p.source[1], p.kind != DD_AV1_SPLIT))
            return false;
        warped |= p.source[1].warp != nullptr;
    }
    return (p.kind != DD_AV1_BY_MASK || (p.mask && whole.w <= kRecordSide && whole.h <= kRecordSide)) &&
           (p.kind != DD_AV1_SPLIT || whole.w == 4) &&
           (!warped || (whole.w >= kUnit && whole.h >= kUnit && !(whole.x & 7) && !(whole.y & 7)));
}

bool Av1Recorder::predict(const DdAv1Prediction &p) {
    bool warped = false;
    if (!allowed(p, warped))
        return false;
    predictions++;
    const Area whole{p.x, p.y, p.w, p.h};
    const unsigned group = group_of({p.source, p.kind == DD_AV1_SINGLE ? 1u : 2u});
    const unsigned side = warped ? kUnit : kRecordSide;
    if (!warped && whole.w <= side && whole.h <= side) {
        add_mc(p, group, whole, p.kind == DD_AV1_BY_MASK ? add_mask(p, whole) : 0);
        return true;
    }
    for (unsigned y = 0; y < whole.h; y += side)
        for (unsigned x = 0; x < whole.w; x += side) {
            const Area part{whole.x + x, whole.y + y, std::min(side, whole.w), std::min(side, whole.h)};
            if (warped)
                add_warp(p, group, part, p.kind == DD_AV1_BY_MASK ? add_mask(p, part) : 0);
            else
                add_mc(p, group, part, 0);
        }
    return true;
}

bool Av1Recorder::allowed(const DdAv1InterBlock &b) const {
    constexpr unsigned least = 3, most = 7; // log2 of 8 and 128
    if (std::min(b.w_log2, b.h_log2) < least || std::max(b.w_log2, b.h_log2) > most || (b.x | b.y) & 7 ||
        b.weight > 64 || std::max(b.taps_x, b.taps_y) >= DD_AV1_TAP_KINDS || !references_.has(b.ref[0]) ||
        (b.compound && !references_.has(b.ref[1])))
        return false;
    return in_plane(false, {b.x, b.y, 1u << b.w_log2, 1u << b.h_log2}); // and so in those of chroma
}

bool Av1Recorder::predict(const DdAv1InterBlock &b) {
    if (!allowed(b))
        return false;
    b.compound ? add_block<2>(b) : add_block<1>(b);
    predictions += dst_.format.planes < 3 ? 1 : 2;
    return true;
}

// Everything but the place is the same in all records of a block.
template <unsigned sources>
void Av1Recorder::add_block(const DdAv1InterBlock &b) {
    unsigned picture[sources], read = 0;
    for (unsigned i = 0; i < sources; i++) {
        picture[i] = references_.picture(b.ref[i]);
        read |= 1u << picture[i];
    }
    used_pictures |= read;
    const unsigned group = references_.group_with(read);
    const unsigned w_log2 = std::min<unsigned>(b.w_log2, kRecordSideLog2),
                   h_log2 = std::min<unsigned>(b.h_log2, kRecordSideLog2);
    const Cells cells{w_log2 - 2, h_log2 - 2};
    auto &records = [&]() -> auto & {
        if constexpr (sources == 2)
            return pair_blocks[group][cells.of_class(false)];
        else
            return blocks[group][cells.of_class(false)];
    }
    ();
    // Made in place, as add_mc() does.
    auto &record = *records.extend(1);
    record.dst = av1_pack(unsigned{b.x}, unsigned{b.y});
    record.ctl = shape_bits(cells, false) | DD_AV1_WHOLE;
    const std::uint32_t taps = std::uint32_t{b.taps_x} << DD_AV1_TAPS_X_SHIFT |
                               std::uint32_t{b.taps_y} << DD_AV1_TAPS_Y_SHIFT |
                               taps_of(b.taps_x, b.w_log2 - dst_.format.ss_h) << DD_AV1_CHROMA_TAPS_X_SHIFT |
                               taps_of(b.taps_y, b.h_log2 - dst_.format.ss_v) << DD_AV1_CHROMA_TAPS_Y_SHIFT;
    for (unsigned i = 0; i < sources; i++)
        record.source[i] = {av1_pack(int{b.mv[i][0]}, int{b.mv[i][1]}), taps | Av1References::binding(group, picture[i])
                                                                                   << DD_AV1_REF_SHIFT};
    if constexpr (sources == 2) {
        record.ctl |= DD_AV1_COMPOUND | std::uint32_t{b.weight} << DD_AV1_WEIGHT_SHIFT;
        record.mask = 0;
    }
    if (w_log2 == b.w_log2 && h_log2 == b.h_log2)
        return;
    const auto first = record;
    for (unsigned y = 0; y < 1u << b.h_log2; y += 1u << h_log2)
        for (unsigned x = 0; x < 1u << b.w_log2; x += 1u << w_log2)
            if (x || y)
                (*records.extend(1) = first).dst += av1_pack(x, y);
}

bool Av1Recorder::overlap(const DdAv1Overlap &o) {
    const Area whole{o.x, o.y, o.w, o.h};
    const auto side = [](unsigned s) { return s == 4 || s == 8; };
    const auto size = [](unsigned s) { return s == 0 || (is_power_of_two(s) && s >= 2 && s <= 32); };
    if (o.chroma > 1 || !side(whole.w) || !side(whole.h) || whole.x & 3 || whole.y & 3 || !in_plane(o.chroma, whole) ||
        !size(o.above) || !size(o.left) || (o.above && o.above_at + whole.h > 2u * o.above) ||
        (o.left && o.left_at + whole.w > 2u * o.left))
        return false;
    std::array<DdAv1Source, 3> sources = {o.source[0], o.above ? o.source[1] : o.source[0],
                                          o.left ? o.source[2] : o.source[0]};
    for (const DdAv1Source &s : sources)
        if (!valid(s, false))
            return false;
    const unsigned group = group_of(sources);
    DdAv1OverlapRecord &record = added(overlaps[group][cells_of(whole.w, whole.h).of_class(o.chroma)]);
    record.dst = av1_pack(whole.x, whole.y);
    record.ctl = shape_bits(whole.w, whole.h, o.chroma) |
                 (o.above ? 2u * o.above + o.above_at : 0u) << DD_AV1_ABOVE_SHIFT |
                 (o.left ? 2u * o.left + o.left_at : 0u) << DD_AV1_LEFT_SHIFT;
    for (unsigned i = 0; i < 3; i++)
        record.source[i] = place_translated(sources[i], group, o.chroma, whole, whole);
    predictions++;
    return true;
}

bool Av1Recorder::difference(const DdAv1Difference &d) {
    const Area whole{d.x, d.y, d.w, d.h};
    const bool sizes = is_power_of_two(whole.w) && is_power_of_two(whole.h) && whole.w >= 8 && whole.h >= 8 &&
                       whole.w <= kLargest && whole.h <= kLargest;
    if (!sizes || d.chroma > 1 || d.sign > 1 || whole.x & 7 || whole.y & 7 || !in_plane(false, whole) ||
        (d.chroma && dst_.format.planes < 3))
        return false;
    for (unsigned i = 0; i < 2; i++)
        if (!valid(d.source[i], true) || (d.chroma && !valid(d.chroma_source[i], true)))
            return false;
    unsigned group = group_of(d.source);
    if (d.chroma) {
        if (d.chroma_source[0].ref != d.source[0].ref || d.chroma_source[1].ref != d.source[1].ref)
            return false;
        group = group_of(d.chroma_source);
    }
    const unsigned ss_h = dst_.format.ss_h, ss_v = dst_.format.ss_v;
    const unsigned step_x = 4u << ss_h, step_y = 4u << ss_v;
    const Area chroma_whole{whole.x >> ss_h, whole.y >> ss_v, whole.w >> ss_h, whole.h >> ss_v};
    for (unsigned y = whole.y; y < whole.y + whole.h; y += step_y)
        for (unsigned x = whole.x; x < whole.x + whole.w; x += step_x) {
            DdAv1DiffRecord record{};
            record.dst = av1_pack(x, y);
            record.ctl = (d.chroma ? DD_AV1_HAS_CHROMA : 0) | (d.sign ? DD_AV1_SIGN : 0);
            for (unsigned i = 0; i < 2; i++) {
                const Placed luma = place(d.source[i], group, false, whole, {x, y, step_x, step_y});
                record.source[i] = luma.source;
                record.warp[i] = luma.warp;
                if (!d.chroma)
                    continue;
                const Placed chroma =
                    place(d.chroma_source[i], group, true, chroma_whole, {x >> ss_h, y >> ss_v, 4, 4});
                record.chroma_source[i] = chroma.source;
                record.chroma_warp[i] = chroma.warp;
            }
            differences[group][0].push_back(record);
        }
    predictions++;
    return true;
}

// ---- frame ----------------------------------------------------------------------------------------------

void Av1Recon::reset(const PictureLayout &dst, const Av1References &refs, unsigned recorder_count) {
    references = refs;
    if (recorders.size() < recorder_count || recorders.size() > 4 * std::size_t{recorder_count})
        recorders.resize(recorder_count);
    for (Av1Recorder &recorder : recorders)
        recorder.reset(dst, refs);
}

void Av1Recon::clear() {
    references = {};
    for (Av1Recorder &recorder : recorders)
        recorder.reset({}, references);
}

Av1ReconCounts Av1Recon::counts() const {
    Av1ReconCounts all;
    for (const Av1Recorder &recorder : recorders) {
        all.predictions += recorder.predictions;
        all.residuals += recorder.residuals.count;
        all.residuals_kept += recorder.residuals_kept;
    }
    return all;
}

unsigned Av1Recon::used_refs() const {
    unsigned pictures = 0, used = 0;
    for (const Av1Recorder &recorder : recorders)
        pictures |= recorder.used_pictures;
    for (unsigned slot = 0; slot < kAv1Refs; slot++)
        if (references.has(slot) && pictures >> references.picture(slot) & 1)
            used |= 1u << references.bound_slot(slot);
    return used;
}

} // namespace dd
