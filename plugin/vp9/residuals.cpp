// SPDX-License-Identifier: BSD-2-Clause
//
// Residuals of VP9's inter blocks on their way from the decoder's buffers into the batch.
#include "daedalus/daedalus.h"
#include "vp9/batch.h"
#include "vp9/coefficient_moves.h"
#include "vp9/range.h"

#include <algorithm>
#include <cstring>

namespace dd {
namespace {

constexpr unsigned kMostPlaces = 16 * 16; // of 4x4 blocks in a superblock

} // namespace

unsigned itx_corner(unsigned kind, unsigned eob) {
    switch (kind) {
    case 0:
        return corner_of<0>(eob);
    case 1:
        return corner_of<1>(eob);
    case 2:
        return corner_of<2>(eob);
    case 3:
        return corner_of<3>(eob);
    default:
        return corner_of<DD_ITX_WHT>(eob);
    }
}

std::size_t Vp9Recorder::residuals() const {
    std::size_t all = 0;
    for (const auto &kind : itx)
        for (const auto &stream : kind)
            all += stream.size();
    for (const auto &stream : intra_itx)
        all += stream.size();
    return all;
}

void Vp9Recorder::prepare_ranges() {
    for (unsigned kind = 0; kind < DD_ITX_KINDS; kind++)
        harmless_[kind] = harmless_sum(vp9_harmless_sum(kind, bit_depth_), bit_depth_);
}

// What takes residuals calls nothing but as its last step, so that all fits into registers.

// The coefficients at the end of `coefs` aren't harmless for certain, or there is no capacity for the record.
template <typename T, unsigned kind, unsigned corner>
[[gnu::noinline]] bool Vp9Recorder::take_doubtful(unsigned plane, std::uint32_t at) {
    std::uint32_t *coefficients = coefs.end();
    if (!vp9_residual_in_range(kind, corner, bit_depth_, coefficients, std::max(corner_size(corner), 1u))) {
        out_of_range_ = true;
        return false;
    }
    auto value = static_cast<std::uint32_t>(coefs.size());
    if (corner == 0) {
        T dc;
        std::memcpy(&dc, coefficients, sizeof(dc));
        value = static_cast<std::uint32_t>(std::int32_t{dc});
    }
    itx[kind][corner].push_back({at | plane, value});
    coefs.keep(coefficients + corner_words(corner, sizeof(T) / 2));
    return true;
}

// There is capacity in `coefs`. False: out of range.
template <typename T, unsigned kind, unsigned corner>
bool Vp9Recorder::take_corner(unsigned plane, std::uint32_t at, T *from) {
    std::uint32_t *to = coefs.end();
    auto &stream = itx[kind][corner];
    T dc = 0;
    bool simple = stream.has_capacity(1);
    if constexpr (corner == 0) {
        dc = *from;
        *from = 0;
        simple &= sizeof(T) == 2;
    } else {
        simple &=
            move_corner<T, corner_size(corner)>(from, itx_size(kind), corner_size(corner), reinterpret_cast<T *>(to))
                .within(harmless_[kind]);
    }
    if (!simple) [[unlikely]] {
        if constexpr (corner == 0)
            std::memcpy(to, &dc, sizeof(dc));
        return take_doubtful<T, kind, corner>(plane, at);
    }
    DdItxRecord *record = stream.end();
    *record = {at | plane,
               corner ? static_cast<std::uint32_t>(coefs.size()) : static_cast<std::uint32_t>(std::int32_t{dc})};
    stream.keep(record + 1);
    coefs.keep(to + corner_words(corner, sizeof(T) / 2));
    return true;
}

template <typename T, unsigned kind>
[[gnu::always_inline]] inline bool Vp9Recorder::take(unsigned plane, std::uint32_t at, unsigned eob, T *from) {
    constexpr unsigned n = itx_size(kind);
    const unsigned corner = corner_of<kind>(eob);
    if (kind != DD_ITX_WHT && corner == 0)
        return take_corner<T, kind, 0>(plane, at, from);
    if constexpr (n >= 8)
        if (corner == 2)
            return take_corner<T, kind, 2>(plane, at, from);
    if constexpr (n >= 16)
        if (corner == 3)
            return take_corner<T, kind, 3>(plane, at, from);
    if constexpr (n >= 32)
        if (corner == 4)
            return take_corner<T, kind, 4>(plane, at, from);
    return take_corner<T, kind, 1>(plane, at, from);
}

template <typename T, unsigned kind>
[[gnu::noinline]] bool Vp9Recorder::take_rows(unsigned plane, std::uint32_t at, std::uint32_t size,
                                              const std::uint8_t *eobs, T *from) {
    constexpr unsigned n = itx_size(kind), step = n / 4;
    const unsigned w4 = size & 0xffff, h4 = size >> 16;
    for (unsigned y = 0; y < h4; y += step)
        for (unsigned x = 0; x < w4; x += step, eobs += step * step, from += n * n) {
            const unsigned eob = read_eob<kind>(eobs);
            if (eob && (eob > n * n || !take<T, kind>(plane, at + vp9_pack(4 * x, 4 * y), eob, from)))
                return false;
        }
    return true;
}

// Nearly always a single transform.
template <typename T, unsigned kind>
bool Vp9Recorder::take_plane(unsigned plane, std::uint32_t at, std::uint32_t size, const void *eobs,
                             void *coefficients) {
    constexpr unsigned n = itx_size(kind), step = n / 4;
    constexpr std::uint32_t round = vp9_pack(step - 1, step - 1);
    const std::uint32_t whole = (size + round) & ~round;
    if (!inside(plane, at, whole * 4))
        return false;
    if (!coefs.has_capacity(kMostPlaces * 4 * sizeof(T))) [[unlikely]]
        return take_plane_growing<T, kind>(plane, at, size, eobs, coefficients);
    const auto *counts = static_cast<const std::uint8_t *>(eobs);
    auto *from = static_cast<T *>(coefficients);
    if (whole != vp9_pack(step, step))
        return take_rows<T, kind>(plane, at, size, counts, from);
    const unsigned eob = read_eob<kind>(counts);
    return !eob || (eob <= n * n && take<T, kind>(plane, at, eob, from));
}

template <typename T, unsigned kind>
[[gnu::noinline]] bool Vp9Recorder::take_plane_growing(unsigned plane, std::uint32_t at, std::uint32_t size,
                                                       const void *eobs, void *coefficients) {
    if (coefs.size() > UINT32_MAX / 16)
        return false;
    coefs.reserve(kMostPlaces * 4 * sizeof(T));
    return take_plane<T, kind>(plane, at, size, eobs, coefficients);
}

template <typename T>
[[gnu::always_inline]] inline bool Vp9Recorder::take_kind(const DdVp9Residuals &block, unsigned plane, std::uint32_t at,
                                                          std::uint32_t size) {
    const void *eobs = block.eobs[plane];
    void *from = block.coefs[plane];
    if (!eobs)
        return false;
    switch (block.kind[plane != 0]) {
    case 0:
        return take_plane<T, 0>(plane, at, size, eobs, from);
    case 1:
        return take_plane<T, 1>(plane, at, size, eobs, from);
    case 2:
        return take_plane<T, 2>(plane, at, size, eobs, from);
    case 3:
        return take_plane<T, 3>(plane, at, size, eobs, from);
    case DD_ITX_WHT:
        return take_plane<T, DD_ITX_WHT>(plane, at, size, eobs, from);
    default:
        return false;
    }
}

template <typename T>
[[gnu::noinline]] bool Vp9Recorder::take_all_planes(const DdVp9Residuals &block) {
    const unsigned ss_h = ss_h_, ss_v = ss_v_;
    if (block.coefs[0] && !take_kind<T>(block, 0, vp9_pack(block.x, block.y), vp9_pack(block.w4, block.h4)))
        return false;
    const std::uint32_t at = vp9_pack(block.x >> ss_h, block.y >> ss_v),
                        size = vp9_pack(block.w4 >> ss_h, block.h4 >> ss_v);
    return (!block.coefs[1] || take_kind<T>(block, 1, at, size)) &&
           (!block.coefs[2] || take_kind<T>(block, 2, at, size));
}

template <typename T>
bool Vp9Recorder::take_planes(const DdVp9Residuals &block) {
    const unsigned x = block.x, y = block.y, w4 = block.w4, h4 = block.h4;
    // What passes has at most 14 bits: inside() adds and compares both at once.
    if (w4 > 16 || h4 > 16 || x >= kMaxPictureSide || y >= kMaxPictureSide)
        return false;
    if (block.coefs[0] && !block.coefs[1] && !block.coefs[2])
        return take_kind<T>(block, 0, vp9_pack(x, y), vp9_pack(w4, h4));
    return take_all_planes<T>(block);
}

bool Vp9Recorder::take_residuals(const DdVp9Residuals &block) {
    return bytes_per_pixel_ == 1 ? take_planes<std::int16_t>(block) : take_planes<std::int32_t>(block);
}

bool Vp9Recorder::residual(const Vp9Residual &r) {
    if (r.plane > 2 || r.x >= kMaxPictureSide || r.y >= kMaxPictureSide || r.kind >= DD_ITX_KINDS || !r.coefs ||
        r.eob < 1 || r.eob > UINT16_MAX)
        return false;
    const unsigned n = itx_size(r.kind);
    std::array<std::int32_t, 32 * 32> copy;
    std::memcpy(copy.data(), r.coefs, std::size_t{n} * n * bytes_per_pixel_ * 2);
    const auto wide = static_cast<std::uint16_t>(r.eob);
    const auto narrow = static_cast<std::uint8_t>(r.eob);
    if (n <= 8 && wide != narrow)
        return false;
    const unsigned ss_h = r.plane ? ss_h_ : 0, ss_v = r.plane ? ss_v_ : 0;
    DdVp9Residuals block = {};
    block.x = r.x << ss_h;
    block.y = r.y << ss_v;
    block.w4 = n / 4 << ss_h;
    block.h4 = n / 4 << ss_v;
    block.kind[r.plane != 0] = r.kind;
    block.eobs[r.plane] = n > 8 ? static_cast<const void *>(&wide) : &narrow;
    block.coefs[r.plane] = copy.data();
    return take_residuals(block);
}

} // namespace dd
