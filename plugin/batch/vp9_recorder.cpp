// SPDX-License-Identifier: BSD-2-Clause
#include "batch/power_of_two.h"
#include "batch/vp9_batch.h"
#include "batch/vp9_range.h"
#include "daedalus/daedalus.h"

#include <algorithm>
#include <bit>

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

// A rectangle's sides are sums of powers of two, from the largest down: the side of the next square at `done`.
constexpr unsigned next_part(unsigned side, unsigned done) {
    return std::bit_floor(side - done);
}

} // namespace

void Vp9Recorder::reset(const PictureLayout &dst, const Vp9References &ref) {
    for (auto &stream : mc)
        stream.clear();
    for (auto &stream : scaled)
        stream.clear();
    for (auto &kind : itx)
        for (auto &stream : kind)
            stream.clear();
    coefs.clear();
    predictions = residuals = 0;
    used_refs = 0;
    for (unsigned p = 0; p < 3; p++)
        limit_[p] = {dst.plane[p].padded_width, dst.plane[p].padded_height};
    for (unsigned slot = 0; slot < DD_MAX_REFS; slot++)
        has_ref_[slot] = ref[slot].size != 0;
    ss_h_ = dst.format.ss_h;
    ss_v_ = dst.format.ss_v;
    bit_depth_ = dst.format.bit_depth;
    bytes_per_pixel_ = dst.bytes_per_pixel();
    for (unsigned kind = 0; kind < DD_ITX_KINDS; kind++)
        harmless_[kind] = vp9_harmless_sum(kind, bit_depth_);
    out_of_range_ = false;
    begin_block();
}

void Vp9Recorder::begin_block() {
    firsts_.clear();
    next_pair_ = 0;
}

bool Vp9Recorder::allowed(const Vp9Prediction &p) const {
    if (p.ref >= DD_MAX_REFS || !has_ref_[p.ref] || p.filter > 3 || p.w > 64 || p.h > 64 ||
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
    auto &stream = mc[size_class];
    DdMcRecord record{0, 0, 0,
                      p.filter << DD_MC_FILTER_SHIFT | p.plane << DD_MC_PLANE_SHIFT | p.ref << DD_MC_REF0_SHIFT |
                          (p.src_x & 15u) << DD_MC_MX0_SHIFT | (p.src_y & 15u) << DD_MC_MY0_SHIFT};
    for (unsigned y = 0; y < p.h; y += side)
        for (unsigned x = 0; x < p.w; x += side) {
            record.dst = pack(p.x + x, p.y + y);
            record.src0 = pack(src_x + x, src_y + y);
            firsts_.push_back(
                {static_cast<std::uint8_t>(size_class), false, static_cast<std::uint32_t>(stream.size())});
            stream.push_back(record);
        }
}

// A plane's share of a whole block, or that of both planes of chroma: nearly always a square, else several in a row or a column.
template <bool compound>
[[gnu::always_inline]] inline void Vp9Recorder::whole_squares(std::uint32_t ctl, unsigned planes, const Rectangle &at,
                                                              const std::array<Motion, 2> &mv) {
    const auto subpel = [&](unsigned i) { return (mv[i].x & 15u) | (mv[i].y & 15u) << 4; };
    const auto source = [&](unsigned i) {
        return pack(at.x + static_cast<unsigned>(mv[i].x >> 4), at.y + static_cast<unsigned>(mv[i].y >> 4));
    };
    DdMcRecord record{pack(at.x, at.y), source(0), 0, ctl | subpel(0) << DD_MC_MX0_SHIFT};
    if constexpr (compound) {
        record.src1 = source(1);
        record.ctl |= subpel(1) << DD_MC_MX1_SHIFT;
    }
    const auto log2 = [](unsigned side) { return static_cast<unsigned>(std::countr_zero(side)); };
    if (at.w == at.h) {
        DdMcRecord *to = mc[log2(at.w) - 2].extend(planes);
        to[0] = record;
        if (planes == 2) {
            record.ctl += 1u << DD_MC_PLANE_SHIFT;
            to[1] = record;
        }
    } else {
        row_of_squares(record, planes, at);
    }
}

[[gnu::noinline]] void Vp9Recorder::row_of_squares(DdMcRecord record, unsigned planes, const Rectangle &at) {
    const unsigned side = std::min(at.w, at.h), side_log2 = static_cast<unsigned>(std::countr_zero(side));
    const unsigned squares = std::max(at.w, at.h) >> side_log2;
    DdMcRecord *to = mc[side_log2 - 2].extend(std::size_t{planes} * squares);
    for (unsigned plane = 0; plane < planes; plane++) {
        DdMcRecord next = record;
        *to++ = next;
        for (unsigned i = 1; i < squares; i++) {
            next = beside(next, at.w > side ? side : 0, at.h > side ? side : 0);
            *to++ = next;
        }
        record.ctl += 1u << DD_MC_PLANE_SHIFT;
    }
}

template <bool compound>
bool Vp9Recorder::put_block(const DdVp9Block &block, const Rectangle &at) {
    std::uint32_t ctl = block.filter << DD_MC_FILTER_SHIFT | block.ref[0] << DD_MC_REF0_SHIFT;
    if constexpr (compound)
        ctl |= block.ref[1] << DD_MC_REF1_SHIFT | DD_MC_COMPOUND;
    std::array<Motion, 2> luma, chroma;
    for (unsigned i = 0; i <= unsigned{compound}; i++) {
        const unsigned ref = block.ref[i];
        if (ref >= DD_MAX_REFS || !has_ref_[ref])
            return false;
        used_refs |= 1u << ref;
        const std::int32_t mv_x = block.mv[i][0], mv_y = block.mv[i][1];
        luma[i] = {mv_x * 2, mv_y * 2};
        chroma[i] = {luma[i].x >> ss_h_, luma[i].y >> ss_v_};
    }
    predictions += compound ? 6 : 3;
    whole_squares<compound>(ctl, 1, at, luma);
    whole_squares<compound>(ctl + (1u << DD_MC_PLANE_SHIFT), 2,
                            {at.x >> ss_h_, at.y >> ss_v_, at.w >> ss_h_, at.h >> ss_v_}, chroma);
    return true;
}

// The structure is read member by member, as it was written: reading several at once makes the CPU wait for the writes. So positions
// have 32 bits in it, for compilers join what is narrower.
bool Vp9Recorder::predict_block(const DdVp9Block &block) {
    // With 16 bits for a vector, in 1/8 pixel, no source is farther away than a record can say.
    static_assert(is_near(kMaxPictureSide * 16 + 2 * INT16_MAX) && is_near(2 * INT16_MIN));
    const Rectangle at = {block.x, block.y, block.w, block.h};
    const auto side_ok = [](unsigned v) { return v <= 64 && v >= 8 && is_power_of_two(v); };
    if (block.filter > 3 || !side_ok(at.w) || !side_ok(at.h) || ((at.x | at.y) & 7) ||
        !in_plane(0, at.x, at.y, at.w, at.h))
        return false;
    return block.compound ? put_block<true>(block, at) : put_block<false>(block, at);
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
                for (unsigned sx = x; sx < x + wide; sx += side)
                    if (!(p.second ? pair_square(p, sx, sy, size_class) : square(p, sx, sy, size_class)))
                        return false;
            x += wide;
        }
        y += tall;
    }
    return true;
}

bool Vp9Recorder::square(const Vp9Prediction &p, unsigned dx, unsigned dy, unsigned size_class) {
    const std::uint32_t ctl = p.filter << DD_MC_FILTER_SHIFT | p.plane << DD_MC_PLANE_SHIFT | p.ref << DD_MC_REF0_SHIFT;
    const std::uint32_t dst = pack(p.x + dx, p.y + dy);
    if (is_unscaled(p)) {
        auto &stream = mc[size_class];
        firsts_.push_back({static_cast<std::uint8_t>(size_class), false, static_cast<std::uint32_t>(stream.size())});
        stream.push_back({dst, pack(static_cast<unsigned>(p.src_x >> 4) + dx, static_cast<unsigned>(p.src_y >> 4) + dy),
                          0, ctl | (p.src_x & 15u) << DD_MC_MX0_SHIFT | (p.src_y & 15u) << DD_MC_MY0_SHIFT});
        return true;
    }
    auto &stream = scaled[size_class];
    firsts_.push_back({static_cast<std::uint8_t>(size_class), true, static_cast<std::uint32_t>(stream.size())});
    stream.push_back({dst, ctl, p.src_x + static_cast<std::int32_t>(dx * p.step_x),
                      p.src_y + static_cast<std::int32_t>(dy * p.step_y), 0, 0, pack(p.step_x, p.step_y),
                      pack(kUnscaledStep, kUnscaledStep)});
    return true;
}

// One reference of the block has the picture's size and the other one hasn't: the scaled kernel serves both, as steps
// of 16 give the same pixels there.
std::uint32_t Vp9Recorder::make_scaled(unsigned size_class, std::uint32_t index) {
    auto &from = mc[size_class];
    const DdMcRecord r = from[index];
    const auto whole_x = static_cast<std::int16_t>(r.src0 & 0xffff), whole_y = static_cast<std::int16_t>(r.src0 >> 16);
    const std::int32_t mx = r.ctl >> DD_MC_MX0_SHIFT & 15, my = r.ctl >> DD_MC_MY0_SHIFT & 15;
    constexpr std::uint32_t subpel = 0xffff;
    // The last record takes the place of the one that leaves; it belongs to this block too.
    const auto last = static_cast<std::uint32_t>(from.size() - 1);
    from[index] = from[last];
    from.pop_back();
    for (Square &s : firsts_)
        if (!s.scaled && s.size_class == size_class && s.index == last)
            s.index = index;
    auto &to = scaled[size_class];
    to.push_back({r.dst, r.ctl & ~subpel, whole_x * 16 + mx, whole_y * 16 + my, 0, 0,
                  pack(kUnscaledStep, kUnscaledStep), pack(kUnscaledStep, kUnscaledStep)});
    return static_cast<std::uint32_t>(to.size() - 1);
}

bool Vp9Recorder::pair_square(const Vp9Prediction &p, unsigned dx, unsigned dy, unsigned size_class) {
    if (next_pair_ >= firsts_.size())
        return false;
    const std::size_t pair = next_pair_++;
    if (firsts_[pair].size_class != size_class)
        return false;
    const std::uint32_t dst = pack(p.x + dx, p.y + dy);
    const std::uint32_t same = p.filter << DD_MC_FILTER_SHIFT | p.plane << DD_MC_PLANE_SHIFT;
    constexpr std::uint32_t same_bits = 3u << DD_MC_FILTER_SHIFT | 3u << DD_MC_PLANE_SHIFT;
    const std::uint32_t more = p.ref << DD_MC_REF1_SHIFT | DD_MC_COMPOUND;
    if (!firsts_[pair].scaled && is_unscaled(p)) {
        DdMcRecord &r = mc[size_class][firsts_[pair].index];
        if (r.dst != dst || (r.ctl & same_bits) != same)
            return false;
        r.src1 = pack(static_cast<unsigned>(p.src_x >> 4) + dx, static_cast<unsigned>(p.src_y >> 4) + dy);
        r.ctl |= more | (p.src_x & 15u) << DD_MC_MX1_SHIFT | (p.src_y & 15u) << DD_MC_MY1_SHIFT;
        return true;
    }
    if (!firsts_[pair].scaled) {
        const std::uint32_t from = firsts_[pair].index;
        firsts_[pair].scaled = true;
        firsts_[pair].index = make_scaled(size_class, from);
    }
    DdScaledMcRecord &r = scaled[size_class][firsts_[pair].index];
    if (r.dst != dst || (r.ctl & same_bits) != same)
        return false;
    r.src1_x = p.src_x + static_cast<std::int32_t>(dx * p.step_x);
    r.src1_y = p.src_y + static_cast<std::int32_t>(dy * p.step_y);
    r.step1 = pack(p.step_x, p.step_y);
    r.ctl |= more;
    return true;
}

} // namespace dd
