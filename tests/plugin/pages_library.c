// SPDX-License-Identifier: BSD-2-Clause
//
// A library with all kinds of memory, for tests of what is given back of it.
#include "plugin/pages_library.h"

static const unsigned char constants[PAGES_BYTES] = {1, 2, 3};
static const unsigned char *const relocated[PAGES_POINTERS] = {constants, constants + 1};
static unsigned char variables[PAGES_BYTES] = {4, 5, 6};

static unsigned add(unsigned a, unsigned b) {
    return a + b;
}

struct PagesLibrary pages_library(void) {
    const struct PagesLibrary library = {constants, relocated, variables, add};
    return library;
}
