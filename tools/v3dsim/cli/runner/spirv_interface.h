// SPDX-License-Identifier: BSD-2-Clause
//
// What a compute module asks of its pipeline layout, read from the module itself.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace v3drun {

enum class Resource { StorageBuffer, UniformBuffer };

struct SpirvInterface {
    std::map<std::uint32_t, Resource> bindings; // of set 0
    bool push_constants = false;
};

std::vector<std::uint32_t> load_spirv(const std::string &path);
SpirvInterface read_interface(std::span<const std::uint32_t> words);

} // namespace v3drun
