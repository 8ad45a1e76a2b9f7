// SPDX-License-Identifier: BSD-2-Clause
//
// What memory costs the CPU: rates of plain memory and of a dma-heap's, and the synchronisation of a picture there.
#pragma once
#include <cstddef>

namespace bench {

struct MemoryRates {
    double read = 0, write = 0, copy = 0; // bytes a second, of one core; a copy counts once
};

struct MemoryCost {
    MemoryRates plain, heap; // of `heap` all is 0 where there is none
    std::size_t picture_bytes = 0;
    double begin_ns = 0, end_ns = 0; // DMA_BUF_IOCTL_SYNC of a picture that the CPU has written
};

// `bytes`: of a picture.
MemoryCost measure_memory(std::size_t bytes, double seconds);

} // namespace bench
