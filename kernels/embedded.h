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

} // namespace dd
