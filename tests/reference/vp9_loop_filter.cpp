// SPDX-License-Identifier: BSD-2-Clause
#include "reference/pixels.h"
#include "reference/vp9_reference.h"

#include <cstdlib>
#include <vector>

namespace dd::reference {
namespace {

// Pixels of one line across an edge, by distance: p(0) and q(0) are next to it.
class Line {
  public:
    Line(Plane &plane, int x, int y, bool between_rows)
        : plane_(plane), x_(x), y_(y), dx_(!between_rows), dy_(between_rows) {}
    int p(int i) const { return plane_.at(x_ - (i + 1) * dx_, y_ - (i + 1) * dy_); }
    int q(int i) const { return plane_.at(x_ + i * dx_, y_ + i * dy_); }
    void set_p(int i, int v) { plane_.set(x_ - (i + 1) * dx_, y_ - (i + 1) * dy_, plane_.clip(v)); }
    void set_q(int i, int v) { plane_.set(x_ + i * dx_, y_ + i * dy_, plane_.clip(v)); }

  private:
    Plane &plane_;
    int x_, y_, dx_, dy_;
};

struct Strength { // clause 8.8.1
    int limit, edge_limit, variance;
};

bool within(const Line &l, int first, int last, int threshold) {
    for (int i = first; i <= last; i++)
        if (std::abs(l.p(i) - l.p(0)) > threshold || std::abs(l.q(i) - l.q(0)) > threshold)
            return false;
    return true;
}

bool filter_mask(const Line &l, const Strength &s) {
    for (int i = 0; i < 3; i++)
        if (std::abs(l.p(i + 1) - l.p(i)) > s.limit || std::abs(l.q(i + 1) - l.q(i)) > s.limit)
            return false;
    return std::abs(l.p(0) - l.q(0)) * 2 + std::abs(l.p(1) - l.q(1)) / 2 <= s.edge_limit;
}

void narrow(Line &l, const Strength &s, int bit_depth) { // clause 8.8.4
    const int high = (1 << (bit_depth - 1)) - 1, low = -high - 1;
    const auto clamp = [&](int v) { return std::clamp(v, low, high); };
    const int p1 = l.p(1), p0 = l.p(0), q0 = l.q(0), q1 = l.q(1);
    const bool variance = std::abs(p1 - p0) > s.variance || std::abs(q1 - q0) > s.variance;
    const int base = clamp(3 * (q0 - p0) + (variance ? clamp(p1 - q1) : 0));
    const int f1 = clamp(base + 4) >> 3, f2 = clamp(base + 3) >> 3;
    l.set_p(0, p0 + f2);
    l.set_q(0, q0 - f1);
    if (!variance) {
        l.set_p(1, p1 + ((f1 + 1) >> 1));
        l.set_q(1, q1 - ((f1 + 1) >> 1));
    }
}

void flat(Line &l, int taps_log2) { // clause 8.8.5
    const int n = taps_log2 == 4 ? 8 : 4;
    std::array<int, 16> v{};
    for (int i = 0; i < n; i++) {
        v[static_cast<unsigned>(n - 1 - i)] = l.p(i);
        v[static_cast<unsigned>(n + i)] = l.q(i);
    }
    for (int i = 1; i < 2 * n - 1; i++) {
        int sum = v[static_cast<unsigned>(i)] + (1 << (taps_log2 - 1));
        for (int k = -(n - 1); k <= n - 1; k++)
            sum += v[static_cast<unsigned>(std::clamp(i + k, 0, 2 * n - 1))];
        if (i < n)
            l.set_p(n - 1 - i, sum >> taps_log2);
        else
            l.set_q(i - n, sum >> taps_log2);
    }
}

void filter_edge(const Vp9Batch &batch, Plane &plane, const Vp9FilterEdge &edge) {
    const int depth = batch.dst.format.bit_depth, unit = 1 << (depth - 8);
    const std::uint32_t limits = batch.lf.limits[edge.level];
    const Strength s{static_cast<int>(limits & 0xff) * unit, static_cast<int>(limits >> 8) * unit,
                     static_cast<int>(edge.level >> 4) * unit};
    for (int i = 0; i < 8; i++) {
        Line l(plane, edge.x + (edge.between_rows ? i : 0), edge.y + (edge.between_rows ? 0 : i), edge.between_rows);
        if (!filter_mask(l, s))
            continue;
        const bool flat_inside = edge.width >= 8 && within(l, 1, 3, unit);
        if (flat_inside && edge.width == 16 && within(l, 4, 7, unit))
            flat(l, 4);
        else if (flat_inside)
            flat(l, 3);
        else
            narrow(l, s, depth);
    }
}

// The edges of a superblock in a plane.
struct SuperblockEdges {
    const DdLfSuperblock &sb;
    unsigned plane, kind, ss_h, ss_v;
    int left, top; // of the superblock in the plane
    const std::function<void(const Vp9FilterEdge &)> &see;

    unsigned mask(unsigned direction, unsigned row, unsigned what) const {
        return sb.mask[(kind * 2 + direction) * 8 + row] >> (what * 8) & 0xff;
    }
    unsigned level(unsigned row, unsigned column) const {
        return sb.level[row * 2 + column / 4] >> (column % 4 * 8) & 0xff;
    }
    void edge(int x, int y, bool between_rows, int width, unsigned of_level) const {
        see({plane, left + x, top + y, between_rows, width, of_level});
    }

    // Edges come in pairs of eight pixels; the widths of the second one follow from both, as decoders' tables have it.
    struct Pair {
        int first, second;
        bool shared_level;
    };
    static Pair widths(bool a16, bool a8, bool a4, bool b16, bool b8, bool b4, bool second16_counts) {
        if (a16)
            return {16, b16 ? 16 : 0, true};
        const bool b = b8 || b4 || (second16_counts && b16);
        return {a8 ? 8 : a4 ? 4 : 0, !b ? 0 : b8 ? 8 : 4, false};
    }

    void columns() const {
        for (unsigned row = 0; row < 8; row += 2u << ss_v)
            for (unsigned bit = 0; bit < 8; bit++) {
                const unsigned next = row + (1u << ss_v), column = ss_h ? bit & ~1u : bit;
                const auto has = [&](unsigned r, unsigned what) { return (mask(0, r, what) >> bit & 1) != 0; };
                const int x = static_cast<int>(bit * 8 >> ss_h), y = static_cast<int>(row * 8 >> ss_v);
                const Pair pair =
                    widths(has(row, 0), has(row, 1), has(row, 2), has(next, 0), has(next, 1), has(next, 2), false);
                if (pair.first)
                    edge(x, y, false, pair.first, level(row, column));
                if (pair.second)
                    edge(x, y + 8, false, pair.second, level(pair.shared_level ? row : next, column));
                if (!ss_h && has(row, 3))
                    edge(x + 4, y, false, 4, level(row, column));
                if (!ss_h && has(next, 3))
                    edge(x + 4, y + 8, false, 4, level(next, column));
            }
    }

    void rows() const {
        for (unsigned row = 0; row < 8; row++)
            for (unsigned bit = 0; bit < 8; bit += 2u << ss_h) {
                const unsigned next = bit + (1u << ss_h), level_row = ss_v ? row & ~1u : row;
                const auto has = [&](unsigned b, unsigned what) { return (mask(1, row, what) >> b & 1) != 0; };
                const int x = static_cast<int>(bit * 8 >> ss_h), y = static_cast<int>(row * 8 >> ss_v);
                const Pair pair =
                    widths(has(bit, 0), has(bit, 1), has(bit, 2), has(next, 0), has(next, 1), has(next, 2), true);
                if (pair.first)
                    edge(x, y, true, pair.first, level(level_row, bit));
                if (pair.second)
                    edge(x + 8, y, true, pair.second, level(level_row, pair.shared_level ? bit : next));
                if (!ss_v && has(bit, 3))
                    edge(x, y + 4, true, 4, level(level_row, bit));
                if (!ss_v && has(next, 3))
                    edge(x + 8, y + 4, true, 4, level(level_row, next));
            }
    }
};

} // namespace

void each_filter_edge(const Vp9Batch &batch, const std::function<void(const Vp9FilterEdge &)> &see) {
    if (batch.lf.superblocks.empty())
        return;
    const PictureFormat &format = batch.dst.format;
    for (unsigned row = 0; row < batch.lf.sb_rows; row++)
        for (unsigned column = 0; column < batch.lf.sb_cols; column++)
            for (unsigned p = 0; p < format.planes; p++) {
                const unsigned ss_h = p ? format.ss_h : 0, ss_v = p ? format.ss_v : 0;
                const SuperblockEdges edges{batch.lf.superblocks[std::size_t{row} * batch.lf.sb_cols + column],
                                            p,
                                            (ss_h | ss_v) != 0,
                                            ss_h,
                                            ss_v,
                                            static_cast<int>(column * 64 >> ss_h),
                                            static_cast<int>(row * 64 >> ss_v),
                                            see};
                edges.columns();
                edges.rows();
            }
}

void run_loop_filter(const Vp9Batch &batch, std::byte *dst) {
    std::vector<Plane> planes;
    for (unsigned p = 0; p < batch.dst.format.planes; p++)
        planes.emplace_back(batch.dst, p, dst);
    each_filter_edge(batch, [&](const Vp9FilterEdge &edge) { filter_edge(batch, planes[edge.plane], edge); });
}

} // namespace dd::reference
