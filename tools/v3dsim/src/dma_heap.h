// SPDX-License-Identifier: BSD-2-Clause
//
// The dma-heaps of a Raspberry Pi: programs allocate cached memory there and import it into the driver. Opening a heap
// and allocating from it is answered with memory files, which are what the CPU's caches hold. What the GPU reads and
// writes is other memory, as on the board, where its accesses pass the caches by: each side sees what the other one
// wrote once the buffer is synchronised. Not done: lines that a cache writes back by itself.
#pragma once
#include <cstdint>

namespace v3dsim::dma_heap {

// A descriptor that stands for the heap at a path, or -1 where the path is no heap's.
int open(const char *path);
// Serves a request (ioctl: type and number) on a heap or on a buffer of one; `error` is 0 or an errno. False where the
// descriptor is neither.
bool request(int fd, unsigned number, void *argument, int *error);

// The buffer's first `size` bytes are the GPU's memory at `device` as well, until release(). False: it can't be mapped,
// or is imported already.
bool import(int fd, uint8_t *device, uint64_t size);
void release(const uint8_t *device);

} // namespace v3dsim::dma_heap
