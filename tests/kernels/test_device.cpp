// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/test_device.h"
#include "catch.h"

#include <cstdlib>
#include <string>

namespace dd::test {

const std::shared_ptr<Gpu> &open_gpu() {
    static const std::shared_ptr<Gpu> gpu = [] {
        const char *device = std::getenv("DAEDALUS_DEVICE");
        std::string why;
        auto opened = Gpu::open({device ? device : "llvmpipe", "auto", false}, why);
        if (!opened)
            FAIL("no device: " << why);
        return opened;
    }();
    return gpu;
}

bool has_kernels_of(Profile profile) {
    return profile == Profile::v3d || open_gpu()->profile() != Profile::v3d;
}

} // namespace dd::test
