// SPDX-License-Identifier: BSD-2-Clause
//
// Memory for coefficients where the GPU reads them: which frame gets which.
#include "catch.h"

#include "plugin/decoder.h"
#include "skip.h"
#include "vulkan/gpu.h"

#include <algorithm>
#include <cstring>

using namespace dd;
using namespace dd::test;

namespace {

constexpr std::size_t kKib = 1024, kSmall = 64 * kKib, kLarge = 3000 * kKib;

// nullptr: the CPU reads no memory of it fast, and the test is skipped. A software renderer's is.
std::shared_ptr<Gpu> open() {
    auto gpu = open_own_gpu();
    if (gpu->info().has_cached_memory)
        return gpu;
    REQUIRE(test_device() != "llvmpipe");
    skip("the device has no memory that the CPU reads fast");
    return nullptr;
}

std::span<std::byte> acquired(GpuJob &job, std::size_t bytes) {
    std::span<std::byte> capacity;
    REQUIRE(job.acquire_coefs(bytes, capacity));
    REQUIRE(capacity.size() >= bytes);
    return capacity;
}

std::span<std::byte> grown(GpuJob &job, std::span<const std::byte> used, std::size_t bytes) {
    const std::vector<std::byte> before(used.begin(), used.end());
    std::span<std::byte> capacity;
    REQUIRE(job.grow_coefs(used, bytes, capacity));
    REQUIRE(capacity.size() >= bytes);
    REQUIRE(std::equal(before.begin(), before.end(), capacity.begin()));
    return capacity;
}

std::span<std::byte> filled(std::span<std::byte> capacity, unsigned char with) {
    std::memset(capacity.data(), with, capacity.size());
    return capacity;
}

} // namespace

TEST_CASE("a frame that outgrows its capacity gets more, with what is there", "[memory]") {
    const auto gpu = open();
    if (!gpu)
        return;
    GpuJob job(gpu);
    const auto small = filled(acquired(job, kSmall), 7);
    const auto large = grown(job, small, kLarge);
    REQUIRE(large.size() < 2 * kLarge);
    filled(large, 8);
}

TEST_CASE("large capacity is for the frames that need it", "[memory]") {
    const auto gpu = open();
    if (!gpu)
        return;
    GpuJob first(gpu), second(gpu);
    const auto large = grown(first, acquired(first, kSmall), kLarge);
    const auto small = acquired(second, kSmall);
    REQUIRE(small.size() < kLarge);
    first.release();
    second.release();
    for (unsigned i = 0; i < 3; i++) {
        const auto again = filled(acquired(first, kSmall), 9);
        REQUIRE(again.data() == small.data());
        REQUIRE(grown(first, again, kLarge).data() == large.data());
        first.release();
    }
    SECTION("and not for those that need a little more than most") {
        REQUIRE(acquired(first, small.size() + 1).data() != large.data());
        REQUIRE(acquired(second, kLarge).data() == large.data());
    }
    SECTION("and given back when it was not needed for long") {
        for (unsigned i = 0; i < 2000; i++)
            REQUIRE(acquired(first, kSmall).data() == small.data());
        REQUIRE(acquired(first, kLarge / 2).size() < large.size());
    }
}

TEST_CASE("large uploads share what was made for one of them", "[memory]") {
    const auto gpu = open();
    if (!gpu)
        return;
    GpuJob first(gpu), second(gpu);
    const auto upload = [](GpuJob &job, std::size_t bytes) {
        PhaseWork work;
        work.upload_bytes = static_cast<std::uint32_t>(bytes);
        REQUIRE(job.begin({&work, nullptr}));
        std::byte *const at = job.upload(0);
        std::memset(at, 1, bytes);
        return at;
    };
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
