// SPDX-License-Identifier: BSD-2-Clause
//
// Where coefficients lie, by dav1d's scans.
#pragma once
#include "av1/residual.h"
#include "kernels/av1_dav1d.h"

#include <algorithm>

namespace dd::test {

// Of the coefficient of index i: column after column.
inline unsigned dav1d_position(unsigned size, unsigned type, unsigned i) {
    const Av1Shape shape = av1_shape(size, type);
    const unsigned w = std::min(shape.w, 32u), h = std::min(shape.h, 32u);
    switch (test_tx_class(static_cast<int>(type))) {
    case 1: // by columns
        return i;
    case 2:
        return i % w * h + i / w;
    default:
        return test_scan(static_cast<int>(size))[i];
    }
}

} // namespace dd::test
