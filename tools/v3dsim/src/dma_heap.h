// SPDX-License-Identifier: BSD-2-Clause
//
// The dma-heaps of a Raspberry Pi: programs allocate cached memory there and import it into the driver. Opening a heap
// and allocating from it is answered with memory files, the brackets around processor access are accepted on them. Not
// done: noticing processor access outside the brackets.
#pragma once

namespace v3dsim::dma_heap {

// A descriptor that stands for the heap at a path, or -1 where the path is no heap's.
int open(const char *path);
// Serves a request (ioctl: type and number) on a heap or on a buffer of one; `error` is 0 or an errno. False where the
// descriptor is neither.
bool request(int fd, unsigned number, void *argument, int *error);

} // namespace v3dsim::dma_heap
