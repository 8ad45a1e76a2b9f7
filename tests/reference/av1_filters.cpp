// SPDX-License-Identifier: BSD-2-Clause
#include "reference/av1_filters.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>

namespace dd::reference {
namespace {

// ---- pictures ------------------------------------------------------------------------------------------

struct Size {
    int width, height;
};

Size coded_size(const DdAv1FilterParams &p, unsigned plane) {
    return {static_cast<int>(p.w8 * 8 >> (plane ? p.ss_h : 0)), static_cast<int>(p.h8 * 8 >> (plane ? p.ss_v : 0))};
}

// ---- deblocking, clause 7.14 -----------------------------------------------------------------------------

const std::uint16_t *superblock(const Av1Filters &f, unsigned col, unsigned row) {
    const std::uint32_t *words = f.superblocks().data();
    return reinterpret_cast<const std::uint16_t *>(words + (row * f.params().sb_cols + col) * DD_AV1_SB_WORDS);
}

// 0: no edge; else its taps. `dir` 0: the edge is a column.
int edge_taps(const Av1Filters &f, unsigned plane, unsigned dir, unsigned x4, unsigned y4) {
    const DdAv1FilterParams &p = f.params();
    const unsigned ss_h = plane ? p.ss_h : 0, ss_v = plane ? p.ss_v : 0;
    const std::uint16_t *sb = superblock(f, x4 >> (5 - ss_h), y4 >> (5 - ss_v));
    const unsigned in_x = x4 & (31 >> ss_h), in_y = y4 & (31 >> ss_v);
    const unsigned line = dir ? in_y : in_x, along = dir ? in_x : in_y;
    const unsigned half_size = 16 >> (dir ? ss_h : ss_v);
    const unsigned sizes = plane ? 2 : 3;
    const std::uint16_t *masks = sb + (plane ? DD_AV1_SB_CHROMA * 2 : 0) + (dir * 32 + line) * sizes * 2;
    for (unsigned size = sizes; size-- > 0;)
        if (masks[size * 2 + along / half_size] >> (along % half_size) & 1)
            return plane ? (size ? 6 : 4) : (size == 2 ? 14 : size ? 8 : 4);
    return 0;
}

int edge_level(const Av1Filters &f, unsigned plane, unsigned dir, unsigned x4, unsigned y4) {
    const std::uint32_t *levels = f.levels().data() + y4 * f.params().level_stride + x4;
    const unsigned byte = plane ? plane + 1 : dir;
    const auto level = [&](const std::uint32_t *l) { return static_cast<int>(*l >> (8 * byte) & 255); };
    const int own = level(levels);
    return own ? own : level(levels - (dir ? f.params().level_stride : 1));
}

// Samples across an edge: p(i) before it, q(i) after it.
class Line {
  public:
    Line(std::uint16_t *first_after, std::ptrdiff_t step) : at_(first_after), step_(step) {}
    int p(int i) const { return at_[-(i + 1) * step_]; }
    int q(int i) const { return at_[i * step_]; }
    // Position i: q(i) for i >= 0, p(-1 - i) below.
    int get(int i) const { return at_[i * step_]; }
    void set(int i, int v) { at_[i * step_] = static_cast<std::uint16_t>(v); }

  private:
    std::uint16_t *at_;
    std::ptrdiff_t step_;
};

// Clause 7.14.6.4. The outermost sample is repeated.
void wide_filter(Line line, int log2_size, bool luma) {
    const int n = log2_size == 4 ? 6 : luma ? 3 : 2;
    const int doubled = log2_size == 3 && luma ? 0 : 1; // taps in the middle that count twice
    std::array<int, 12> out{};
    for (int i = -n; i < n; i++) {
        int t = 0;
        for (int j = -n; j <= n; j++)
            t += line.get(std::clamp(i + j, -(n + 1), n)) * (std::abs(j) <= doubled ? 2 : 1);
        out[static_cast<std::size_t>(i + n)] = (t + (1 << (log2_size - 1))) >> log2_size;
    }
    for (int i = -n; i < n; i++)
        line.set(i, out[static_cast<std::size_t>(i + n)]);
}

void narrow_filter(Line line, bool busy, int depth) {
    const int low = -(128 << depth), high = (128 << depth) - 1, top = (256 << depth) - 1;
    const int p1 = line.p(1), p0 = line.p(0), q0 = line.q(0), q1 = line.q(1);
    const int base = std::clamp((busy ? std::clamp(p1 - q1, low, high) : 0) + 3 * (q0 - p0), low, high);
    const int f1 = std::clamp(base + 4, low, high) >> 3, f2 = std::clamp(base + 3, low, high) >> 3;
    line.set(0, std::clamp(q0 - f1, 0, top));
    line.set(-1, std::clamp(p0 + f2, 0, top));
    if (busy)
        return;
    const int f = (f1 + 1) >> 1;
    line.set(1, std::clamp(q1 - f, 0, top));
    line.set(-2, std::clamp(p1 + f, 0, top));
}

void filter_line(Line line, int taps, int level, int sharp, int depth, bool luma) {
    int limit = level;
    if (sharp)
        limit = std::min(level >> (sharp > 4 ? 2 : 1), 9 - sharp);
    limit = std::max(limit, 1);
    const int blimit = (2 * (level + 2) + limit) << depth, thresh = (level >> 4) << depth;
    limit <<= depth;
    const int one = 1 << depth;

    const int reach = taps == 4 ? 1 : taps == 6 ? 2 : 3; // pairs that the mask looks at
    bool smooth = std::abs(line.p(0) - line.q(0)) * 2 + std::abs(line.p(1) - line.q(1)) / 2 <= blimit;
    for (int i = 0; i < reach; i++)
        smooth = smooth && std::abs(line.p(i + 1) - line.p(i)) <= limit && std::abs(line.q(i + 1) - line.q(i)) <= limit;
    if (!smooth)
        return;
    const auto flat = [&](int from, int to) {
        for (int i = from; i <= to; i++)
            if (std::abs(line.p(i) - line.p(0)) > one || std::abs(line.q(i) - line.q(0)) > one)
                return false;
        return true;
    };
    const bool busy = std::abs(line.p(1) - line.p(0)) > thresh || std::abs(line.q(1) - line.q(0)) > thresh;
    if (taps == 4 || !flat(1, reach))
        narrow_filter(line, busy, depth);
    else if (taps == 14 && flat(4, 6))
        wide_filter(line, 4, luma);
    else
        wide_filter(line, 3, luma);
}

void deblock_plane(const Av1Filters &f, unsigned plane, unsigned dir, Av1Plane &out) {
    const DdAv1FilterParams &p = f.params();
    const unsigned cols = (p.w4 + (plane ? p.ss_h : 0)) >> (plane ? p.ss_h : 0);
    const unsigned rows = (p.h4 + (plane ? p.ss_v : 0)) >> (plane ? p.ss_v : 0);
    for (unsigned y4 = dir; y4 < rows; y4++) {
        for (unsigned x4 = 1 - dir; x4 < cols; x4++) {
            const int taps = edge_taps(f, plane, dir, x4, y4);
            const int level = taps ? edge_level(f, plane, dir, x4, y4) : 0;
            for (int i = 0; level && i < 4; i++) {
                std::uint16_t *at =
                    &out.at(static_cast<int>(x4) * 4 + (dir ? i : 0), static_cast<int>(y4) * 4 + (dir ? 0 : i));
                filter_line(Line(at, dir ? out.stride : 1), taps, level, static_cast<int>(p.sharpness),
                            static_cast<int>(p.bit_depth) - 8, plane == 0);
            }
        }
    }
}

// ---- CDEF, clause 7.15 -----------------------------------------------------------------------------------

struct Step {
    int y, x;
};
constexpr Step kSteps[8][2] = {{{-1, 1}, {-2, 2}}, {{0, 1}, {-1, 2}}, {{0, 1}, {0, 2}}, {{0, 1}, {1, 2}},
                               {{1, 1}, {2, 2}},   {{1, 0}, {2, 1}},  {{1, 0}, {2, 0}}, {{1, 0}, {2, -1}}};
constexpr unsigned kStretched[8] = {7, 0, 2, 4, 5, 6, 6, 6};

int floor_log2(unsigned v) {
    return static_cast<int>(std::bit_width(v)) - 1;
}

int constrain(int diff, int strength, int damping) {
    if (!strength)
        return 0;
    const int shift = std::max(0, damping - floor_log2(static_cast<unsigned>(strength)));
    const int bounded = std::min(std::abs(diff), std::max(0, strength - (std::abs(diff) >> shift)));
    return diff < 0 ? -bounded : bounded;
}

struct CdefBlock {
    int pri, sec, damping;
    unsigned dir;
};

int cdef_pixel(const Av1Plane &in, Size size, int x, int y, const CdefBlock &b, int depth) {
    const int centre = in.at(x, y);
    int sum = 0, low = centre, high = centre;
    const auto tap = [&](Step s, int weight, int strength) {
        const int tx = x + s.x, ty = y + s.y;
        if (tx < 0 || ty < 0 || tx >= size.width || ty >= size.height)
            return;
        const int v = in.at(tx, ty);
        sum += weight * constrain(v - centre, strength, b.damping);
        low = std::min(low, v);
        high = std::max(high, v);
    };
    for (int k = 0; k < 2; k++) {
        const int odd = (b.pri >> depth) & 1;
        const int pri_weight = k ? 2 + odd : 4 - odd;
        for (const int sign : {-1, 1}) {
            const auto along = [&](unsigned d) { return Step{sign * kSteps[d & 7][k].y, sign * kSteps[d & 7][k].x}; };
            tap(along(b.dir), pri_weight, b.pri);
            tap(along(b.dir + 2), 2 - k, b.sec);
            tap(along(b.dir + 6), 2 - k, b.sec);
        }
    }
    return std::clamp(centre + ((8 + sum - (sum < 0)) >> 4), low, high);
}

// What clause 7.15 gives a block: its coded strengths; none where both are 0.
struct Strengths {
    unsigned luma = 0, chroma = 0;
};

Strengths block_strengths(const Av1Filters &f, unsigned x8, unsigned y8) {
    const DdAv1FilterParams &p = f.params();
    const std::uint16_t *sb = superblock(f, x8 >> 4, y8 >> 4);
    const std::uint16_t *row = sb + DD_AV1_SB_CODED * 2 + (y8 & 15) * 2;
    if (!(row[(x8 >> 3) & 1] >> (2 * (x8 & 7)) & 3))
        return {};
    const auto *index = reinterpret_cast<const std::int8_t *>(sb + DD_AV1_SB_CDEF * 2);
    const int i = index[((y8 >> 3) & 1) * 2 + ((x8 >> 3) & 1)];
    if (i < 0)
        return {};
    const unsigned shift = 8 * (static_cast<unsigned>(i) & 3);
    return {p.cdef_luma[i >> 2] >> shift & 255, p.planes > 1 ? p.cdef_chroma[i >> 2] >> shift & 255 : 0};
}

int secondary(unsigned strength) {
    return (strength & 3) == 3 ? 4 : static_cast<int>(strength & 3);
}

void cdef_block(const Av1Filters &f, const Av1Picture &in, unsigned x8, unsigned y8, Av1Picture &out) {
    const DdAv1FilterParams &p = f.params();
    const int depth = static_cast<int>(p.bit_depth) - 8;
    const Strengths coded = block_strengths(f, x8, y8);
    unsigned variance = 0;
    const unsigned dir =
        cdef_direction(&in.plane[0].pixels[static_cast<std::size_t>(y8) * 8 * in.plane[0].stride + x8 * 8],
                       in.plane[0].stride, static_cast<unsigned>(depth), variance);
    for (unsigned plane = 0; plane < p.planes; plane++) {
        const unsigned strength = plane ? coded.chroma : coded.luma;
        CdefBlock b{};
        b.pri = static_cast<int>(strength >> 2) << depth;
        b.sec = secondary(strength) << depth;
        b.damping = static_cast<int>(p.cdef_damping) + depth - (plane ? 1 : 0);
        b.dir = b.pri ? dir : 0;
        if (!plane) {
            const int steps = variance >> 6 ? std::min(floor_log2(variance >> 6), 12) : 0;
            b.pri = variance ? (b.pri * (4 + steps) + 8) >> 4 : 0;
        } else if (p.ss_h != p.ss_v && b.pri) {
            b.dir = kStretched[b.dir];
        }
        const int w = 8 >> (plane ? p.ss_h : 0), h = 8 >> (plane ? p.ss_v : 0);
        for (int y = static_cast<int>(y8) * h; (b.pri || b.sec) && y < static_cast<int>(y8 + 1) * h; y++)
            for (int x = static_cast<int>(x8) * w; x < static_cast<int>(x8 + 1) * w; x++)
                out.plane[plane].at(x, y) =
                    static_cast<std::uint16_t>(cdef_pixel(in.plane[plane], coded_size(p, plane), x, y, b, depth));
    }
}

// ---- loop restoration, clause 7.17 -----------------------------------------------------------------------

class Stripe {
  public:
    Stripe(const Av1Plane &deblocked, const Av1Plane &filtered, Size size, int first, int last)
        : deblocked_(deblocked), filtered_(filtered), size_(size), first_(first), last_(last) {}
    // Clause 7.17.6.
    int at(int x, int y) const {
        x = std::clamp(x, 0, size_.width - 1);
        y = std::clamp(y, 0, size_.height - 1);
        if (y < first_)
            return deblocked_.at(x, std::max(y, first_ - 2));
        if (y > last_)
            return deblocked_.at(x, std::min(y, last_ + 2));
        return filtered_.at(x, y);
    }

  private:
    const Av1Plane &deblocked_, &filtered_;
    Size size_;
    int first_, last_;
};

int signed_byte(std::uint32_t word, unsigned i) {
    return static_cast<std::int8_t>(word >> (8 * i) & 255);
}
int signed_half(std::uint32_t word, unsigned i) {
    return static_cast<std::int16_t>(word >> (16 * i) & 65535);
}

std::array<int, 7> wiener_taps(std::uint32_t word) {
    const int a = signed_byte(word, 0), b = signed_byte(word, 1), c = signed_byte(word, 2);
    return {a, b, c, 128 - 2 * (a + b + c), c, b, a};
}

int wiener_pixel(const Stripe &in, int x, int y, const std::uint32_t *unit, int depth) {
    const int round0 = depth == 12 ? 5 : 3, round1 = depth == 12 ? 9 : 11;
    const std::array<int, 7> across = wiener_taps(unit[1]), down = wiener_taps(unit[2]);
    const int offset = 1 << (depth + 7 - round0 - 1), limit = (1 << (depth + 1 + 7 - round0)) - 1;
    int sum = 0;
    for (int r = 0; r < 7; r++) {
        int s = 0;
        for (int t = 0; t < 7; t++)
            s += across[static_cast<std::size_t>(t)] * in.at(x + t - 3, y + r - 3);
        const int v = (s + (1 << (round0 - 1))) >> round0;
        sum += down[static_cast<std::size_t>(r)] * std::clamp(v, -offset, limit - offset);
    }
    return (sum + (1 << (round1 - 1))) >> round1;
}

struct Box {
    int a2, b2;
};

// Clause 7.17.3 for one position.
Box box(const Stripe &in, int x, int y, int reach, unsigned strength, int depth) {
    unsigned a = 0, b = 0;
    for (int dy = -reach; dy <= reach; dy++)
        for (int dx = -reach; dx <= reach; dx++) {
            const auto c = static_cast<unsigned>(in.at(x + dx, y + dy));
            a += c * c;
            b += c;
        }
    const unsigned n = reach == 2 ? 25 : 9, one_by_n = reach == 2 ? 164 : 455;
    const unsigned shift = static_cast<unsigned>(depth - 8);
    const unsigned ar = shift ? (a + (1u << (2 * shift - 1))) >> (2 * shift) : a;
    const unsigned br = shift ? (b + (1u << (shift - 1))) >> shift : b;
    const unsigned p = ar * n > br * br ? ar * n - br * br : 0;
    const unsigned z = (p * strength + (1u << 19)) >> 20;
    const unsigned a2 = z >= 255 ? 256 : z == 0 ? 1 : ((z << 8) + z / 2) / (z + 1);
    const unsigned b2 = ((256 - a2) * b * one_by_n + (1u << 11)) >> 12;
    return {static_cast<int>(a2), static_cast<int>(b2)};
}

// The filtered pixel with four more bits, as the specification weights it.
int guided(const Stripe &in, int x, int y, int reach, unsigned strength, int depth) {
    const bool between = reach == 2 && !(y & 1);
    const bool on = reach == 2 && (y & 1);
    int a = 0, b = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int weight = 0;
            if (between)
                weight = dy ? (dx ? 5 : 6) : 0;
            else if (on)
                weight = dy ? 0 : (dx ? 5 : 6);
            else
                weight = dx && dy ? 3 : 4;
            if (!weight)
                continue;
            const Box v = box(in, x + dx, y + dy, reach, strength, depth);
            a += weight * v.a2;
            b += weight * v.b2;
        }
    const int shift = on ? 4 : 5;
    return (a * in.at(x, y) + b + (1 << (8 + shift - 4 - 1))) >> (8 + shift - 4);
}

int self_guided_pixel(const Stripe &in, int x, int y, const std::uint32_t *unit, int depth) {
    const unsigned wide = unit[1] & 65535, narrow = unit[1] >> 16;
    const int u = in.at(x, y) << 4;
    // w0 + w1 + w2 is 128; w1 weights the pixel itself.
    const int w0 = signed_half(unit[2], 0), w2 = signed_half(unit[2], 1);
    int v = u * (128 - w0 - w2);
    v += w0 * (wide ? guided(in, x, y, 2, wide, depth) : u);
    v += w2 * (narrow ? guided(in, x, y, 1, narrow, depth) : u);
    return (v + (1 << 10)) >> 11;
}

void restore_plane(const Av1Filters &f, unsigned plane, const Av1Plane &deblocked, const Av1Plane &filtered,
                   Av1Plane &out) {
    const DdAv1FilterParams &p = f.params();
    const Size size = {static_cast<int>(p.plane[plane].width), static_cast<int>(p.plane[plane].height)};
    const int ss_v = plane ? static_cast<int>(p.ss_v) : 0, depth = static_cast<int>(p.bit_depth);
    for (int y = 0; y < size.height; y++) {
        const int stripe = ((y << ss_v) + 8) / 64;
        const Stripe in(deblocked, filtered, size, std::max(0, (stripe * 64 - 8) >> ss_v),
                        (stripe * 64 + 56 - 1) >> ss_v);
        const unsigned row =
            std::min(p.unit_rows[plane] - 1, static_cast<unsigned>(y + (8 >> ss_v)) >> p.unit_log2[plane]);
        for (int x = 0; x < size.width; x++) {
            const unsigned col = std::min(p.unit_cols[plane] - 1, static_cast<unsigned>(x) >> p.unit_log2[plane]);
            const std::uint32_t *unit =
                f.words().data() + p.units[plane] + (row * p.unit_cols[plane] + col) * DD_AV1_UNIT_WORDS;
            if (unit[0] == DD_AV1_UNIT_NONE)
                continue;
            const int v = unit[0] == DD_AV1_UNIT_WIENER ? wiener_pixel(in, x, y, unit, depth)
                                                        : self_guided_pixel(in, x, y, unit, depth);
            out.at(x, y) = static_cast<std::uint16_t>(std::clamp(v, 0, (1 << depth) - 1));
        }
    }
}

} // namespace

Av1Picture load_picture(const PictureLayout &layout, const std::uint8_t *bytes) {
    Av1Picture picture;
    for (unsigned p = 0; p < layout.format.planes; p++) {
        const PlaneLayout &from = layout.plane[p];
        Av1Plane &to = picture.plane[p];
        to.stride = from.stride / layout.bytes_per_pixel();
        to.pixels.resize(static_cast<std::size_t>(to.stride) * from.padded_height);
        for (std::size_t i = 0; i < to.pixels.size(); i++)
            if (layout.bytes_per_pixel() == 1)
                to.pixels[i] = bytes[from.offset + i];
            else
                std::memcpy(&to.pixels[i], bytes + from.offset + 2 * i, 2);
    }
    return picture;
}

void store_picture(const PictureLayout &layout, const Av1Picture &picture, std::uint8_t *bytes) {
    for (unsigned p = 0; p < layout.format.planes; p++) {
        const std::vector<std::uint16_t> &from = picture.plane[p].pixels;
        std::uint8_t *to = bytes + layout.plane[p].offset;
        for (std::size_t i = 0; i < from.size(); i++)
            if (layout.bytes_per_pixel() == 1)
                to[i] = static_cast<std::uint8_t>(from[i]);
            else
                std::memcpy(to + 2 * i, &from[i], 2);
    }
}

unsigned cdef_direction(const std::uint16_t *pixels, unsigned stride, unsigned shift, unsigned &variance) {
    int partial[8][15] = {};
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            const int x = (pixels[static_cast<std::size_t>(i) * stride + static_cast<std::size_t>(j)] >> shift) - 128;
            partial[0][i + j] += x;
            partial[1][i + j / 2] += x;
            partial[2][i] += x;
            partial[3][3 + i - j / 2] += x;
            partial[4][7 + i - j] += x;
            partial[5][3 - i / 2 + j] += x;
            partial[6][j] += x;
            partial[7][i / 2 + j] += x;
        }
    std::array<int, 8> cost{};
    for (std::size_t d = 0; d < 8; d++)
        for (int n = 0; n < 15; n++) {
            int pixels_in_line = 8;
            if (d == 0 || d == 4)
                pixels_in_line = n < 8 ? n + 1 : 15 - n;
            else if (d & 1)
                pixels_in_line = n < 3 ? 2 * n + 2 : n < 8 ? 8 : n < 11 ? 22 - 2 * n : 8;
            cost[d] += partial[d][n] * partial[d][n] * (840 / pixels_in_line);
        }
    const auto best = std::max_element(cost.begin(), cost.end());
    const auto dir = static_cast<unsigned>(best - cost.begin());
    variance = static_cast<unsigned>(*best - cost[(dir + 4) & 7]) >> 10;
    return dir;
}

void deblock(const Av1Filters &filters, Av1Picture &picture) {
    for (unsigned plane = 0; plane < filters.params().planes; plane++) {
        if (!(filters.params().deblock & (plane ? DD_AV1_DEBLOCK_CHROMA : DD_AV1_DEBLOCK_LUMA)))
            continue;
        for (unsigned dir = 0; dir < 2; dir++)
            deblock_plane(filters, plane, dir, picture.plane[plane]);
    }
}

Av1Picture cdef(const Av1Filters &filters, const Av1Picture &picture) {
    Av1Picture out = picture;
    for (unsigned y8 = 0; filters.cdef() && y8 < filters.params().h8; y8++)
        for (unsigned x8 = 0; x8 < filters.params().w8; x8++)
            cdef_block(filters, picture, x8, y8, out);
    return out;
}

Av1Picture restore(const Av1Filters &filters, const Av1Picture &deblocked, const Av1Picture &picture) {
    Av1Picture out = picture;
    for (unsigned plane = 0; plane < filters.params().planes; plane++)
        if (filters.params().restored >> plane & 1)
            restore_plane(filters, plane, deblocked.plane[plane], picture.plane[plane], out.plane[plane]);
    return out;
}

void run_av1_filters(const Av1Batch &batch, std::uint8_t *bytes) {
    Av1Picture deblocked = load_picture(batch.dst, bytes);
    deblock(batch.filters, deblocked);
    const Av1Picture filtered = cdef(batch.filters, deblocked);
    store_picture(batch.dst, restore(batch.filters, deblocked, filtered), bytes);
}

} // namespace dd::reference
