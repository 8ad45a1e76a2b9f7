// SPDX-License-Identifier: BSD-2-Clause
#include "vulkan/quirks.h"

namespace dd {
namespace {

struct Row {
    VkDriverId driver;
    Quirks quirks;
};

constexpr Row table[] = {
    // Each dispatch is a job of the kernel's; a 1080p frame of a simulated device takes minutes, which is what
    // DAEDALUS_TIMEOUT_MS is for.
    {VK_DRIVER_ID_MESA_V3DV, {Profile::v3d, 1, false}},
    // Tested: workgroups that wait for others always ended.
    {VK_DRIVER_ID_NVIDIA_PROPRIETARY, {Profile::wide, 1, true}},
};

constexpr unsigned kCpuTypePatience = 30;

} // namespace

Quirks quirks_of(VkDriverId driver, VkPhysicalDeviceType type) {
    for (const Row &row : table)
        if (row.driver == driver)
            return row.quirks;
    Quirks quirks;
    if (type == VK_PHYSICAL_DEVICE_TYPE_CPU) { // no wider than V3D, and barriers of a workgroup cost it as much
        quirks.profile = Profile::v3d;
        quirks.patience = kCpuTypePatience;
    }
    return quirks;
}

} // namespace dd
