// SPDX-License-Identifier: BSD-2-Clause
#include "catch.h"

#include "plugin/temporary.h"
#include "skip.h"
#include "util/device_file.h"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace dd;
using namespace dd::test;

namespace {

// As a user that owns nothing, where this process may become one.
std::string denied_to_others(const std::string &path) {
    constexpr uid_t kNobody = 65534;
    const uid_t self = geteuid();
    const bool changed = self == 0 && seteuid(kNobody) == 0;
    const char *paths[] = {"/nonexistent", path.c_str()};
    const std::string text = denied_device_file(paths);
    if (changed)
        REQUIRE(seteuid(self) == 0);
    return text;
}

} // namespace

TEST_CASE("a device's file that is denied is named, with the group that may open it", "[util]") {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "node").string();
    std::ofstream(path) << "x";
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
    SECTION("everybody may") {
        std::filesystem::permissions(path, std::filesystem::perms(0666));
        CHECK(denied_to_others(path).empty());
    }
    SECTION("no user may") {
        std::filesystem::permissions(path, std::filesystem::perms(0));
        CHECK(denied_to_others(path) == path + ": permission denied");
    }
    SECTION("a group may") {
        std::filesystem::permissions(path, std::filesystem::perms(0060));
        const group *video = getgrnam("video");
        if (geteuid() != 0 || !video)
            return skip("only root gives a file another group");
        REQUIRE(chown(path.c_str(), 0, video->gr_gid) == 0);
        CHECK(denied_to_others(path) == path + ": permission denied (users of group video may open it)");
    }
}
