// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/test_device.h"
#include "catch.h"

#include <cstdint>
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
    return profile == Profile::v3d || open_gpu()->info().profile != Profile::v3d;
}

void run_without_tables(GpuJob &job, GpuJobInput input) {
    const std::uint32_t no_tables[64] = {};
    input.tables = no_tables;
    input.cpu_wrote = true;
    REQUIRE(job.submit(input).result == 0);
    REQUIRE(job.wait().result == 0);
}

} // namespace dd::test
