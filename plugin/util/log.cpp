// SPDX-License-Identifier: BSD-2-Clause
#include "util/log.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace dd {

void Log::line(DdLogLevel level, const char *format, ...) const {
    if (!fn_)
        return;
    char text[512] = "daedalus: ";
    const std::size_t start = std::strlen(text);
    va_list args;
    va_start(args, format);
    std::vsnprintf(text + start, sizeof(text) - start, format, args);
    va_end(args);
    fn_(opaque_, level, text);
}

} // namespace dd
