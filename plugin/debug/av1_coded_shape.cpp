// SPDX-License-Identifier: BSD-2-Clause
#include "debug/av1_coded_shape.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace dd {
namespace {

// log2 of the side of the largest corner.
unsigned most_log2(unsigned side) {
    return static_cast<unsigned>(std::countr_zero(std::min(side, 32u)));
}

std::unordered_map<std::uint32_t, Av1CodedShape> make_shapes() {
    std::unordered_map<std::uint32_t, Av1CodedShape> shapes;
    for (unsigned size = 0; size < kAv1TxSizes; size++)
        for (unsigned type = 0; type < kAv1TxTypes; type++) {
            const Av1Shape shape = av1_shape(size, type);
            if (!shape.valid)
                continue;
            if (type == 0)
                shapes.emplace(av1_shape_bits(shape, {}), Av1CodedShape{size, type, {}});
            for (unsigned w = 2; w <= most_log2(shape.w); w++)
                for (unsigned h = 2; h <= most_log2(shape.h); h++)
                    shapes.emplace(av1_shape_bits(shape, {w, h}), Av1CodedShape{size, type, {w, h}});
        }
    return shapes;
}

} // namespace

std::optional<Av1CodedShape> av1_shape_of_bits(std::uint32_t bits) {
    static const auto shapes = make_shapes();
    const auto found = shapes.find(bits);
    return found == shapes.end() ? std::nullopt : std::optional(found->second);
}

} // namespace dd
