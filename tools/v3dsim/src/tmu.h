// SPDX-License-Identifier: BSD-2-Clause
//
// The texture and memory unit: buffer accesses by address (here, compiled for each instruction set together with the
// executor) and texel accesses through a texture state (texture.cpp).
#pragma once
#include "execute.h"
#include "memory.h"

namespace v3dsim {

// The operation field of both kinds of access.
namespace tmu_op {
enum : uint32_t {
    Add = 0,
    Sub = 1,
    Exchange = 2,
    CompareExchange = 3,
    UnsignedMin = 4,
    UnsignedMax = 5,
    SignedMin = 6,
    SignedMax = 7,
    AndOrIncrement = 8,
    OrOrDecrement = 9,
    Xor = 10,
    Regular = 15,
    // Reads with an operation of their own: caches of which memory here has none, but for the time that a prefetch
    // saves.
    Prefetch = 0,
    ClearLine = 1,
    FlushLine = 2,
    FlushLineToo = 3,
    ClearCache = 4
};
}

// What a read-modify-write leaves in memory. `write`: data was given (otherwise increment and decrement are meant).
uint32_t atomic_result(uint32_t op, bool write, uint32_t old, uint32_t data, uint32_t second);
// Does it on memory, atomically with respect to other host threads. Returns the old word.
uint32_t atomic_access(uint8_t *word, uint32_t op, bool write, uint32_t data, uint32_t second);

// Reads or writes texels: the write to `retiring` (tmusf, …) with coordinate s starts it. False: not implemented or a
// bad access, the reason is in t.error.
bool texture_access(Thread &t, const RunContext &ctx, unsigned retiring, const Lanes &s, LaneMask enabled);

} // namespace v3dsim
