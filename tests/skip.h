// SPDX-License-Identifier: BSD-2-Clause
//
// Tests that this machine can't run. Catch2 2 knows none.
#pragma once

namespace dd::test {

// Says why; the summary counts the test case as skipped. It has to return afterwards.
void skip(const char *why);

} // namespace dd::test
