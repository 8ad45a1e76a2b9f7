// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#define PAGES_BYTES (1 << 20)
#define PAGES_POINTERS 4096

struct PagesLibrary {
    const unsigned char *constants;
    const unsigned char *const *relocated;
    unsigned char *variables;
    unsigned (*add)(unsigned a, unsigned b);
};

#ifdef __cplusplus
extern "C"
#endif
    struct PagesLibrary
    pages_library(void);
