// SPDX-License-Identifier: BSD-2-Clause
#include "batch/power_of_two.h"
#include "batch/vp9_batch.h"
#include "batch/vp9_range.h"
#include "daedalus/daedalus.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <type_traits>

namespace dd {
namespace {

constexpr unsigned kUnscaledStep = 16;
constexpr unsigned kMaxStep = 32; // a reference is at most twice as large (clause 8.5.2.3)

constexpr bool is_unscaled(const Vp9Prediction &p) {
    return p.step_x == kUnscaledStep && p.step_y == kUnscaledStep;
}
constexpr std::uint32_t pack(unsigned x, unsigned y) {
    return (x & 0xffffu) | y << 16;
}
constexpr bool is_int16(std::int32_t v) {
    return v >= INT16_MIN && v <= INT16_MAX;
}

// The record of the same prediction so many pixels further on. Positions in a reference may be negative.
constexpr DdMcRecord beside(const DdMcRecord &r, unsigned x, unsigned y) {
    const auto moved = [&](std::uint32_t at) { return pack(at + x, (at >> 16) + y); };
    return {moved(r.dst), moved(r.src0), r.ctl & DD_MC_COMPOUND ? moved(r.src1) : 0, r.ctl};
}
// Of a position in an unscaled reference. The last square starts less than 64 pixels further on.
constexpr bool is_near(std::int32_t src) {
    return is_int16(src >> 4) && is_int16((src >> 4) + 64);
}

// The same square for the kernel that scales: steps of 16 give the same pixels there.
DdScaledMcRecord as_scaled(const DdMcRecord &r) {
    const auto whole_x = static_cast<std::int16_t>(r.src0 & 0xffff), whole_y = static_cast<std::int16_t>(r.src0 >> 16);
    const std::int32_t mx = r.ctl >> DD_MC_MX0_SHIFT & 15, my = r.ctl >> DD_MC_MY0_SHIFT & 15;
    constexpr std::uint32_t subpel = 0xffff;
    return {r.dst,
            r.ctl & ~subpel,
            whole_x * 16 + mx,
            whole_y * 16 + my,
            0,
            0,
            pack(kUnscaledStep, kUnscaledStep),
            pack(kUnscaledStep, kUnscaledStep)};
}

// Where the bins of such squares begin among those of their references.
constexpr unsigned bin_of_size(unsigned side) {
    return Vp9Squares<DdMcRecord, 9>::bin_of(0, static_cast<unsigned>(std::countr_zero(side)) - 2, 0);
}

// `record`: the first one, `bins`: those of its references and filters.
[[gnu::noinline]] void row_of_squares(RecordList<DdMcRecord> *bins, DdMcRecord record, unsigned planes, unsigned w,
                                      unsigned h) {
    const unsigned side = std::min(w, h), squares = std::max(w, h) >> std::countr_zero(side);
    DdMcRecord *to = bins[bin_of_size(side)].extend(std::size_t{planes} * squares);
    for (unsigned plane = 0; plane < planes; plane++) {
        DdMcRecord next = record;
        *to++ = next;
        for (unsigned i = 1; i < squares; i++) {
            next = beside(next, w > side ? side : 0, h > side ? side : 0);
            *to++ = next;
        }
        record.ctl += 1u << DD_MC_PLANE_SHIFT;
    }
}

// A rectangle's sides are sums of powers of two, from the largest down: the side of the next square at `done`.
constexpr unsigned next_part(unsigned side, unsigned done) {
    return std::bit_floor(side - done);
}

} // namespace

void Vp9Recorder::reset(const PictureLayout &dst, const Vp9References &ref) {
    mc.clear();
    scaled.clear();
    for (auto &kind : itx)
        for (auto &stream : kind)
            stream.clear();
    coefs.clear();
    predictions = 0;
    used_refs = 0;
    for (unsigned p = 0; p < 3; p++)
        limit_[p] = {dst.plane[p].padded_width, dst.plane[p].padded_height};
    for (unsigned p = 0; p < 3; p++)
        sides_[p] = pack(limit_[p][0], limit_[p][1]) | kNoBorrow;
    cols_ = limit_[0][0] / 8;
    rows_ = limit_[0][1] / 8;
    has_ref_ = 0;
    for (unsigned slot = 0; slot < DD_MAX_REFS; slot++)
        has_ref_ |= unsigned{ref[slot].size != 0} << slot;
    ss_h_ = dst.format.ss_h;
    ss_v_ = dst.format.ss_v;
    bit_depth_ = dst.format.bit_depth;
    bytes_per_pixel_ = dst.bytes_per_pixel();
    prepare_ranges();
    out_of_range_ = false;
    begin_block();
}

void Vp9Recorder::begin_block() {
    firsts_.clear();
    next_pair_ = 0;
}

bool Vp9Recorder::allowed(const Vp9Prediction &p) const {
    if (p.ref >= DD_MAX_REFS || !(has_ref_ >> p.ref & 1) || p.filter > 3 || p.w > 64 || p.h > 64 ||
        !in_plane(p.plane, p.x, p.y, p.w, p.h))
        return false;
    if (is_unscaled(p))
        return is_near(p.src_x) && is_near(p.src_y);
    const bool steps = p.step_x >= 1 && p.step_x <= kMaxStep && p.step_y >= 1 && p.step_y <= kMaxStep;
    constexpr std::int32_t far = 1 << 24;
    return steps && p.src_x > -far && p.src_x < far && p.src_y > -far && p.src_y < far;
}

bool Vp9Recorder::predict(const Vp9Prediction &p) {
    if (p.plane != DD_PLANES_CHROMA)
        return predict_plane(p);
    Vp9Prediction one = p;
    one.plane = 1;
    if (!predict_plane(one))
        return false;
    one.plane = 2;
    return predict_plane(one);
}

// What nearly all blocks are made of: squares of one size and of one reference, or the first one's share of a pair.
void Vp9Recorder::simple_squares(const Vp9Prediction &p, unsigned side) {
    const unsigned size_class = static_cast<unsigned>(std::countr_zero(side)) - 2;
    const auto src_x = static_cast<unsigned>(p.src_x >> 4), src_y = static_cast<unsigned>(p.src_y >> 4);
    DdMcRecord record{0, 0, 0,
                      p.filter << DD_MC_FILTER_SHIFT | p.plane << DD_MC_PLANE_SHIFT | p.ref << DD_MC_REF0_SHIFT |
                          (p.src_x & 15u) << DD_MC_MX0_SHIFT | (p.src_y & 15u) << DD_MC_MY0_SHIFT};
    for (unsigned y = 0; y < p.h; y += side)
        for (unsigned x = 0; x < p.w; x += side) {
            record.dst = pack(p.x + x, p.y + y);
            record.src0 = pack(src_x + x, src_y + y);
            put_first(mc, size_class, record);
        }
}

namespace {

// What the size of a block decides: VP9's block sizes from 8x8 on.
constexpr unsigned kFirstShape = 3; // those before are smaller
struct BlockShape {
    std::uint8_t cols, rows;           // blocks of 8x8
    std::uint8_t luma_bin, chroma_bin; // of the squares, where chroma has half of the width and height
};
constexpr auto kBlockShapes = [] {
    constexpr std::uint8_t sides[][2] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}, {2, 4},
                                         {4, 2}, {4, 4}, {4, 8}, {8, 4}, {8, 8}};
    std::array<BlockShape, std::size(sides)> all{};
    for (unsigned i = 0; i < all.size(); i++) {
        const unsigned side = 4u * std::min(sides[i][0], sides[i][1]);
        all[i] = {sides[i][0], sides[i][1], static_cast<std::uint8_t>(bin_of_size(2 * side)),
                  static_cast<std::uint8_t>(bin_of_size(side))};
    }
    return all;
}();

// vp9_filters() of a position's fractions, as a record has them.
constexpr auto kFiltersOfSubpel = [] {
    std::array<std::uint8_t, 256> all{};
    for (unsigned subpel = 0; subpel < 256; subpel++)
        all[subpel] = static_cast<std::uint8_t>(vp9_filters(subpel & 15, subpel >> 4));
    return all;
}();

// A reference of a block and its vector, in 1/16 pixel of a plane.
struct Source {
    std::int32_t x, y;

    std::uint32_t position(unsigned at_x, unsigned at_y) const {
        return pack(at_x + static_cast<unsigned>(x >> 4), at_y + static_cast<unsigned>(y >> 4));
    }
    std::uint32_t subpel() const { return (x & 15u) | (y & 15u) << 4; }
};

// A plane's share of a whole block, or that of both planes of chroma. The record of the first plane, and the bins of its filters.
template <bool compound>
[[gnu::always_inline]] inline DdMcRecord whole_record(RecordList<DdMcRecord> *&bins, std::uint32_t ctl, unsigned x,
                                                      unsigned y, Source first, Source second) {
    const std::uint32_t subpel = first.subpel();
    DdMcRecord record{x | y << 16, first.position(x, y), 0, ctl | subpel << DD_MC_MX0_SHIFT};
    unsigned filters = kFiltersOfSubpel[subpel];
    if constexpr (compound) {
        const std::uint32_t other = second.subpel();
        record.src1 = second.position(x, y);
        record.ctl |= other << DD_MC_MX1_SHIFT;
        filters = filters * 3 + kFiltersOfSubpel[other];
    }
    bins += filters;
    return record;
}

// Of a vector in 1/8 pixel of luma.
Source source_of(const std::int16_t (&mv)[2]) {
    return {mv[0] * 2, mv[1] * 2};
}

constexpr std::uint32_t kNextPlane = 1u << DD_MC_PLANE_SHIFT;

// Rectangles, and chroma that has not half of the width and height: the rare rest. `bins`: those of the references.
template <bool compound>
[[gnu::noinline]] void put_rectangles(RecordList<DdMcRecord> *bins, std::uint32_t ctl, const DdVp9Block &block,
                                      const BlockShape &shape, unsigned ss_h, unsigned ss_v) {
    const unsigned x = block.col * 8, y = block.row * 8, w = shape.cols * 8, h = shape.rows * 8;
    const Source first = source_of(block.mv[0]), second = compound ? source_of(block.mv[1]) : Source{};
    auto *to = bins;
    const DdMcRecord luma = whole_record<compound>(to, ctl, x, y, first, second);
    row_of_squares(to, luma, 1, w, h);
    to = bins;
    const DdMcRecord chroma =
        whole_record<compound>(to, ctl + kNextPlane, x >> ss_h, y >> ss_v, {first.x >> ss_h, first.y >> ss_v},
                               {second.x >> ss_h, second.y >> ss_v});
    row_of_squares(to, chroma, 2, w >> ss_h, h >> ss_v);
}

// What nearly all blocks are.
template <bool compound>
[[gnu::always_inline]] inline void put_squares(RecordList<DdMcRecord> *bins, std::uint32_t ctl, const DdVp9Block &block,
                                               const BlockShape &shape) {
    const unsigned x = block.col * 8, y = block.row * 8;
    const Source first = source_of(block.mv[0]), second = compound ? source_of(block.mv[1]) : Source{};
    auto *to = bins + shape.luma_bin;
    const DdMcRecord luma = whole_record<compound>(to, ctl, x, y, first, second);
    to->push_back(luma);
    to = bins + shape.chroma_bin;
    DdMcRecord chroma = whole_record<compound>(to, ctl + kNextPlane, x / 2, y / 2, {first.x >> 1, first.y >> 1},
                                               {second.x >> 1, second.y >> 1});
    DdMcRecord *both = to->extend(2);
    both[0] = chroma;
    chroma.ctl += kNextPlane;
    both[1] = chroma;
}

} // namespace

// `block` has been checked, but for its references.
template <bool compound>
bool Vp9Recorder::put_block(const DdVp9Block &block, unsigned shape) {
    const unsigned ref0 = block.ref[0], ref1 = compound ? block.ref[1] : ref0;
    if (ref0 >= DD_MAX_REFS || ref1 >= DD_MAX_REFS)
        return false;
    const unsigned refs = 1u << ref0 | 1u << ref1;
    if (refs & ~has_ref_)
        return false;
    used_refs |= refs;
    predictions += compound ? 6 : 3;
    std::uint32_t ctl = block.filter << DD_MC_FILTER_SHIFT | ref0 << DD_MC_REF0_SHIFT;
    if constexpr (compound)
        ctl |= ref1 << DD_MC_REF1_SHIFT | DD_MC_COMPOUND;
    auto *bins = &mc[mc.bin_of(vp9_pairing(compound, ref0, ref1), 0, 0)];
    const BlockShape &size = kBlockShapes[shape];
    if (size.cols == size.rows && ss_h_ & ss_v_) [[likely]]
        put_squares<compound>(bins, ctl, block, size);
    else
        put_rectangles<compound>(bins, ctl, block, size, ss_h_, ss_v_);
    return true;
}

// The structure is read member by member, as it was written: reading several at once makes the CPU wait for the writes. So positions
// have 32 bits in it, for compilers join what is narrower.
bool Vp9Recorder::predict_block(const DdVp9Block &block) {
    // With 16 bits for a vector, in 1/8 pixel, no source is farther away than a record can say.
    static_assert(is_near(kMaxPictureSide * 16 + 2 * INT16_MAX) && is_near(2 * INT16_MIN));
    const unsigned shape = block.size - kFirstShape;
    if (shape >= kBlockShapes.size() || block.filter > 3)
        return false;
    const BlockShape &size = kBlockShapes[shape];
    if (std::uint64_t{block.col} + size.cols > cols_ || std::uint64_t{block.row} + size.rows > rows_)
        return false;
    return block.compound ? put_block<true>(block, shape) : put_block<false>(block, shape);
}

bool Vp9Recorder::predict_plane(const Vp9Prediction &p) {
    if (!allowed(p))
        return false;
    predictions++;
    used_refs |= 1u << p.ref;
    if (!p.second && is_unscaled(p) && is_power_of_two(p.w) && is_power_of_two(p.h)) {
        simple_squares(p, std::min(p.w, p.h));
        return true;
    }
    for (unsigned y = 0; y < p.h;) {
        const unsigned tall = next_part(p.h, y);
        for (unsigned x = 0; x < p.w;) {
            const unsigned wide = next_part(p.w, x), side = std::min(wide, tall);
            const unsigned size_class = static_cast<unsigned>(std::countr_zero(side)) - 2;
            for (unsigned sy = y; sy < y + tall; sy += side)
                for (unsigned sx = x; sx < x + wide; sx += side) {
                    if (!p.second)
                        square(p, sx, sy, size_class);
                    else if (!pair_square(p, sx, sy, size_class))
                        return false;
                }
            x += wide;
        }
        y += tall;
    }
    return true;
}

void Vp9Recorder::square(const Vp9Prediction &p, unsigned dx, unsigned dy, unsigned size_class) {
    const std::uint32_t ctl = p.filter << DD_MC_FILTER_SHIFT | p.plane << DD_MC_PLANE_SHIFT | p.ref << DD_MC_REF0_SHIFT;
    const std::uint32_t dst = pack(p.x + dx, p.y + dy);
    if (is_unscaled(p))
        put_first(mc, size_class,
                  {dst, pack(static_cast<unsigned>(p.src_x >> 4) + dx, static_cast<unsigned>(p.src_y >> 4) + dy), 0,
                   ctl | (p.src_x & 15u) << DD_MC_MX0_SHIFT | (p.src_y & 15u) << DD_MC_MY0_SHIFT});
    else
        put_first(scaled, size_class,
                  {dst, ctl, p.src_x + static_cast<std::int32_t>(dx * p.step_x),
                   p.src_y + static_cast<std::int32_t>(dy * p.step_y), 0, 0, pack(p.step_x, p.step_y),
                   pack(kUnscaledStep, kUnscaledStep)});
}

template <typename Squares>
void Vp9Recorder::put_first(Squares &to, unsigned size_class, const typename Squares::Record &record) {
    const auto [bin, index] = to.put(size_class, record);
    constexpr bool scales = std::is_same_v<Squares, decltype(scaled)>;
    firsts_.push_back({static_cast<std::uint8_t>(size_class), scales, static_cast<std::uint16_t>(bin), index});
}

// With its second reference a square belongs into another bin. The one that takes its place is of this block too.
template <typename Squares>
typename Squares::Record Vp9Recorder::take_first(Squares &from, const Square &first) {
    const typename Squares::Place place = {first.bin, first.index};
    const auto record = from[place];
    const auto moved = from.take_out(place);
    for (Square &s : firsts_)
        if (s.scaled == first.scaled && s.bin == moved.bin && s.index == moved.index)
            s.index = place.index;
    return record;
}

bool Vp9Recorder::pair_square(const Vp9Prediction &p, unsigned dx, unsigned dy, unsigned size_class) {
    if (next_pair_ >= firsts_.size())
        return false;
    const Square first = firsts_[next_pair_++];
    if (first.size_class != size_class)
        return false;
    const std::uint32_t dst = pack(p.x + dx, p.y + dy);
    const std::uint32_t same = p.filter << DD_MC_FILTER_SHIFT | p.plane << DD_MC_PLANE_SHIFT;
    constexpr std::uint32_t same_bits = 3u << DD_MC_FILTER_SHIFT | 3u << DD_MC_PLANE_SHIFT;
    const std::uint32_t more = p.ref << DD_MC_REF1_SHIFT | DD_MC_COMPOUND;
    const auto fits = [&](const auto &r) { return r.dst == dst && (r.ctl & same_bits) == same; };
    DdScaledMcRecord pair;
    if (first.scaled) {
        pair = take_first(scaled, first);
        if (!fits(pair))
            return false;
    } else {
        DdMcRecord r = take_first(mc, first);
        if (!fits(r))
            return false;
        if (is_unscaled(p)) {
            r.src1 = pack(static_cast<unsigned>(p.src_x >> 4) + dx, static_cast<unsigned>(p.src_y >> 4) + dy);
            r.ctl |= more | (p.src_x & 15u) << DD_MC_MX1_SHIFT | (p.src_y & 15u) << DD_MC_MY1_SHIFT;
            mc.put(size_class, r);
            return true;
        }
        // One reference of the block has the picture's size and the other one hasn't: the scaled kernel serves both.
        pair = as_scaled(r);
    }
    pair.src1_x = p.src_x + static_cast<std::int32_t>(dx * p.step_x);
    pair.src1_y = p.src_y + static_cast<std::int32_t>(dy * p.step_y);
    pair.step1 = pack(p.step_x, p.step_y);
    pair.ctl |= more;
    scaled.put(size_class, pair);
    return true;
}

} // namespace dd
