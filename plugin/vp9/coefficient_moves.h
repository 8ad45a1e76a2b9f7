// SPDX-License-Identifier: BSD-2-Clause
//
// VP9's ends of blocks: how they are read, and the corners that they allow.
#pragma once
#include "batch/coefficient_moves.h"
#include "vp9/batch.h"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace dd {

template <unsigned kind>
constexpr unsigned corner_of(unsigned eob) {
    if constexpr (kind == DD_ITX_WHT)
        return 1;
    // The last position of the default scans (clause 10.5) that stays inside a corner.
    constexpr unsigned last[4][3] = {{16, 0, 0}, {12, 64, 0}, {10, 38, 256}, {0, 34, 135}};
    if (eob == 1)
        return 0;
    for (unsigned corner = 1; corner <= 3; corner++)
        if (eob <= last[kind % 4][corner - 1])
            return corner;
    return 4;
}

template <unsigned kind>
unsigned read_eob(const std::uint8_t *from) {
    std::conditional_t<(itx_size(kind) > 8), std::uint16_t, std::uint8_t> eob;
    std::memcpy(&eob, from, sizeof(eob));
    return eob;
}

} // namespace dd
