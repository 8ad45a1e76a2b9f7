// SPDX-License-Identifier: BSD-2-Clause
//
// What a driver has made of the kernels, kept in the user's cache from one process to the next. A file is of one
// driver and one set of kernels; one that is of another, is cut short or damaged in any byte is as good as none,
// since drivers trust what they have written.
#pragma once
#include <string>
#include <string_view>

namespace dd {

// `compiler` names the device and its driver. Empty: there is no place for a cache folder.
std::string pipeline_store_path(const std::string &compiler);
// Empty: nothing that can be used.
std::string load_pipelines(const std::string &path);
void save_pipelines(const std::string &path, std::string_view data);

} // namespace dd
