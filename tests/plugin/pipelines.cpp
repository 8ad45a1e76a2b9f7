// SPDX-License-Identifier: BSD-2-Clause
//
// What drivers have compiled is kept for the next process.
#include "catch.h"

#include "plugin/decoder.h"
#include "plugin/temporary.h"
#include "vp9/dispatch.h"
#include "vulkan/gpu.h"
#include "vulkan/pipeline_store.h"

#include <filesystem>
#include <fstream>
#include <string>

using namespace dd;
using namespace dd::test;

namespace {

std::string content(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

TEST_CASE("what a driver has compiled is kept whole or not at all", "[pipelines]") {
    const TemporaryFolder folder;
    const Environment cache("XDG_CACHE_HOME", folder.path().string());
    const std::string path = pipeline_store_path("Some GPU/7"), data = "what a driver has made of kernels";
    REQUIRE(path == (folder.path() / "daedalus" / "Some-GPU-7.pipelines").string());
    REQUIRE(load_pipelines(path).empty());
    save_pipelines(path, data);
    REQUIRE(load_pipelines(path) == data);
    const std::string good = content(path);
    for (std::size_t at = 0; at < good.size(); at++) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 1);
        std::ofstream(path, std::ios::binary) << bad;
        INFO("byte " << at);
        REQUIRE(load_pipelines(path).empty());
        std::ofstream(path, std::ios::binary) << good.substr(0, at);
        REQUIRE(load_pipelines(path).empty());
    }
    std::ofstream(path, std::ios::binary) << good << '\0';
    REQUIRE(load_pipelines(path).empty());
    save_pipelines(path, data);
    REQUIRE(load_pipelines(path) == data);
}

TEST_CASE("compiled kernels that can't be kept are no error", "[pipelines]") {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "daedalus") << "a file where the folder should be";
    const Environment cache("XDG_CACHE_HOME", folder.path().string());
    save_pipelines(pipeline_store_path("x"), "data");
    REQUIRE(load_pipelines(pipeline_store_path("x")).empty());
    const Environment none("XDG_CACHE_HOME", (folder.path() / "absent/cache").string());
    REQUIRE(pipeline_store_path("x").empty());
    save_pipelines("", "data");
    REQUIRE(load_pipelines("").empty());
}

TEST_CASE("several threads make pipelines, and one that can't be made is told", "[pipelines]") {
    const PictureFormat kind = format(0, 0);
    const unsigned threads = GENERATE(1u, 3u, 64u);
    CAPTURE(threads);
    std::size_t count = 0;
    {
        const auto gpu = open_own_gpu();
        const auto kernels = vp9_kernels(kind, gpu->info().profile);
        count = kernels.size();
        REQUIRE_FALSE(gpu->is_prepared(kernels));
        std::stop_source stopped;
        stopped.request_stop();
        REQUIRE(gpu->prepare(kernels, threads, stopped.get_token()));
        REQUIRE_FALSE(gpu->is_prepared(kernels));
        REQUIRE(gpu->prepare(kernels, threads));
        REQUIRE(gpu->is_prepared(kernels));
    }
    REQUIRE(count > 1);
    const Environment fault("DAEDALUS_FAULT", "pipeline:" + std::to_string(count));
    const auto gpu = open_own_gpu();
    const auto kernels = vp9_kernels(kind, gpu->info().profile);
    REQUIRE(gpu->prepare(kernels, threads).result == DD_ERR_NO_MEMORY);
    REQUIRE_FALSE(gpu->is_prepared(kernels));
    REQUIRE(gpu->prepare(kernels, threads)); // the one that is missing
    REQUIRE(gpu->is_prepared(kernels));
}
