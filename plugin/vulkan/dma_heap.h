// SPDX-License-Identifier: BSD-2-Clause
//
// Cached memory of a Linux dma-heap, for GPUs whose own memory the CPU can't read at speed.
#pragma once
#include <cstddef>

namespace dd {

// Whether one of the heaps that we know can be opened.
bool dma_heap_available();
// A dma-buf of at least `size` bytes; -1: none.
int dma_heap_allocate(std::size_t size);
// Brackets the CPU's access: `begin` before the first one after the GPU wrote, `end` after the last one before the GPU
// reads or writes. False: the kernel refused.
bool dma_buf_begin_cpu_access(int dma_buf);
bool dma_buf_end_cpu_access(int dma_buf);

} // namespace dd
