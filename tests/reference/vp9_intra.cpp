// SPDX-License-Identifier: BSD-2-Clause
#include "reference/pixels.h"
#include "reference/vp9_reference.h"
#include "vp9/transform.h"

#include <vector>

namespace dd::reference {
namespace {

using Residuals = std::vector<int>; // of a recorder, two a word

// ---- residuals, clause 8.7 ----

std::int64_t coefficient(const Vp9Recorder &recorder, std::uint32_t at, unsigned index, unsigned bytes_per_pixel) {
    if (bytes_per_pixel == 1)
        return static_cast<std::int16_t>(recorder.coefs.data()[at + index / 2] >> (index % 2 * 16));
    return static_cast<std::int32_t>(recorder.coefs.data()[at + index]);
}

void transform(const Vp9Recorder &recorder, const PictureLayout &layout, const DdIntraItxRecord &r, unsigned size,
               Residuals &to) {
    const unsigned n = 4u << size, side = corner_size(r.how & DD_INTRA_ITX_CORNER_MASK);
    std::array<std::int64_t, 32 * 32> x{};
    for (unsigned at = 0; at < side * side; at++)
        x[at % side * n + at / side] = coefficient(recorder, r.coefs, at, layout.bytes_per_pixel());
    Vp9Transform inverse;
    const std::span<std::int64_t> all(x.data(), std::size_t{n} * n);
    vp9_intra_inverse_rows(inverse, all, n, n, (r.how & DD_INTRA_ITX_ADST_ROWS) != 0);
    vp9_intra_inverse_columns(inverse, all, n, (r.how & DD_INTRA_ITX_ADST_COLUMNS) != 0);
    const unsigned shift = std::min(4 + size, 6u);
    const std::int64_t most = (1 << layout.format.bit_depth) - 1; // more makes no difference to a pixel
    for (std::size_t i = 0; i < all.size(); i++)
        to[std::size_t{2} * r.residual + i] =
            static_cast<int>(std::clamp((all[i] + (1 << (shift - 1))) >> shift, -most, most));
}

Residuals residuals_of(const Vp9Recorder &recorder, const PictureLayout &layout) {
    Residuals all(std::size_t{2} * recorder.intra_words);
    for (unsigned size = 0; size < DD_INTRA_SIZES; size++)
        for (const DdIntraItxRecord &r : recorder.intra_itx[size])
            transform(recorder, layout, r, size, all);
    return all;
}

// ---- prediction, clause 8.5.1 ----

// The pixels around a block, as all modes see them.
class Edge {
  public:
    Edge(const Plane &plane, int bit_depth, int x, int y, std::uint32_t how)
        : plane_(plane), x_(x), y_(y), base_(128 << (bit_depth - 8)), has_left_((how & DD_INTRA_HAS_LEFT) != 0),
          has_above_((how & DD_INTRA_HAS_ABOVE) != 0),
          last_above_(static_cast<int>(how >> DD_INTRA_LAST_ABOVE_SHIFT & 7) * 4 + 3),
          last_left_(static_cast<int>(how >> DD_INTRA_LAST_LEFT_SHIFT & 7) * 4 + 3) {}

    bool has_left() const { return has_left_; }
    bool has_above() const { return has_above_; }
    int base() const { return base_; }
    int above(int i) const { return has_above_ ? plane_.at(x_ + std::min(i, last_above_), y_ - 1) : base_ - 1; }
    int left(int i) const { return has_left_ ? plane_.at(x_ - 1, y_ + std::min(i, last_left_)) : base_ + 1; }
    int corner() const { return has_left_ && has_above_ ? plane_.at(x_ - 1, y_ - 1) : base_ + (has_above_ ? 1 : -1); }
    // Both as one line: the corner is 0, pixels above are positive, pixels to the left negative.
    int around(int i) const { return i > 0 ? above(i - 1) : i < 0 ? left(-i - 1) : corner(); }

  private:
    const Plane &plane_;
    int x_, y_, base_;
    bool has_left_, has_above_;
    int last_above_, last_left_;
};

int average(int a, int b) {
    return (a + b + 1) >> 1;
}
int average(int a, int b, int c) {
    return (a + 2 * b + c + 2) >> 2;
}

int dc(const Edge &edge, int n) {
    if (!edge.has_above() && !edge.has_left())
        return edge.base();
    int sum = 0, count = 0;
    for (int i = 0; i < n; i++) {
        sum += (edge.has_above() ? edge.above(i) : 0) + (edge.has_left() ? edge.left(i) : 0);
        count += edge.has_above() + edge.has_left();
    }
    return (sum + count / 2) / count;
}

// Even steps lie between two pixels of a line, odd ones on a pixel.
template <class Line>
int half_step(const Line &line, int at, int step) {
    return step % 2 ? average(line(at), line(at + 1), line(at + 2)) : average(line(at), line(at + 1));
}

// D117; D153 is the same with above and left exchanged.
template <class Around>
int steep(const Around &around, int row, int column) {
    const int at = column - row / 2;
    if (at >= 0)
        return half_step(around, row % 2 ? at - 1 : at, row);
    const int middle = 2 * column - row + 1;
    return average(around(middle - 1), around(middle), around(middle + 1));
}

// Pixels of a diagonal line upwards to the right. Only blocks of 4x4 see pixels beyond their own width, and the last
// of those isn't smoothed.
int downwards_left(const Edge &edge, int n, int at) {
    return n == 4 && at == 6 ? edge.above(7) : average(edge.above(at), edge.above(at + 1), edge.above(at + 2));
}

int predicted(const Edge &edge, const Plane &plane, unsigned mode, int n, int row, int column) {
    const auto above = [&](int i) { return edge.above(i); };
    const auto left = [&](int i) { return edge.left(i); };
    const auto around = [&](int i) { return edge.around(i); };
    const auto mirrored = [&](int i) { return edge.around(-i); };
    const int diagonal = column - row;
    switch (mode) {
    case DD_INTRA_V:
        return edge.above(column);
    case DD_INTRA_H:
        return edge.left(row);
    case DD_INTRA_DC:
        return dc(edge, n);
    case DD_INTRA_D45:
        return downwards_left(edge, n, row + column);
    case DD_INTRA_D135:
        return average(around(diagonal - 1), around(diagonal), around(diagonal + 1));
    case DD_INTRA_D117:
        return steep(around, row, column);
    case DD_INTRA_D153:
        return steep(mirrored, column, row);
    case DD_INTRA_D63:
        return half_step(above, column + row / 2, row);
    case DD_INTRA_D207:
        return half_step(left, row + column / 2, column);
    default:
        return plane.clip(edge.left(row) + edge.above(column) - edge.corner());
    }
}

// `residual`: NULL: none.
void reconstruct(const Vp9Batch &batch, std::byte *dst, unsigned plane_index, const DdIntraRecord &r,
                 const int *residual) {
    Plane plane(batch.dst, plane_index, dst);
    const int x = static_cast<int>(r.dst & 0xfffc), y = static_cast<int>(r.dst >> 16), n = 4 << intra_size(r.how);
    const Edge edge(plane, batch.dst.format.bit_depth, x, y, r.how);
    const unsigned mode = r.how >> DD_INTRA_MODE_SHIFT & 15;
    std::array<int, 32 * 32> pixels{};
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++)
            pixels[static_cast<std::size_t>(row * n + column)] = predicted(edge, plane, mode, n, row, column);
    for (int i = 0; i < n * n; i++)
        plane.set(x + i % n, y + i / n, plane.clip(pixels[static_cast<std::size_t>(i)] + (residual ? residual[i] : 0)));
}

} // namespace

void run_intra(const Vp9Batch &batch, std::byte *dst) {
    for (const Vp9Recorder &recorder : batch.recorders) {
        const Residuals residuals = residuals_of(recorder, batch.dst);
        const auto run = [&](const DdIntraRecord &r, unsigned plane, std::uint32_t flag, std::uint32_t at) {
            reconstruct(batch, dst, plane, r, r.how & flag ? residuals.data() + std::size_t{2} * at : nullptr);
        };
        for (const auto &[record, level] : recorder.intra) {
            const unsigned plane = record.dst & 3;
            run(record, plane, DD_INTRA_HAS_RESIDUAL, record.residual);
            if (plane)
                run(record, 2, DD_INTRA_HAS_RESIDUAL_V, record.residual_v);
        }
    }
}

} // namespace dd::reference
