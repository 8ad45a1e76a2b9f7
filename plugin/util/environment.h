// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include "daedalus/daedalus.h"

#include <cstdint>
#include <cstdlib>
#include <string>

namespace dd {

// The value of an environment variable; empty where it isn't set, and in a program that runs with other rights than
// its caller's.
inline std::string environment(const char *name) {
    const char *value = secure_getenv(name);
    return value ? value : "";
}

// A variable that only tests set: builds without -Dtest_hooks=true don't know it.
inline std::string test_hook([[maybe_unused]] const char *name) {
#ifdef DD_TEST_HOOKS
    return environment(name);
#else
    return {};
#endif
}

// What the caller asked for, else the environment, else the default. Empty values mean the default.
inline std::string option_or_environment(const char *option, const char *name, const char *otherwise) {
    const std::string value = option ? option : environment(name);
    return value.empty() ? otherwise : value;
}

// The same of an option that is on or off (DD_OPTION_*): without either it is off.
inline bool option_or_environment(std::uint32_t option, const char *name) {
    return option == DD_OPTION_UNSET ? environment(name) == "1" : option != DD_OPTION_OFF;
}

// A number of such a variable, or `otherwise` where it isn't one.
inline long test_hook_number(const char *name, long otherwise) {
    const std::string text = test_hook(name);
    char *end = nullptr;
    const long value = std::strtol(text.c_str(), &end, 10);
    return text.empty() || *end ? otherwise : value;
}

} // namespace dd
