// SPDX-License-Identifier: BSD-2-Clause
//
// Files in the user's cache: whose folder it has to be, and what is left alone.
#include "catch.h"

#include "plugin/decoder.h"
#include "plugin/temporary.h"
#include "util/cache_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace dd;
using namespace dd::test;

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMost = 1000;

std::string content_of(const fs::path &path) {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
}

} // namespace

TEST_CASE("what is kept is read again, and nothing else lies in the folder", "[cache]") {
    const TemporaryFolder folder;
    const Environment cache("XDG_CACHE_HOME", folder.path().string());
    const std::string path = cache_path("name", ".kept");
    REQUIRE(read_cache_file(path, kMost).empty());
    replace_cache_file(path, "first");
    replace_cache_file(path, "second");
    REQUIRE(read_cache_file(path, kMost) == "second");
    REQUIRE(read_cache_file(path, 3).empty());
    REQUIRE(std::distance(fs::directory_iterator(folder.path() / "daedalus"), {}) == 1);
    REQUIRE(fs::status(folder.path() / "daedalus").permissions() == fs::perms::owner_all);
    REQUIRE(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("a folder that others may read becomes the user's alone, one that others may write to isn't used",
          "[cache]") {
    const TemporaryFolder folder;
    const Environment cache("XDG_CACHE_HOME", folder.path().string());
    const fs::path own = folder.path() / "daedalus";
    const std::string path = cache_path("name", ".kept");
    fs::create_directory(own);
    fs::permissions(own, fs::perms::owner_all | fs::perms::others_read);
    replace_cache_file(path, "kept");
    REQUIRE(fs::status(own).permissions() == fs::perms::owner_all);
    REQUIRE(read_cache_file(path, kMost) == "kept");
    fs::permissions(own, fs::perms::owner_all | fs::perms::others_write);
    replace_cache_file(path, "other");
    REQUIRE(content_of(path) == "kept");
    REQUIRE(read_cache_file(path, kMost).empty());
}

TEST_CASE("no symbolic link is followed", "[cache]") {
    const TemporaryFolder folder, elsewhere;
    const Environment cache("XDG_CACHE_HOME", folder.path().string());
    const std::string path = cache_path("name", ".kept");
    SECTION("of the folder") {
        fs::create_directory_symlink(elsewhere.path(), folder.path() / "daedalus");
        replace_cache_file(path, "kept");
        REQUIRE(fs::is_empty(elsewhere.path()));
        std::ofstream(elsewhere.path() / fs::path(path).filename()) << "foreign";
        REQUIRE(read_cache_file(path, kMost).empty());
    }
    SECTION("of a file") {
        const fs::path target = elsewhere.path() / "target";
        std::ofstream(target) << "foreign";
        fs::create_directory(folder.path() / "daedalus");
        fs::permissions(folder.path() / "daedalus", fs::perms::owner_all);
        fs::create_symlink(target, path);
        REQUIRE(read_cache_file(path, kMost).empty());
        replace_cache_file(path, "kept");
        REQUIRE(content_of(target) == "foreign");
        REQUIRE(read_cache_file(path, kMost) == "kept");
    }
}

TEST_CASE("the cache can be turned off", "[cache]") {
    const TemporaryFolder folder;
    const Environment cache("XDG_CACHE_HOME", folder.path().string()), off("DAEDALUS_USER_CACHE", "off");
    REQUIRE(cache_path("name", ".kept").empty());
    replace_cache_file(cache_path("name", ".kept"), "kept");
    REQUIRE(fs::is_empty(folder.path()));
}
