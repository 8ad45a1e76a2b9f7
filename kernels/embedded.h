// SPDX-License-Identifier: BSD-2-Clause
//
// The SPIR-V of every line of kernels.list, embedded in the library.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace dd {

struct EmbeddedKernel {
    std::string_view name;
    std::span<const std::uint32_t> words;
};

// Sorted by name.
std::span<const EmbeddedKernel> embedded_kernels();
// Another one where any kernel is another. Known when they are built: to look at all of them takes their pages into
// memory.
std::uint64_t sum_of_embedded_kernels();

} // namespace dd
