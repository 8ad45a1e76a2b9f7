// SPDX-License-Identifier: BSD-2-Clause
//
// What is special about certain drivers: the one place for it.
#pragma once
#include "batch/dispatch.h"
#include "vulkan/api.h"

namespace dd {

struct Quirks {
    Profile profile = Profile::wide;
    // How much longer than a GPU the device may take before it counts as hung.
    unsigned patience = 1;
    // Workgroups that have begun all go on, so that one may wait for another. Vulkan doesn't promise that: only
    // drivers on which it was tested have it.
    bool side_by_side = false;
};

Quirks quirks_of(VkDriverId driver, VkPhysicalDeviceType type);

} // namespace dd
