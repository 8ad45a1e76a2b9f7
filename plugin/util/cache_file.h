// SPDX-License-Identifier: BSD-2-Clause
//
// Files in the user's cache: $XDG_CACHE_HOME/daedalus or ~/.cache/daedalus, folders that are made where they are
// missing, for the user alone. What can't be kept there is made again: so it is where the folder is another user's, a
// symbolic link or one that others may write to, in a program that runs with other rights than its caller's, and with
// DAEDALUS_USER_CACHE=off.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace dd {

// Where `name` is kept, in which all but letters, digits and dots become dashes. Empty: there is no place for a cache
// folder.
std::string cache_path(std::string name, const char *extension);
// Empty: there is no such file, or it is larger than `most`.
std::string read_cache_file(const std::string &path, std::size_t most);
// Replaces the file at once, so that a reader sees the old one or the new one. Nothing where it can't be written.
void replace_cache_file(const std::string &path, std::string_view content);

} // namespace dd
