// SPDX-License-Identifier: BSD-2-Clause
#include "reference/av1_residual.h"
#include "batch/av1_transform.h"
#include "reference/pixels.h"

#include <vector>

namespace dd::reference {

void add_residual(const PictureLayout &layout, const DdAv1Residual &r, std::byte *dst) {
    const Av1Shape shape = av1_shape(r.size, r.type);
    const unsigned coded_w = std::min(shape.w, 32u), coded_h = std::min(shape.h, 32u);
    std::vector<std::int64_t> x(std::size_t{shape.w} * shape.h);
    for (unsigned row = 0; row < coded_h; row++)
        for (unsigned column = 0; column < coded_w; column++)
            x[row * shape.w + column] = layout.format.bit_depth == 8
                                            ? static_cast<const std::int16_t *>(r.coefs)[column * coded_h + row]
                                            : static_cast<const std::int32_t *>(r.coefs)[column * coded_h + row];
    av1_inverse_transform(x, shape, layout.format.bit_depth);
    Plane plane(layout, r.plane, dst);
    for (unsigned row = 0; row < shape.h; row++)
        for (unsigned column = 0; column < shape.w; column++) {
            const int px = static_cast<int>(r.x + column), py = static_cast<int>(r.y + row);
            plane.set(px, py, plane.clip(plane.at(px, py) + x[row * shape.w + column]));
        }
}

} // namespace dd::reference
