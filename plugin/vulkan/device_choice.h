// SPDX-License-Identifier: BSD-2-Clause
//
// Which Vulkan device a name means. One rule for options, command lines and the environment.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace dd {

struct DeviceFacts {
    std::string name;
    bool cpu_type = false; // a software renderer
    std::string missing;   // what the kernels need and the device lacks; empty: usable
};

struct DeviceChoice {
    int index = -1;  // -1: everything on the CPU
    std::string why; // for the user, where a GPU was asked for and there is none
};

// `wanted`: "auto" (the first usable device that isn't of CPU type), "cpu", an index, or a part of a name in any case.
DeviceChoice choose_device(std::span<const DeviceFacts> devices, std::string_view wanted);

} // namespace dd
