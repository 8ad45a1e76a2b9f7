/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Decodes a frame of nothing with the first version's structures. Returns a DdResult; `frames`: what the statistics
   count. */
int first_caller(const char *device_name, uint64_t *frames);

#ifdef __cplusplus
}
#endif
