// SPDX-License-Identifier: BSD-2-Clause
//
// A dispatch as the codec's planner describes it and the executor records it. This header names no Vulkan type:
// kernels/<codec> and the planner (plugin/vulkan/vp9_dispatch.cpp) meet the executor here.
#pragma once
#include "kernel_table.h" // generated from kernels/kernels.list: enum class KernelId, kernel_spirv(KernelId)

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace dd {

// V3D's limit, and the smallest that Vulkan guarantees.
constexpr std::size_t kMaxPushBytes = 128;

struct Dispatch {
    KernelId kernel{};
    std::array<std::uint32_t, kMaxPushBytes / 4> push{}; // the kernel's push constant block
    std::uint32_t push_bytes = 0;
    std::uint32_t groups = 1;
    std::uint32_t groups_y = 1;
    bool barrier = false;        // writes of the dispatches before must be visible to this one
    std::uint32_t records_at = 0; // byte offset of DD_BIND_RECORDS in the batch's upload buffer, 64-aligned

    template <typename T> void set_push(const T &block) {
        static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= kMaxPushBytes && sizeof(T) % 4 == 0);
        std::memcpy(push.data(), &block, sizeof(T));
        push_bytes = sizeof(T);
    }
};

} // namespace dd
