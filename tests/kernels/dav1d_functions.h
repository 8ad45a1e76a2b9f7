// SPDX-License-Identifier: BSD-2-Clause
//
// dav1d's functions of either pixel size. Without BITDEPTH dav1d's own types leave out the last argument of those for
// 16 bits.
#ifndef DAEDALUS_DAV1D_FUNCTIONS_H
#define DAEDALUS_DAV1D_FUNCTIONS_H
#include <stddef.h>
#include <stdint.h>

#include "src/internal.h"
#include "src/lf_mask.h"

typedef void (*any_fn)(void);
typedef void (*lf8_fn)(uint8_t *, ptrdiff_t, const uint32_t *, const uint8_t (*)[4], ptrdiff_t, const Av1FilterLUT *,
                       int);
typedef void (*lf16_fn)(uint16_t *, ptrdiff_t, const uint32_t *, const uint8_t (*)[4], ptrdiff_t, const Av1FilterLUT *,
                        int, int);
typedef void (*lr8_fn)(uint8_t *, ptrdiff_t, const uint8_t (*)[4], const uint8_t *, int, int,
                       const LooprestorationParams *, enum LrEdgeFlags);
typedef void (*lr16_fn)(uint16_t *, ptrdiff_t, const uint16_t (*)[4], const uint16_t *, int, int,
                        const LooprestorationParams *, enum LrEdgeFlags, int);
typedef void (*itx8_fn)(uint8_t *, ptrdiff_t, int16_t *, int);
typedef void (*itx16_fn)(uint16_t *, ptrdiff_t, int32_t *, int, int);
typedef int (*dir8_fn)(const uint8_t *, ptrdiff_t, unsigned *);
typedef int (*dir16_fn)(const uint16_t *, ptrdiff_t, unsigned *, int);
typedef void (*cdef8_fn)(uint8_t *, ptrdiff_t, const uint8_t (*)[2], const uint8_t *, const uint8_t *, int, int, int,
                         int, enum CdefEdgeFlags);
typedef void (*cdef16_fn)(uint16_t *, ptrdiff_t, const uint16_t (*)[2], const uint16_t *, const uint16_t *, int, int,
                          int, int, enum CdefEdgeFlags, int);

#endif
