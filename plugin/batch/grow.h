// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include <algorithm>
#include <cstddef>

namespace dd {

// Lengthens a large vector. It is used again for every frame, so it may grow in small steps: a vector's own growth leaves up to half
// of its memory unused.
template <typename Vector>
void grow(Vector &vector, std::size_t by) {
    constexpr std::size_t least = 16 * 1024;
    const std::size_t size = vector.size() + by;
    if (size > vector.capacity())
        vector.reserve(std::max(size, vector.capacity() + std::max(vector.capacity() / 8, least)));
    vector.resize(size);
}

} // namespace dd
