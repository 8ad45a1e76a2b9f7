// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include <cstdlib>
#include <string>

namespace dd {

// The value of an environment variable; empty where it isn't set.
inline std::string environment(const char *name) {
    const char *value = std::getenv(name);
    return value ? value : "";
}

// What the caller asked for, else the environment, else the default.
inline std::string option_or_environment(const char *option, const char *name, const char *otherwise) {
    const std::string value = option ? option : environment(name);
    return value.empty() ? otherwise : value;
}

// A number of the environment, or `otherwise` where it isn't one.
inline long environment_number(const char *name, long otherwise) {
    const std::string text = environment(name);
    char *end = nullptr;
    const long value = std::strtol(text.c_str(), &end, 10);
    return text.empty() || *end ? otherwise : value;
}

} // namespace dd
