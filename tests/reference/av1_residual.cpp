// SPDX-License-Identifier: BSD-2-Clause
#include "reference/av1_residual.h"
#include "av1/transform.h"
#include "debug/av1_coded_shape.h"
#include "reference/pixels.h"

#include <algorithm>
#include <cstring>

namespace dd::reference {
namespace {

// Rows, then columns. Gives the residual.
void transform(std::span<std::int64_t> x, const Av1Shape &shape, unsigned bit_depth) {
    Av1Transform rows, columns;
    const std::size_t w = shape.w, h = shape.h;
    const bool lossless = shape.horizontal == Av1Kind::wht;
    av1_transform_rows(rows, x, shape, bit_depth, std::min<std::size_t>(h, 32));
    std::array<std::int64_t, 64> line{};
    const std::span<std::int64_t> column(line.data(), h);
    for (std::size_t i = 0; i < w; i++) {
        for (std::size_t y = 0; y < h; y++)
            column[y] = x[y * w + i];
        av1_transform_column(columns, column, shape);
        for (std::size_t y = 0; y < h; y++)
            x[y * w + i] = lossless ? column[y] : (column[y] + 8) >> 4;
    }
}

} // namespace

DdAv1Residual residual_of_record(const PictureLayout &layout, const Av1Residuals &residuals, std::uint32_t shape,
                                 const DdAv1ItxRecord &record, Av1Coefs &coefs) {
    const Av1CodedShape coded = *av1_shape_of_bits(shape);
    const std::size_t bytes = layout.bytes_per_pixel() * 2, stride = std::min(av1_shape(coded.size, 0).h, 32u);
    const std::size_t cols = std::size_t{1} << coded.corner.cols, rows = std::size_t{1} << coded.corner.rows;
    coefs = {};
    const auto *from = reinterpret_cast<const std::byte *>(residuals.coefs.data() + record.coefs);
    for (std::size_t column = 0; column < cols; column++)
        std::memcpy(reinterpret_cast<std::byte *>(coefs.data()) + column * stride * bytes, from + column * rows * bytes,
                    rows * bytes);
    DdAv1Residual r{};
    r.size = static_cast<std::uint8_t>(coded.size);
    r.type = static_cast<std::uint8_t>(coded.type);
    r.coefs = coefs.data();
    return r;
}

std::vector<std::int64_t> residual_of(const PictureLayout &layout, const DdAv1Residual &r) {
    const Av1Shape shape = av1_shape(r.size, r.type);
    const unsigned coded_w = std::min(shape.w, 32u), coded_h = std::min(shape.h, 32u);
    std::vector<std::int64_t> x(std::size_t{shape.w} * shape.h);
    for (unsigned row = 0; row < coded_h; row++)
        for (unsigned column = 0; column < coded_w; column++)
            x[row * shape.w + column] = layout.format.bit_depth == 8
                                            ? static_cast<const std::int16_t *>(r.coefs)[column * coded_h + row]
                                            : static_cast<const std::int32_t *>(r.coefs)[column * coded_h + row];
    transform(x, shape, layout.format.bit_depth);
    return x;
}

void add_residual(const PictureLayout &layout, const DdAv1Residual &r, std::byte *dst) {
    const Av1Shape shape = av1_shape(r.size, r.type);
    const std::vector<std::int64_t> x = residual_of(layout, r);
    Plane plane(layout, r.plane, dst);
    for (unsigned row = 0; row < shape.h; row++)
        for (unsigned column = 0; column < shape.w; column++) {
            const int px = static_cast<int>(r.x + column), py = static_cast<int>(r.y + row);
            plane.set(px, py, plane.clip(plane.at(px, py) + x[row * shape.w + column]));
        }
}

} // namespace dd::reference
