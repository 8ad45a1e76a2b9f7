// SPDX-License-Identifier: BSD-2-Clause
#include "av1/residual.h"
#include "av1/range.h"

#include <algorithm>
#include <bit>

namespace dd {
namespace {

struct Size {
    std::uint8_t w, h, shift;
};
// In the order of the enumeration of clause 6.10.19: squares, one to two, one to four.
constexpr std::array<Size, kAv1TxSizes> kSizes = {{{4, 4, 0},
                                                   {8, 8, 1},
                                                   {16, 16, 2},
                                                   {32, 32, 2},
                                                   {64, 64, 2},
                                                   {4, 8, 0},
                                                   {8, 4, 0},
                                                   {8, 16, 1},
                                                   {16, 8, 1},
                                                   {16, 32, 1},
                                                   {32, 16, 1},
                                                   {32, 64, 1},
                                                   {64, 32, 1},
                                                   {4, 16, 1},
                                                   {16, 4, 1},
                                                   {8, 32, 2},
                                                   {32, 8, 2},
                                                   {16, 64, 2},
                                                   {64, 16, 2}}};

struct Direction {
    Av1Kind kind;
    bool flip;
};
constexpr Direction kDct{Av1Kind::dct, false}, kAdst{Av1Kind::adst, false}, kFlipAdst{Av1Kind::adst, true},
    kIdentity{Av1Kind::identity, false}, kWht{Av1Kind::wht, false};
struct Type {
    Direction vertical, horizontal;
};
// Clause 6.10.19; the last one is lossless.
constexpr std::array<Type, kAv1TxTypes> kTypes = {{{kDct, kDct},
                                                   {kAdst, kDct},
                                                   {kDct, kAdst},
                                                   {kAdst, kAdst},
                                                   {kFlipAdst, kDct},
                                                   {kDct, kFlipAdst},
                                                   {kFlipAdst, kFlipAdst},
                                                   {kAdst, kFlipAdst},
                                                   {kFlipAdst, kAdst},
                                                   {kIdentity, kIdentity},
                                                   {kDct, kIdentity},
                                                   {kIdentity, kDct},
                                                   {kAdst, kIdentity},
                                                   {kIdentity, kAdst},
                                                   {kFlipAdst, kIdentity},
                                                   {kIdentity, kFlipAdst},
                                                   {kWht, kWht}}};

constexpr unsigned kMostCoded = 32; // pixels of a side that have coefficients

// The sets of clause 5.11.48.
bool is_valid(const Size &s, unsigned size, const Type &t) {
    const unsigned longer = std::max(s.w, s.h), shorter = std::min(s.w, s.h);
    const Av1Kind v = t.vertical.kind, h = t.horizontal.kind;
    if (v == Av1Kind::wht)
        return size == 0;
    if (longer == 64)
        return v == Av1Kind::dct && h == Av1Kind::dct;
    if (longer == 32)
        return v == h && v != Av1Kind::adst;
    const bool adst_and_identity = v != h && v != Av1Kind::dct && h != Av1Kind::dct;
    return shorter < 16 || !adst_and_identity;
}

unsigned log2_of(unsigned side) {
    return static_cast<unsigned>(std::bit_width(std::max(side, 4u) - 1));
}

// Diagonals of w x h values that the scan enters up to index `eob`.
unsigned diagonals(unsigned w, unsigned h, unsigned eob) {
    unsigned before = 0, d = 0;
    while (before <= eob) {
        const unsigned first = d < h ? 0 : d - h + 1, last = std::min(d, w - 1);
        before += last - first + 1;
        d++;
    }
    return d;
}

using CornerTable = std::array<std::array<std::uint8_t, kMostCoded * kMostCoded>, kAv1TxSizes>;

// Two-dimensional types: by size and end of block.
CornerTable make_corners() {
    CornerTable table{};
    for (unsigned size = 0; size < kAv1TxSizes; size++) {
        const unsigned w = std::min<unsigned>(kSizes[size].w, kMostCoded);
        const unsigned h = std::min<unsigned>(kSizes[size].h, kMostCoded);
        for (unsigned eob = 0; eob < w * h; eob++) {
            const unsigned d = diagonals(w, h, eob);
            table[size][eob] = static_cast<std::uint8_t>(log2_of(std::min(d, w)) << 4 | log2_of(std::min(d, h)));
        }
    }
    return table;
}

template <typename T>
Magnitudes<T> move_any_corner(T *from, unsigned stride, const Av1Corner &corner, T *to) {
    const unsigned cols = 1u << corner.cols;
    switch (corner.rows) {
    case 2:
        return move_corner<T, 4>(from, stride, cols, to);
    case 3:
        return move_corner<T, 8>(from, stride, cols, to);
    case 4:
        return move_corner<T, 16>(from, stride, cols, to);
    default:
        return move_corner<T, 32>(from, stride, cols, to);
    }
}

bool is_dc_alone(const DdAv1Residual &r) {
    return r.eob == 0 && r.type == 0;
}

// Coefficients of 16 bits are moved as they lie in memory: two a word, the first one low.
static_assert(std::endian::native == std::endian::little);

} // namespace

Av1Shape av1_shape(unsigned size, unsigned type) {
    if (size >= kAv1TxSizes || type >= kAv1TxTypes)
        return {};
    const Size &s = kSizes[size];
    const Type &t = kTypes[type];
    const bool lossless = t.vertical.kind == Av1Kind::wht;
    return {s.w,
            s.h,
            t.horizontal.kind,
            t.vertical.kind,
            t.horizontal.flip,
            t.vertical.flip,
            lossless ? 0u : s.shift,
            is_valid(s, size, t)};
}

Av1Corner av1_corner(const Av1Shape &shape, unsigned size, unsigned eob) {
    static const CornerTable corners = make_corners();
    const unsigned w = std::min(shape.w, kMostCoded), h = std::min(shape.h, kMostCoded);
    const bool only_h = shape.vertical == Av1Kind::identity && shape.horizontal != Av1Kind::identity;
    const bool only_v = shape.horizontal == Av1Kind::identity && shape.vertical != Av1Kind::identity;
    if (only_h) // column after column
        return {log2_of(eob / h + 1), log2_of(h)};
    if (only_v) // row after row
        return {log2_of(w), log2_of(eob / w + 1)};
    const unsigned corner = corners[size][eob];
    return {corner >> 4, corner & 15};
}

Av1Corner av1_corner(unsigned size, unsigned type, unsigned eob) {
    return av1_corner(av1_shape(size, type), size, eob);
}

std::uint32_t av1_shape_bits(const Av1Shape &s, const Av1Corner &corner) {
    if (!corner.cols)
        return log2_of(s.w) << DD_AV1_ITX_W_SHIFT | log2_of(s.h) << DD_AV1_ITX_H_SHIFT | DD_AV1_ITX_DC_ALONE;
    return log2_of(s.w) << DD_AV1_ITX_W_SHIFT | log2_of(s.h) << DD_AV1_ITX_H_SHIFT |
           corner.cols << DD_AV1_ITX_COLS_SHIFT | corner.rows << DD_AV1_ITX_ROWS_SHIFT |
           static_cast<std::uint32_t>(s.horizontal) << DD_AV1_ITX_KIND_H_SHIFT |
           static_cast<std::uint32_t>(s.vertical) << DD_AV1_ITX_KIND_V_SHIFT | (s.flip_h ? DD_AV1_ITX_FLIP_H : 0) |
           (s.flip_v ? DD_AV1_ITX_FLIP_V : 0) | s.shift << DD_AV1_ITX_ROUND_SHIFT | (s.rect() ? DD_AV1_ITX_RECT : 0);
}

int av1_dc_residual(unsigned size, int dc) {
    return av1_dc_residual(av1_shape(size, 0), dc);
}

int av1_dc_residual(const Av1Shape &shape, int dc) {
    // A caller's coefficient may have all 32 bits. Parsers clip it to 8 bits more than a sample has.
    const auto half_turn = [](int v) { return static_cast<int>((std::int64_t{v} * 181 + 128) >> 8); };
    if (shape.rect())
        dc = half_turn(dc);
    dc = (half_turn(dc) + (1 << shape.shift >> 1)) >> shape.shift;
    return (half_turn(dc) + 8) >> 4;
}

Av1Residuals::Av1Residuals() : bin_at_(kAv1TxSizes * kAv1TxTypes * kCorners, std::uint16_t{kNoBin}) {}

void Av1Residuals::reset(const PictureLayout &dst) {
    for (Av1ItxBin &bin : bins)
        bin.records.clear();
    coefs.clear();
    taken_.clear();
    count = 0;
    dst_ = dst;
    if (dst.format.bit_depth && limits_depth_ != dst.format.bit_depth) {
        limits_depth_ = dst.format.bit_depth;
        limits_ = make_limits(limits_depth_);
    }
}

Av1ItxBin &Av1Residuals::bin_of(unsigned size, unsigned type, const Av1Shape &shape, const Av1Corner &corner) {
    const unsigned number = corner.cols ? (corner.cols - 2) * 4 + corner.rows - 2 : kCorners - 1;
    std::uint16_t &at = bin_at_[(size * kAv1TxTypes + type) * kCorners + number];
    if (at == kNoBin) {
        at = static_cast<std::uint16_t>(bins.size());
        bins.push_back({av1_shape_bits(shape, corner), {}});
    }
    return bins[at];
}

Av1Residuals::LimitsTable Av1Residuals::make_limits(unsigned bit_depth) {
    LimitsTable table;
    for (unsigned size = 0; size < kAv1TxSizes; size++)
        for (unsigned type = 0; type < kAv1TxTypes; type++) {
            const Av1Shape shape = av1_shape(size, type);
            if (shape.valid)
                table[size][type] = {shape, std::min(shape.w, kMostCoded) * std::min(shape.h, kMostCoded),
                                     harmless_sum(av1_harmless_sum(shape, bit_depth), bit_depth)};
        }
    return table;
}

void Av1Residuals::note_taken(void *home, std::uint32_t first, const Av1Corner &corner, unsigned stride) {
    Taken &taken = *taken_.extend(1);
    taken.home = home;
    taken.coefs = first;
    taken.cols = static_cast<std::uint8_t>(corner.cols);
    taken.rows = static_cast<std::uint8_t>(corner.rows);
    taken.stride = static_cast<std::uint8_t>(stride);
}

// What each pixel gets of a DC coefficient alone.
template <typename T>
std::uint32_t Av1Residuals::take_dc(const DdAv1Residual &r, const Limits &limits) {
    T *const from = static_cast<T *>(r.coefs);
    const std::int32_t dc = *from;
    note_taken(r.home ? r.home : from, static_cast<std::uint32_t>(dc), {}, 0);
    *from = 0;
    count++;
    return static_cast<std::uint32_t>(av1_dc_residual(limits.shape, dc));
}

template <typename T>
Av1Recorded Av1Residuals::take(const DdAv1Residual &r, const Limits &limits, std::uint32_t dst) {
    T *const from = static_cast<T *>(r.coefs);
    void *const home = r.home ? r.home : r.coefs;
    const Av1Corner corner = av1_corner(limits.shape, r.size, r.eob);
    const unsigned stride = std::min(limits.shape.h, kMostCoded), values = 1u << (corner.cols + corner.rows);
    const auto first = static_cast<std::uint32_t>(coefs.size());
    T *const to = reinterpret_cast<T *>(coefs.extend(values * sizeof(T) / 4));
    note_taken(home, first, corner, stride);
    Av1ItxBin &bin = bin_of(r.size, r.type, limits.shape, corner);
    if (!move_any_corner(from, stride, corner, to).within(limits.harmless) &&
        !av1_residual_in_range(limits.shape, corner, dst_.format.bit_depth, to)) {
        taken_.back().home = from; // a refused caller keeps them
        give_back<T>(taken_.back());
        taken_.pop_back();
        coefs.keep(coefs.data() + first);
        return Av1Recorded::out_of_range;
    }
    DdAv1ItxRecord &record = *bin.records.extend(1);
    record.dst = dst;
    record.coefs = first;
    count++;
    return Av1Recorded::ok;
}

const Av1Residuals::Limits *Av1Residuals::limits_of(const DdAv1Residual &r) const {
    if (r.size >= kAv1TxSizes || r.type >= kAv1TxTypes || !r.coefs || coefs.size() > UINT32_MAX / 8)
        return nullptr;
    const Limits &limits = limits_[r.size][r.type];
    return r.eob < limits.coded ? &limits : nullptr;
}

Av1Recorded Av1Residuals::take(const DdAv1Residual &r) {
    const Limits *const allowed = limits_of(r);
    if (!allowed || r.plane >= dst_.format.planes || (r.x | r.y) & 3)
        return Av1Recorded::invalid;
    const Limits &limits = *allowed;
    const PlaneLayout &plane = dst_.plane[r.plane];
    if (r.x + limits.shape.w > plane.padded_width || r.y + limits.shape.h > plane.padded_height)
        return Av1Recorded::invalid;
    const std::uint32_t dst = (std::uint32_t{r.x} | r.plane) | std::uint32_t{r.y} << 16;
    const bool wide = dst_.format.bit_depth > 8;
    if (is_dc_alone(r)) {
        DdAv1ItxRecord &record = *bin_of(r.size, r.type, limits.shape, {}).records.extend(1);
        record.dst = dst;
        record.coefs = wide ? take_dc<std::int32_t>(r, limits) : take_dc<std::int16_t>(r, limits);
        return Av1Recorded::ok;
    }
    return wide ? take<std::int32_t>(r, limits, dst) : take<std::int16_t>(r, limits, dst);
}

template <typename T>
void Av1Residuals::give_back(const Taken &one) const {
    auto *to = static_cast<T *>(one.home);
    if (!one.cols) {
        *to = static_cast<T>(one.coefs);
        return;
    }
    const auto *from = reinterpret_cast<const T *>(coefs.data() + one.coefs);
    const unsigned rows = 1u << one.rows;
    for (unsigned column = 0; column < 1u << one.cols; column++)
        std::copy_n(from + column * rows, rows, to + column * one.stride);
}

void Av1Residuals::give_back() {
    for (const Taken &one : taken_)
        dst_.format.bit_depth == 8 ? give_back<std::int16_t>(one) : give_back<std::int32_t>(one);
    taken_.clear();
}

} // namespace dd
