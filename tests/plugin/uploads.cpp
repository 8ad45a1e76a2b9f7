// SPDX-License-Identifier: BSD-2-Clause
//
// Which frame gets which buffer for its upload.
#include "catch.h"

#include "plugin/decoder.h"
#include "vulkan/gpu.h"

#include <cstring>

using namespace dd;
using namespace dd::test;

namespace {

constexpr std::size_t kKib = 1024, kSmall = 64 * kKib, kLarge = 3000 * kKib;

std::byte *upload(GpuJob &job, std::size_t bytes) {
    PhaseWork work;
    work.upload_bytes = bytes;
    REQUIRE(job.begin({&work, nullptr}));
    std::byte *const at = job.upload(0);
    std::memset(at, 1, bytes);
    return at;
}

} // namespace

TEST_CASE("large uploads share what was made for one of them", "[memory]") {
    const auto gpu = open_own_gpu();
    GpuJob first(gpu), second(gpu);
    const std::byte *const large = upload(first, kLarge), *const small = upload(second, kSmall);
    first.release();
    second.release();
    for (unsigned i = 0; i < 4; i++) {
        GpuJob &one = i % 2 ? first : second, &other = i % 2 ? second : first;
        REQUIRE(upload(one, kSmall) == small);
        REQUIRE(upload(other, kLarge) == large);
        (i & 2 ? one : other).release();
        (i & 2 ? other : one).release();
    }
}
