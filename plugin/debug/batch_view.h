// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include "daedalus/daedalus.h"

#include <array>
#include <cstddef>
#include <variant>

namespace dd {

struct Av1Batch;
struct Vp9Batch;

// What save_batch writes; pixels by layout, nullptr for references that aren't there or that nothing reads.
struct BatchView {
    unsigned phases = 0;
    std::variant<const Vp9Batch *, const Av1Batch *> batch;
    const std::byte *dst = nullptr;
    std::array<const std::byte *, DD_MAX_REFERENCES> ref{};
};

} // namespace dd
