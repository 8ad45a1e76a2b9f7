// SPDX-License-Identifier: BSD-2-Clause
#include "batch/power_of_two.h"
#include "daedalus/daedalus.h"
#include "vp9/batch.h"
#include "vp9/range.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <type_traits>

namespace dd {
namespace {

constexpr unsigned kUnscaledStep = 16;
constexpr unsigned kMaxStep = 32; // a reference is at most twice as large (clause 8.5.2.3)

constexpr bool is_unscaled(const Vp9Prediction &p) {
    return p.step_x == kUnscaledStep && p.step_y == kUnscaledStep;
}
constexpr bool is_int16(std::int32_t v) {
    return v >= INT16_MIN && v <= INT16_MAX;
}

// The record of the same prediction so many pixels further on. Positions in a reference may be negative.
constexpr DdMcRecord beside(const DdMcRecord &r, unsigned x, unsigned y) {
    const auto moved = [&](std::uint32_t at) { return vp9_pack(at + x, (at >> 16) + y); };
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
            vp9_pack(kUnscaledStep, kUnscaledStep),
            vp9_pack(kUnscaledStep, kUnscaledStep)};
}

// A rectangle from its first square on.
void row_of_squares(Vp9Squares<DdMcRecord, 9> &to, DdMcRecord record, unsigned w, unsigned h) {
    const unsigned side = std::min(w, h), squares = std::max(w, h) / side;
    for (unsigned i = 0; i < squares; i++) {
        to.put(static_cast<unsigned>(std::countr_zero(side)) - 2, record);
        record = beside(record, w > side ? side : 0, h > side ? side : 0);
    }
}

// A rectangle's sides are sums of powers of two, from the largest down: the side of the next square at `done`.
constexpr unsigned next_part(unsigned side, unsigned done) {
    return std::bit_floor(side - done);
}

} // namespace

void Vp9Recorder::reset(const PictureLayout &dst, const Vp9References &ref) {
    blocks.clear();
    pair_blocks.clear();
    mc.clear();
    scaled.clear();
    for (auto &kind : itx)
        for (auto &stream : kind)
            stream.clear();
    coefs.clear();
    intra.clear();
    for (auto &stream : intra_itx)
        stream.clear();
    intra_words = 0;
    intra_levels = {};
    levels_.reset(dst);
    predictions = 0;
    used_refs = 0;
    for (unsigned p = 0; p < 3; p++)
        limit_[p] = {dst.plane[p].padded_width, dst.plane[p].padded_height};
    for (unsigned p = 0; p < 3; p++)
        sides_[p] = vp9_pack(limit_[p][0], limit_[p][1]) | kNoBorrow;
    for (unsigned p = 0; p < 3; p++)
        end_[p] = {(dst.format.width + 7) / 8 * 2 >> (p ? dst.format.ss_h : 0),
                   (dst.format.height + 7) / 8 * 2 >> (p ? dst.format.ss_v : 0)};
    cols_ = limit_[0][0] / 8;
    rows_ = limit_[0][1] / 8;
    has_ref_ = 0;
    for (unsigned slot = 0; slot < DD_MAX_REFS; slot++)
        has_ref_ |= unsigned{ref[slot].size != 0} << slot;
    ss_h_ = dst.format.ss_h;
    ss_v_ = dst.format.ss_v;
    has_halves_ = ss_h_ && ss_v_;
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
            record.dst = vp9_pack(p.x + x, p.y + y);
            record.src0 = vp9_pack(src_x + x, src_y + y);
            put_first(mc, size_class, record);
        }
}

namespace {

// What the size of a block decides: VP9's block sizes from 8x8 on.
constexpr unsigned kFirstShape = 3; // those before are smaller
struct BlockShape {
    std::uint8_t cols, rows; // blocks of 8x8
    std::uint8_t size_class; // of its square, or of both
    std::uint32_t second; // from a rectangle's first square to the other one, as DdMcBlock.at has it; 0: there is none
};
constexpr auto kBlockShapes = [] {
    constexpr std::uint8_t sides[][2] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}, {2, 4},
                                         {4, 2}, {4, 4}, {4, 8}, {8, 4}, {8, 8}};
    std::array<BlockShape, std::size(sides)> all{};
    for (unsigned i = 0; i < all.size(); i++) {
        const auto [cols, rows] = sides[i];
        const unsigned side = std::min(cols, rows);
        all[i] = {cols, rows, static_cast<std::uint8_t>(std::countr_zero(side)),
                  cols > rows   ? side << DD_MC_BLOCK_COL_SHIFT
                  : cols < rows ? side << DD_MC_BLOCK_ROW_SHIFT
                                : 0};
    }
    return all;
}();
static_assert(kMaxPictureSide / 8 <= DD_MC_BLOCK_PLACE_MASK + 1);

// vp9_filters() of a vector's fractions, in luma and chroma.
struct Filters {
    std::uint8_t both, luma; // those of a single block, and of a pair's half
};
constexpr auto kFiltersOfVector = [] {
    std::array<Filters, 256> all{};
    for (unsigned i = 0; i < 256; i++) {
        const std::uint32_t mv = (i & 15) | (i >> 4) << 16;
        all[i] = {static_cast<std::uint8_t>(vp9_filters(DdMcBlock{0, mv})),
                  static_cast<std::uint8_t>(vp9_filters(DdMcPairBlock{0, 0, mv}) % 3)};
    }
    return all;
}();
Filters filters_of(std::uint32_t mv) {
    return kFiltersOfVector[(mv & 15) | (mv >> 12 & 0xf0)];
}

// As it was written: at once.
std::uint32_t vector_of(const std::int16_t (&mv)[2]) {
    std::uint32_t both;
    std::memcpy(&both, mv, sizeof(both));
    return both;
}

// Both squares of a rectangle, or a square for which there is no capacity yet. Returns true.
template <typename Record>
[[gnu::noinline]] bool put_growing(RecordList<Record> &to, Record record, std::uint32_t second) {
    to.push_back(record);
    if (second) {
        record.at += second;
        to.push_back(record);
    }
    return true;
}

// Most blocks are squares. What calls something does so as its last step, so that all fits into registers.
template <typename Record>
[[gnu::always_inline]] inline bool put_whole(RecordList<Record> &to, Record record, std::uint32_t second) {
    if (second || !to.has_capacity(1)) [[unlikely]]
        return put_growing(to, record, second);
    Record *at = to.end();
    *at = record;
    to.keep(at + 1);
    return true;
}

// The record of a block's first square in a plane.
DdMcRecord first_square(std::uint32_t ctl, unsigned x, unsigned y, const Vp9Source (&source)[2]) {
    DdMcRecord record{x | y << 16, source[0].position(x, y), 0, ctl | source[0].subpel() << DD_MC_MX0_SHIFT};
    if (ctl & DD_MC_COMPOUND) {
        record.src1 = source[1].position(x, y);
        record.ctl |= source[1].subpel() << DD_MC_MX1_SHIFT;
    }
    return record;
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
    if (!has_halves_) [[unlikely]]
        return put_planes(block, shape);
    const BlockShape &size = kBlockShapes[shape];
    const std::uint32_t at = block.col << DD_MC_BLOCK_COL_SHIFT | block.row << DD_MC_BLOCK_ROW_SHIFT |
                             std::uint32_t{block.filter} << DD_MC_BLOCK_FILTER_SHIFT;
    const std::uint32_t mv0 = vector_of(block.mv[0]);
    if constexpr (compound) {
        const std::uint32_t mv1 = vector_of(block.mv[1]);
        const unsigned pairing = vp9_pairing(true, ref0, ref1),
                       filters = filters_of(mv0).luma * 3u + filters_of(mv1).luma;
        pair_blocks.use(pairing);
        return put_whole(pair_blocks[pair_blocks.bin_of(pairing, size.size_class, filters)],
                         DdMcPairBlock{at, mv0, mv1}, size.second);
    } else {
        blocks.use(ref0);
        return put_whole(blocks[blocks.bin_of(ref0, size.size_class, filters_of(mv0).both)], DdMcBlock{at, mv0},
                         size.second);
    }
}

// Where chroma has not half of the width and height.
[[gnu::noinline]] bool Vp9Recorder::put_planes(const DdVp9Block &block, unsigned shape) {
    const BlockShape &size = kBlockShapes[shape];
    std::uint32_t ctl = block.filter << DD_MC_FILTER_SHIFT | block.ref[0] << DD_MC_REF0_SHIFT;
    if (block.compound)
        ctl |= block.ref[1] << DD_MC_REF1_SHIFT | DD_MC_COMPOUND;
    for (unsigned plane = 0; plane < 3; plane++, ctl += 1u << DD_MC_PLANE_SHIFT) {
        const unsigned h = plane ? ss_h_ : 0, v = plane ? ss_v_ : 0;
        const Vp9Source source[2] = {{block.mv[0][0] * 2 >> h, block.mv[0][1] * 2 >> v},
                                     {block.mv[1][0] * 2 >> h, block.mv[1][1] * 2 >> v}};
        row_of_squares(mc, first_square(ctl, block.col * 8 >> h, block.row * 8 >> v, source), size.cols * 8u >> h,
                       size.rows * 8u >> v);
    }
    return true;
}

// The structure is read member by member, as it was written: reading several at once makes the CPU wait for the
// writes. So positions have 32 bits in it, for compilers join what is narrower.
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
    const std::uint32_t dst = vp9_pack(p.x + dx, p.y + dy);
    if (is_unscaled(p))
        put_first(mc, size_class,
                  {dst, vp9_pack(static_cast<unsigned>(p.src_x >> 4) + dx, static_cast<unsigned>(p.src_y >> 4) + dy), 0,
                   ctl | (p.src_x & 15u) << DD_MC_MX0_SHIFT | (p.src_y & 15u) << DD_MC_MY0_SHIFT});
    else
        put_first(scaled, size_class,
                  {dst, ctl, p.src_x + static_cast<std::int32_t>(dx * p.step_x),
                   p.src_y + static_cast<std::int32_t>(dy * p.step_y), 0, 0, vp9_pack(p.step_x, p.step_y),
                   vp9_pack(kUnscaledStep, kUnscaledStep)});
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
    const std::uint32_t dst = vp9_pack(p.x + dx, p.y + dy);
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
            r.src1 = vp9_pack(static_cast<unsigned>(p.src_x >> 4) + dx, static_cast<unsigned>(p.src_y >> 4) + dy);
            r.ctl |= more | (p.src_x & 15u) << DD_MC_MX1_SHIFT | (p.src_y & 15u) << DD_MC_MY1_SHIFT;
            mc.put(size_class, r);
            return true;
        }
        // One reference of the block has the picture's size and the other one hasn't: the scaled kernel serves both.
        pair = as_scaled(r);
    }
    pair.src1_x = p.src_x + static_cast<std::int32_t>(dx * p.step_x);
    pair.src1_y = p.src_y + static_cast<std::int32_t>(dy * p.step_y);
    pair.step1 = vp9_pack(p.step_x, p.step_y);
    pair.ctl |= more;
    scaled.put(size_class, pair);
    return true;
}

} // namespace dd
