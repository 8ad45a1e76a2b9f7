// SPDX-License-Identifier: BSD-2-Clause
//
// Stands in front of libdaedalus (LD_PRELOAD): one residual of so many as DAEDALUS_TEST_REFUSE says, by chance, is
// handed on as one that can't be, as if its values left their range. Real streams rarely have such.
#define _GNU_SOURCE
#include "daedalus/daedalus.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>

static int refuses(void) {
    static atomic_uint calls;
    const char *const every = getenv("DAEDALUS_TEST_REFUSE");
    const unsigned hash = (atomic_fetch_add(&calls, 1) + 1) * 2654435761u;
    return every && (hash >> 8) % (unsigned)atoi(every) == 0;
}

int dd_av1_take_residual(DdAv1Recorder *recorder, const DdAv1Residual *residual) {
    int (*const take)(DdAv1Recorder *, const DdAv1Residual *) = dlsym(RTLD_NEXT, "dd_av1_take_residual");
    DdAv1Residual handed = *residual;
    if (refuses())
        handed.type = UINT8_MAX;
    return take(recorder, &handed);
}

int dd_vp9_take_residuals(DdVp9Recorder *recorder, const DdVp9Residuals *residuals) {
    int (*const take)(DdVp9Recorder *, const DdVp9Residuals *) = dlsym(RTLD_NEXT, "dd_vp9_take_residuals");
    DdVp9Residuals handed = *residuals;
    if (refuses())
        handed.kind[0] = UINT32_MAX;
    return take(recorder, &handed);
}
