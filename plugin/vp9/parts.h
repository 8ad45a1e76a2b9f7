// SPDX-License-Identifier: BSD-2-Clause
//
// What the planners of VP9's stages share.
#pragma once
#include "batch/picture_layout.h"
#include "common/records.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dd {

// Of kernels without barriers. v3dv packs as many workgroups into a supergroup as it takes to fill its batches of 16
// invocations, here sixteen, and V3D runs one supergroup after another.
constexpr unsigned kLanes = 255;

enum VpKernel : unsigned {
    kMc,
    kMcPair,
    kScaledMc,
    kItxDc,
    kItx4,
    kItx8,
    kItx16,
    kItx32,
    kWht,
    kIntraItx,
    kIntra,
    kLf,
    kLfInner,
    kLfSuperblock,
    kKernels
};

unsigned kernel_of(VpKernel kernel, unsigned bit_depth);

constexpr std::uint32_t groups_for(std::size_t lanes, unsigned lanes_a_group) {
    return static_cast<std::uint32_t>((lanes + lanes_a_group - 1) / lanes_a_group);
}

DdPlanes planes_of(const PictureLayout &layout);

template <typename List>
std::byte *append(std::byte *to, const List &from) {
    const std::size_t bytes = from.size() * sizeof(from[0]);
    if (bytes)
        std::memcpy(to, from.data(), bytes);
    return to + bytes;
}

} // namespace dd
