// SPDX-License-Identifier: BSD-2-Clause
//
// Lines for the user, through the callback that the caller gave.
#pragma once
#include "daedalus/daedalus.h"

#include <string>

namespace dd {

class Log {
  public:
    Log() = default;
    Log(DdLogFn fn, void *opaque) : fn_(fn), opaque_(opaque) {}

    [[gnu::format(printf, 3, 4)]] void line(DdLogLevel level, const char *format, ...) const;
    explicit operator bool() const { return fn_ != nullptr; }

  private:
    DdLogFn fn_ = nullptr;
    void *opaque_ = nullptr;
};

} // namespace dd
