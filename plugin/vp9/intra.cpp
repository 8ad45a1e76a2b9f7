// SPDX-License-Identifier: BSD-2-Clause
//
// VP9's intra blocks on their way into the batch: a step for each transform block, with what it may read
// (specification, clause 8.5.1), and its residual.
#include "vp9/batch.h"
#include "vp9/coefficient_moves.h"
#include "vp9/range.h"

#include <algorithm>

namespace dd {
namespace {

static_assert(DD_INTRA_V == unsigned{DD_VP9_INTRA_V} && DD_INTRA_TM == unsigned{DD_VP9_INTRA_TM});

// A quarter of a GiB.
constexpr std::uint32_t kMostResidualWords = 1 << 26;
constexpr unsigned kMostSteps = 16 * 16; // of a plane of a superblock

using Levels = Vp9IntraLevels;

// What a mode reads, as far as it is there, and the transform that luma has with it (clauses 8.5.1 and 8.7.2).
struct Mode {
    std::uint8_t reads;
    std::uint8_t transform;
};
constexpr std::array<Mode, DD_INTRA_MODES> kModes = [] {
    constexpr std::uint8_t columns = DD_INTRA_ITX_ADST_COLUMNS, rows = DD_INTRA_ITX_ADST_ROWS, both = columns | rows;
    constexpr std::uint8_t all = Levels::kAbove | Levels::kLeft | Levels::kCorner;
    std::array<Mode, DD_INTRA_MODES> modes{};
    modes[DD_INTRA_V] = {Levels::kAbove, columns};
    modes[DD_INTRA_H] = {Levels::kLeft, rows};
    modes[DD_INTRA_DC] = {Levels::kAbove | Levels::kLeft, 0};
    modes[DD_INTRA_D45] = {Levels::kAbove | Levels::kAboveRight, 0};
    modes[DD_INTRA_D135] = {all, both};
    modes[DD_INTRA_D117] = {all, columns};
    modes[DD_INTRA_D153] = {all, rows};
    modes[DD_INTRA_D63] = {Levels::kAbove | Levels::kAboveRight, columns};
    modes[DD_INTRA_D207] = {Levels::kLeft, rows};
    modes[DD_INTRA_TM] = {all, both};
    return modes;
}();

// The corner that has the first `eob` positions of the scan that belongs to the transform: a transform with one ADST
// has a scan of its own.
template <unsigned size>
unsigned corner_of_scan(unsigned transform, unsigned eob) {
    if constexpr (size == 1 || size == 2) {
        constexpr unsigned rows[] = {6, 5, 17}, columns[] = {8, 6, 22};
        const unsigned *last = transform == DD_INTRA_ITX_ADST_ROWS ? rows : columns;
        if (transform == DD_INTRA_ITX_ADST_ROWS || transform == DD_INTRA_ITX_ADST_COLUMNS)
            return size == 1 ? (eob <= last[0] ? 1 : 2) : eob <= last[1] ? 1 : eob <= last[2] ? 2 : 3;
    }
    return std::max(1u, corner_of<size>(eob));
}

} // namespace

// Luma or chroma of a block. Places are in 4x4 blocks.
struct Vp9Recorder::IntraShare {
    unsigned x4, y4, w4, h4;
    bool has_left;
    bool whole; // all transform blocks lie in the picture
};

template <unsigned size>
bool Vp9Recorder::intra_share(const DdVp9IntraBlock &block, unsigned plane, IntraShare &share) const {
    constexpr unsigned n4 = 1u << size;
    const DdVp9Residuals &r = block.residuals;
    const unsigned ss_h = plane ? ss_h_ : 0, ss_v = plane ? ss_v_ : 0;
    share = {r.x / 4 >> ss_h, r.y / 4 >> ss_v, r.w4 >> ss_h, r.h4 >> ss_v, block.has_left != 0, false};
    const unsigned w4 = (share.w4 + n4 - 1) & ~(n4 - 1), h4 = (share.h4 + n4 - 1) & ~(n4 - 1);
    share.whole = share.x4 + w4 <= end_[plane][0] && share.y4 + h4 <= end_[plane][1];
    return inside(plane, vp9_pack(4 * share.x4, 4 * share.y4), vp9_pack(4 * w4, 4 * h4));
}

// The step of the transform block at (x4, y4) of the share, but for its residual.
template <unsigned size>
[[gnu::always_inline]] inline void Vp9Recorder::fill_intra_step(const IntraShare &s, unsigned plane, unsigned x4,
                                                                unsigned y4, unsigned mode, Vp9IntraStep &step) {
    constexpr unsigned n4 = 1u << size;
    const unsigned x = s.x4 + x4, y = s.y4 + y4;
    unsigned above = n4, left = n4;
    unsigned there = (s.has_left || x4 ? Levels::kLeft : 0) | (y ? Levels::kAbove : 0);
    std::uint32_t how = mode << DD_INTRA_MODE_SHIFT | size << DD_INTRA_SIZE_SHIFT;
    how |= there & Levels::kLeft ? DD_INTRA_HAS_LEFT : 0;
    how |= there & Levels::kAbove ? DD_INTRA_HAS_ABOVE : 0;
    if (there == (Levels::kLeft | Levels::kAbove))
        there |= Levels::kCorner;
    if (!s.whole) [[unlikely]] {
        above = std::min(above, end_[plane][0] - x);
        left = std::min(left, end_[plane][1] - y);
    }
    if (n4 == 1 && x4 + 1 < s.w4 && y) {
        there |= Levels::kAboveRight;
        above += kModes[mode].reads & Levels::kAboveRight ? 1 : 0;
    }
    step.record.dst = vp9_pack(4 * x, 4 * y) | plane;
    step.record.residual = step.record.residual_v = 0;
    step.record.how = how | (above - 1) << DD_INTRA_LAST_ABOVE_SHIFT | (left - 1) << DD_INTRA_LAST_LEFT_SHIFT;
    step.level = levels_.put<n4>(plane, x, y, kModes[mode].reads & there);
    intra_levels[plane] = std::max(intra_levels[plane], step.level);
}

// Returns false where the block is out of range.
template <typename T, unsigned size, unsigned corner>
bool Vp9Recorder::put_intra_corner(std::uint32_t how, T *from) {
    constexpr unsigned side = corner_size(corner);
    std::uint32_t *to = coefs.end();
    how |= corner;
    if (!move_corner<T, side>(from, 4u << size, side, reinterpret_cast<T *>(to)).within(harmless_[size]) &&
        !vp9_intra_residual_in_range(size, how, bit_depth_, to, side)) {
        out_of_range_ = true;
        return false;
    }
    intra_itx[size].push_back({static_cast<std::uint32_t>(coefs.size()), intra_words, how});
    coefs.keep(to + corner_words(corner, sizeof(T) / 2));
    return true;
}

// There is capacity in `coefs`.
template <typename T, unsigned size>
bool Vp9Recorder::put_intra_residual(std::uint32_t transform, unsigned eob, T *from, std::uint32_t &residual) {
    constexpr unsigned n = 4u << size;
    if (eob > n * n)
        return false;
    const unsigned corner = corner_of_scan<size>(transform, eob);
    residual = intra_words;
    bool put = false;
    if (corner == 1)
        put = put_intra_corner<T, size, 1>(transform, from);
    if constexpr (size >= 1)
        if (corner == 2)
            put = put_intra_corner<T, size, 2>(transform, from);
    if constexpr (size >= 2)
        if (corner == 3)
            put = put_intra_corner<T, size, 3>(transform, from);
    if constexpr (size >= 3)
        if (corner == 4)
            put = put_intra_corner<T, size, 4>(transform, from);
    intra_words += n * n / 2;
    return put;
}

// U and V have everything in common but their residuals.
template <typename T, unsigned size, bool chroma>
bool Vp9Recorder::put_intra_planes(const DdVp9IntraBlock &block) {
    constexpr unsigned n4 = 1u << size, first = chroma;
    IntraShare s;
    if (!intra_share<size>(block, first, s))
        return false;
    const DdVp9Residuals &r = block.residuals;
    std::size_t place = 0; // 4x4 blocks before this one
    Vp9IntraStep *step = intra.reserve(kMostSteps);
    for (unsigned y = 0; y < s.h4; y += n4)
        for (unsigned x = 0; x < s.w4; x += n4, step++, place += n4 * n4) {
            const unsigned mode = chroma ? block.chroma_mode : block.mode[block.quarters ? y * 2 + x : 0];
            fill_intra_step<size>(s, first, x, y, mode, *step);
            const std::uint32_t transform = chroma || size == 3 ? 0 : kModes[mode].transform;
            const auto put = [&](unsigned plane, std::uint32_t flag, std::uint32_t &residual) {
                if (!r.coefs[plane])
                    return true;
                const unsigned eob = read_eob<size>(static_cast<const std::uint8_t *>(r.eobs[plane]) + place);
                if (!eob)
                    return true;
                step->record.how |= flag;
                return put_intra_residual<T, size>(transform, eob, static_cast<T *>(r.coefs[plane]) + 16 * place,
                                                   residual);
            };
            if (!put(first, DD_INTRA_HAS_RESIDUAL, step->record.residual) ||
                (chroma && !put(2, DD_INTRA_HAS_RESIDUAL_V, step->record.residual_v)))
                return false;
        }
    intra.keep(step);
    return true;
}

template <typename T>
bool Vp9Recorder::put_intra(const DdVp9IntraBlock &block) {
    if (intra_words > kMostResidualWords || coefs.size() > UINT32_MAX / 16)
        return false;
    coefs.reserve(3 * kMostSteps * 4 * sizeof(T));
    levels_.prepare();
    constexpr std::array luma = {
        &Vp9Recorder::put_intra_planes<T, 0, false>, &Vp9Recorder::put_intra_planes<T, 1, false>,
        &Vp9Recorder::put_intra_planes<T, 2, false>, &Vp9Recorder::put_intra_planes<T, 3, false>};
    constexpr std::array chroma = {
        &Vp9Recorder::put_intra_planes<T, 0, true>, &Vp9Recorder::put_intra_planes<T, 1, true>,
        &Vp9Recorder::put_intra_planes<T, 2, true>, &Vp9Recorder::put_intra_planes<T, 3, true>};
    return (this->*luma[block.residuals.kind[0]])(block) && (this->*chroma[block.residuals.kind[1]])(block);
}

// Says whether a block is one that the picture and the format allow.
bool Vp9Recorder::allowed(const DdVp9IntraBlock &block) const {
    const DdVp9Residuals &r = block.residuals;
    const auto [columns, rows] = end_[0];
    if (r.x >= kMaxPictureSide || r.y >= kMaxPictureSide || (r.x | r.y) & 7 || r.x / 4 >= columns || r.y / 4 >= rows)
        return false;
    const bool size = r.w4 >= 1 && r.w4 <= std::min(16u, columns - r.x / 4) && r.h4 >= 1 &&
                      r.h4 <= std::min(16u, rows - r.y / 4) && r.kind[0] < DD_INTRA_SIZES && r.kind[1] < DD_INTRA_SIZES;
    const bool quarters = !block.quarters || (r.w4 <= 2 && r.h4 <= 2 && r.kind[0] == 0);
    unsigned highest = block.chroma_mode;
    for (const std::uint8_t mode : block.mode)
        highest = std::max<unsigned>(highest, mode);
    bool eobs = true;
    for (unsigned p = 0; p < 3; p++)
        eobs &= !r.coefs[p] || r.eobs[p];
    return size && quarters && highest < DD_INTRA_MODES && eobs && !(block.has_left && !r.x);
}

bool Vp9Recorder::intra_block(const DdVp9IntraBlock &block) {
    if (!allowed(block))
        return false;
    return bytes_per_pixel_ == 1 ? put_intra<std::int16_t>(block) : put_intra<std::int32_t>(block);
}

} // namespace dd
