// SPDX-License-Identifier: BSD-2-Clause
#include "report.h"

void watch_plugin() {}

std::string more_fields() {
    return {};
}
