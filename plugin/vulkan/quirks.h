// SPDX-License-Identifier: BSD-2-Clause
//
// What is special about certain drivers: the one place for it.
#pragma once
#include "vulkan/api.h"
#include "vulkan/dispatch.h"

#include <chrono>

namespace dd {

struct Quirks {
    Profile profile = Profile::wide;
    // How much longer than a GPU the device may take before it counts as hung.
    unsigned patience = 1;
    // Workgroups that have begun all go on, so that one may wait for another.
    bool side_by_side = true;
    // For work that was given up to end before its device is destroyed. What doesn't is left behind with the device.
    std::chrono::milliseconds closing_patience{100};
};

Quirks quirks_of(VkDriverId driver, VkPhysicalDeviceType type);

} // namespace dd
