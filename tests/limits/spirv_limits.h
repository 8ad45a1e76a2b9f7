// SPDX-License-Identifier: BSD-2-Clause
//
// What V3D, the smallest device that the kernels are for, does not have or has little of, looked for in a SPIR-V
// module.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dd::test {

struct SpirvLimits {
    std::uint32_t invocations = 256;
    std::uint32_t shared_bytes = 16384;
    std::uint32_t storage_buffers = 8;
    std::uint32_t push_bytes = 128;
};

// One line for each violation; empty: the module obeys. A module that can't be understood violates too.
std::vector<std::string> violations(std::span<const std::uint32_t> module, const SpirvLimits &limits = {});

} // namespace dd::test
