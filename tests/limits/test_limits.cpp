// SPDX-License-Identifier: BSD-2-Clause
//
// Every kernel obeys V3D's limits, and modules that don't are found out.
#include "catch.h"
#include "embedded.h"
#include "limits/spirv_limits.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

using dd::test::violations;

namespace {

std::vector<std::uint32_t> read_module(const std::filesystem::path &path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    std::vector<std::uint32_t> words(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), words.size() * 4);
    return words;
}

} // namespace

TEST_CASE("Every kernel obeys the limits of V3D") {
    REQUIRE(dd::embedded_kernels().size() >= 27);
    for (const dd::EmbeddedKernel &kernel : dd::embedded_kernels()) {
        CAPTURE(kernel.name);
        const auto found = violations(kernel.words);
        CAPTURE(found);
        CHECK(found.empty());
    }
}

TEST_CASE("Modules that break a limit are found out") {
    const std::pair<const char *, const char *> wrong[] = {
        {"invocations", "512 invocations"},
        {"shared_memory", "20480 bytes of shared memory"},
        {"storage_buffers", "9 storage buffers"},
        {"push_constants", "132 bytes of push constants"},
        {"int64", "64-bit integers"},
        {"float16", "16-bit floats"},
        {"subgroup_add", "group operation 349"},
        {"subgroup_first", "the first invocation's value without a barrier"},
        {"subgroup_size", "uses a subgroup built-in"},
        {"constant_array", "run-time index into a constant array"},
        {"local_array", "run-time index into a local array"},
    };
    for (const auto &[name, complaint] : wrong) {
        CAPTURE(name);
        const auto module = read_module(std::filesystem::path(WRONG_MODULES) / (std::string(name) + ".spv"));
        REQUIRE(module.size() > 5);
        const auto found = violations(module);
        CAPTURE(found);
        CHECK(std::ranges::find(found, complaint) != found.end());
    }
}

TEST_CASE("What is no SPIR-V module is refused") {
    CHECK_FALSE(violations({}).empty());
    const auto whole = read_module(std::filesystem::path(WRONG_MODULES) / "invocations.spv");
    REQUIRE(whole.size() > 20);
    CHECK_FALSE(violations(std::span(whole).first(whole.size() - 1)).empty());
}
