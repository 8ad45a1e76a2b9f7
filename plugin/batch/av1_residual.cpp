// SPDX-License-Identifier: BSD-2-Clause
#include "batch/av1_residual.h"
#include "batch/av1_range.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

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

std::uint32_t shape_bits(const Av1Shape &s, const Av1Corner &corner) {
    if (!corner.cols)
        return log2_of(s.w) << DD_AV1_ITX_W_SHIFT | log2_of(s.h) << DD_AV1_ITX_H_SHIFT | DD_AV1_ITX_DC_ALONE;
    return log2_of(s.w) << DD_AV1_ITX_W_SHIFT | log2_of(s.h) << DD_AV1_ITX_H_SHIFT |
           corner.cols << DD_AV1_ITX_COLS_SHIFT | corner.rows << DD_AV1_ITX_ROWS_SHIFT |
           static_cast<std::uint32_t>(s.horizontal) << DD_AV1_ITX_KIND_H_SHIFT |
           static_cast<std::uint32_t>(s.vertical) << DD_AV1_ITX_KIND_V_SHIFT | (s.flip_h ? DD_AV1_ITX_FLIP_H : 0) |
           (s.flip_v ? DD_AV1_ITX_FLIP_V : 0) | s.shift << DD_AV1_ITX_ROUND_SHIFT | (s.rect() ? DD_AV1_ITX_RECT : 0);
}

std::unordered_map<std::uint32_t, Av1CodedShape> make_shapes() {
    std::unordered_map<std::uint32_t, Av1CodedShape> shapes;
    for (unsigned size = 0; size < kAv1TxSizes; size++)
        for (unsigned type = 0; type < kAv1TxTypes; type++) {
            const Av1Shape shape = av1_shape(size, type);
            if (!shape.valid)
                continue;
            if (type == 0)
                shapes.emplace(shape_bits(shape, {}), Av1CodedShape{size, type, {}});
            const unsigned cols = log2_of(std::min(shape.w, kMostCoded)), rows = log2_of(std::min(shape.h, kMostCoded));
            for (unsigned w = 2; w <= cols; w++)
                for (unsigned h = 2; h <= rows; h++)
                    shapes.emplace(shape_bits(shape, {w, h}), Av1CodedShape{size, type, {w, h}});
        }
    return shapes;
}

template <typename T>
std::uint64_t magnitudes(const T *coefs, unsigned cols, unsigned rows, unsigned stride) {
    std::uint64_t sum = 0;
    for (unsigned column = 0; column < cols; column++) {
        std::uint32_t part = 0; // of 32 values of at most 20 bits
        for (unsigned row = 0; row < rows; row++)
            part += static_cast<std::uint32_t>(std::abs(std::int32_t{coefs[column * stride + row]}));
        sum += part;
    }
    return sum;
}

// Coefficients of 16 bits are copied as they lie in memory: two a word, the first one low.
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

Av1Corner av1_corner(unsigned size, unsigned type, unsigned eob) {
    static const CornerTable corners = make_corners();
    const Av1Shape shape = av1_shape(size, type);
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

std::optional<Av1CodedShape> av1_shape_of_bits(std::uint32_t bits) {
    static const auto shapes = make_shapes();
    const auto found = shapes.find(bits);
    return found == shapes.end() ? std::nullopt : std::optional(found->second);
}

int av1_dc_residual(unsigned size, int dc) {
    const Av1Shape shape = av1_shape(size, 0);
    const auto half_turn = [](int v) { return (v * 181 + 128) >> 8; };
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
    count = 0;
    dst_ = dst;
}

Av1ItxBin &Av1Residuals::bin_of(unsigned size, unsigned type, const Av1Shape &shape, const Av1Corner &corner) {
    const unsigned number = corner.cols ? (corner.cols - 2) * 4 + corner.rows - 2 : kCorners - 1;
    std::uint16_t &at = bin_at_[(size * kAv1TxTypes + type) * kCorners + number];
    if (at == kNoBin) {
        at = static_cast<std::uint16_t>(bins.size());
        bins.push_back({shape_bits(shape, corner), {}});
    }
    return bins[at];
}

Av1Recorded Av1Residuals::add(const DdAv1Residual &r) {
    const Av1Shape shape = av1_shape(r.size, r.type);
    if (!shape.valid || r.plane >= dst_.format.planes || r.x & 3 || r.y & 3 || !r.coefs ||
        r.eob >= std::min(shape.w, kMostCoded) * std::min(shape.h, kMostCoded))
        return Av1Recorded::invalid;
    const PlaneLayout &plane = dst_.plane[r.plane];
    if (r.x >= plane.padded_width || r.y >= plane.padded_height || shape.w > plane.padded_width - r.x ||
        shape.h > plane.padded_height - r.y)
        return Av1Recorded::invalid;
    const std::uint32_t dst = (std::uint32_t{r.x} | r.plane) | std::uint32_t{r.y} << 16;
    const bool narrow = dst_.format.bit_depth == 8;
    const auto *coefs16 = static_cast<const std::int16_t *>(r.coefs);
    const auto *coefs32 = static_cast<const std::int32_t *>(r.coefs);
    if (r.eob == 0 && r.type == 0) {
        const int residual = av1_dc_residual(r.size, narrow ? coefs16[0] : coefs32[0]);
        bin_of(r.size, r.type, shape, {}).records.push_back({dst, static_cast<std::uint32_t>(residual)});
        count++;
        return Av1Recorded::ok;
    }
    const Av1Corner corner = av1_corner(r.size, r.type, r.eob);
    const unsigned cols = 1u << corner.cols, rows = 1u << corner.rows, stride = std::min(shape.h, kMostCoded);
    const std::uint64_t sum =
        narrow ? magnitudes(coefs16, cols, rows, stride) : magnitudes(coefs32, cols, rows, stride);
    if (!av1_residual_in_range(shape, corner, dst_.format.bit_depth, sum, r.coefs, stride))
        return Av1Recorded::out_of_range;
    const std::size_t first = coefs.size(), bytes = narrow ? 2 : 4;
    auto *to = reinterpret_cast<std::byte *>(coefs.extend(cols * rows * bytes / 4));
    for (unsigned column = 0; column < cols; column++)
        std::memcpy(to + column * rows * bytes, static_cast<const std::byte *>(r.coefs) + column * stride * bytes,
                    rows * bytes);
    bin_of(r.size, r.type, shape, corner).records.push_back({dst, static_cast<std::uint32_t>(first)});
    count++;
    return Av1Recorded::ok;
}

} // namespace dd
