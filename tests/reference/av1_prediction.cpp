// SPDX-License-Identifier: BSD-2-Clause
#include "reference/av1_prediction.h"
#include "av1/tables.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace dd::reference {
namespace {

constexpr int kCompound = 7; // InterRound1 of compound predictions

int round_by(std::int64_t value, int bits) {
    return static_cast<int>(bits ? (value + (std::int64_t{1} << (bits - 1))) >> bits : value);
}

// Taps as the specification has them: they add up to 128.
int subpel_tap(unsigned kind, unsigned position, unsigned t) {
    return position ? 2 * av1_subpel_taps[kind][position - 1][t] : t == 3 ? 128 : 0;
}

} // namespace

int Av1Predictor::pixel(unsigned ref, unsigned plane, std::int64_t x, std::int64_t y) const {
    const PlaneLayout &p = layout_.plane[plane];
    x = std::clamp<std::int64_t>(x, 0, std::int64_t{p.width} - 1);
    y = std::clamp<std::int64_t>(y, 0, std::int64_t{p.height} - 1);
    const std::uint8_t *row = references_[ref] + p.offset + y * p.stride;
    if (layout_.bytes_per_pixel() == 1)
        return row[x];
    std::uint16_t value;
    std::memcpy(&value, row + 2 * x, 2);
    return value;
}

void Av1Predictor::put(unsigned plane, unsigned x, unsigned y, int value) {
    const PlaneLayout &p = layout_.plane[plane];
    value = std::clamp(value, 0, (1 << layout_.format.bit_depth) - 1);
    std::uint8_t *row = dst_ + p.offset + std::size_t{y} * p.stride;
    if (layout_.bytes_per_pixel() == 1)
        row[x] = static_cast<std::uint8_t>(value);
    else
        std::memcpy(row + 2 * x, &value, 2); // little endian
}

// Clause 7.11.3.4.
Av1Predictor::Values Av1Predictor::translate(const DdAv1Source &s, const Block &b, int rounding) const {
    const std::int64_t left = s.x >> 4, top = s.y >> 4;
    Values rows((b.h + 7) * b.w), result(b.w * b.h);
    for (unsigned y = 0; y < b.h + 7; y++)
        for (unsigned x = 0; x < b.w; x++) {
            std::int64_t sum = 0;
            for (unsigned t = 0; t < 8; t++)
                sum += subpel_tap(s.taps_x, s.x & 15, t) * pixel(s.ref, b.plane, left + x + t - 3, top + y - 3);
            rows[y * b.w + x] = round_by(sum, round0());
        }
    for (unsigned y = 0; y < b.h; y++)
        for (unsigned x = 0; x < b.w; x++) {
            std::int64_t sum = 0;
            for (unsigned t = 0; t < 8; t++)
                sum += subpel_tap(s.taps_y, s.y & 15, t) * rows[(y + t) * b.w + x];
            result[y * b.w + x] = round_by(sum, rounding);
        }
    return result;
}

// Clause 7.11.3.5.
Av1Predictor::Values Av1Predictor::warp(const DdAv1Source &s, const Block &b, int rounding) const {
    const unsigned ss_h = b.plane ? layout_.format.ss_h : 0, ss_v = b.plane ? layout_.format.ss_v : 0;
    const std::int32_t *m = s.warp->matrix;
    const int alpha = s.warp->shear[0], beta = s.warp->shear[1], gamma = s.warp->shear[2], delta = s.warp->shear[3];
    Values result(b.w * b.h);
    // Warps are made for whole 8x8 pixels of the plane, whatever part of them is wanted.
    for (unsigned y8 = b.y & ~7u; y8 < b.y + b.h; y8 += 8)
        for (unsigned x8 = b.x & ~7u; x8 < b.x + b.w; x8 += 8) {
            const std::int64_t src_x = std::int64_t{x8 + 4} << ss_h, src_y = std::int64_t{y8 + 4} << ss_v;
            const std::int64_t x4 = (m[2] * src_x + m[3] * src_y + m[0]) >> ss_h;
            const std::int64_t y4 = (m[4] * src_x + m[5] * src_y + m[1]) >> ss_v;
            const std::int64_t ix = x4 >> 16, iy = y4 >> 16;
            const int sx = static_cast<int>(x4 & 0xffff), sy = static_cast<int>(y4 & 0xffff);
            int rows[15][8];
            for (int i = -7; i < 8; i++)
                for (int j = -4; j < 4; j++) {
                    const int base = (sx - alpha * 4 - beta * 7) & ~63;
                    const int offset = 64 + ((base + alpha * (j + 4) + beta * (i + 7) + 512) >> 10);
                    std::int64_t sum = 0;
                    for (int t = 0; t < 8; t++)
                        sum += av1_warp_taps[offset][t] * pixel(s.ref, b.plane, ix + j + t - 3, iy + i);
                    rows[i + 7][j + 4] = round_by(sum, round0());
                }
            const int base = (sy - gamma * 4 - delta * 4) & ~63;
            for (unsigned y = 0; y < 8; y++)
                for (unsigned x = 0; x < 8; x++) {
                    if (x8 + x - b.x >= b.w || y8 + y - b.y >= b.h) // also what lies before
                        continue;
                    const int offset =
                        64 + ((base + gamma * static_cast<int>(x) + delta * static_cast<int>(y) + 512) >> 10);
                    std::int64_t sum = 0;
                    for (unsigned t = 0; t < 8; t++)
                        sum += av1_warp_taps[offset][t] * rows[y + t][x];
                    result[(y8 + y - b.y) * b.w + x8 + x - b.x] = round_by(sum, rounding);
                }
        }
    return result;
}

Av1Predictor::Values Av1Predictor::source(const DdAv1Source &s, const Block &b, int rounding) const {
    return s.warp ? warp(s, b, rounding) : translate(s, b, rounding);
}

void Av1Predictor::put_single(const DdAv1Source &s, const Block &b) {
    const Values values = source(s, b, single());
    for (unsigned i = 0; i < b.w * b.h; i++)
        put(b.plane, b.x + i % b.w, b.y + i / b.w, values[i]);
}

// Clauses 7.11.3.14 and 7.11.3.15; an average has weights of 32.
void Av1Predictor::put_masked(const DdAv1Source *s, const Block &b, const std::vector<int> &weights) {
    const Values first = source(s[0], b, kCompound), second = source(s[1], b, kCompound);
    const int shift = 14 - round0() - kCompound + 6;
    for (unsigned i = 0; i < b.w * b.h; i++)
        put(b.plane, b.x + i % b.w, b.y + i / b.w,
            round_by(std::int64_t{first[i]} * weights[i] + std::int64_t{second[i]} * (64 - weights[i]), shift));
}

void Av1Predictor::predict(const DdAv1Prediction &p) {
    for (unsigned plane = p.chroma; plane <= p.chroma * 2u; plane++) {
        const Block b{plane, p.x, p.y, p.w, p.h};
        if (p.kind == DD_AV1_SINGLE) {
            put_single(p.source[0], b);
        } else if (p.kind == DD_AV1_SPLIT) {
            put_single(p.source[0], {plane, p.x, p.y, 2, p.h});
            put_single(p.source[1], {plane, p.x + 2u, p.y, 2, p.h});
        } else {
            std::vector<int> weights(b.w * b.h, p.weight);
            if (p.kind == DD_AV1_BY_MASK)
                std::copy(p.mask, p.mask + weights.size(), weights.begin());
            put_masked(p.source, b, weights);
        }
    }
}

// Clause 7.11.3.10.
void Av1Predictor::overlap(const DdAv1Overlap &o) {
    for (unsigned plane = o.chroma; plane <= o.chroma * 2u; plane++) {
        const Block b{plane, o.x, o.y, o.w, o.h};
        const int max = (1 << layout_.format.bit_depth) - 1;
        const auto pixels = [&](const DdAv1Source &s) {
            Values values = source(s, b, single());
            for (int &v : values)
                v = std::clamp(v, 0, max);
            return values;
        };
        Values result = pixels(o.source[0]);
        const auto blend = [&](const DdAv1Source &s, unsigned size, unsigned at, bool rows) {
            const Values over = pixels(s);
            for (unsigned i = 0; i < result.size(); i++) {
                const unsigned distance = at + (rows ? i / b.w : i % b.w);
                if (distance < size * 3 / 4)
                    result[i] = round_by(result[i] * (64 - av1_overlap_weights[size + distance]) +
                                             over[i] * av1_overlap_weights[size + distance],
                                         6);
            }
        };
        if (o.above)
            blend(o.source[1], o.above, o.above_at, true);
        if (o.left)
            blend(o.source[2], o.left, o.left_at, false);
        for (unsigned i = 0; i < result.size(); i++)
            put(plane, b.x + i % b.w, b.y + i / b.w, result[i]);
    }
}

// Clauses 7.11.3.12 and 7.11.3.14.
void Av1Predictor::difference(const DdAv1Difference &d) {
    const Block luma{0, d.x, d.y, d.w, d.h};
    const Values first = source(d.source[0], luma, kCompound), second = source(d.source[1], luma, kCompound);
    std::vector<int> weights(first.size());
    for (std::size_t i = 0; i < first.size(); i++) {
        const int difference =
            round_by(std::abs(first[i] - second[i]), layout_.format.bit_depth - 8 + 14 - round0() - kCompound);
        weights[i] = std::clamp(38 + difference / 16, 0, 64);
    }
    put_masked(d.source, luma, weights);
    if (!d.chroma)
        return;
    const unsigned ss_h = layout_.format.ss_h, ss_v = layout_.format.ss_v;
    const unsigned w = luma.w >> ss_h, h = luma.h >> ss_v;
    std::vector<int> chroma(w * h);
    for (unsigned y = 0; y < h; y++)
        for (unsigned x = 0; x < w; x++) {
            int sum = 0;
            for (unsigned i = 0; i < 1u << (ss_h + ss_v); i++)
                sum += weights[((y << ss_v) + (i >> ss_h)) * luma.w + (x << ss_h) + (i & ss_h)];
            // The specification rounds the weights of its first source, which is the other one where the sign is set.
            const int count = 1 << (ss_h + ss_v);
            const int all = d.sign ? 64 * count - sum : sum;
            const int rounded = round_by(all, static_cast<int>(ss_h + ss_v));
            chroma[y * w + x] = d.sign ? 64 - rounded : rounded;
        }
    for (unsigned plane = 1; plane < 3; plane++)
        put_masked(d.chroma_source, {plane, luma.x >> ss_h, luma.y >> ss_v, w, h}, chroma);
}

} // namespace dd::reference
