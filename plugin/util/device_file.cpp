// SPDX-License-Identifier: BSD-2-Clause
#include "util/device_file.h"

#include <array>
#include <cerrno>

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dd {
namespace {

std::string group_name(gid_t id) {
    std::array<char, 1024> buffer;
    group entry = {}, *found = nullptr;
    if (getgrgid_r(id, &entry, buffer.data(), buffer.size(), &found) == 0 && found)
        return found->gr_name;
    return std::to_string(id);
}

} // namespace

std::string denied_device_file(std::span<const char *const> paths) {
    constexpr mode_t kGroup = S_IRGRP | S_IWGRP;
    for (const char *path : paths) {
        struct stat file;
        if (stat(path, &file) != 0 || eaccess(path, R_OK | W_OK) == 0 || errno != EACCES)
            continue;
        const std::string text = std::string(path) + ": permission denied";
        const bool by_group = (file.st_mode & kGroup) == kGroup && file.st_gid != 0;
        return by_group ? text + " (users of group " + group_name(file.st_gid) + " may open it)" : text;
    }
    return {};
}

} // namespace dd
