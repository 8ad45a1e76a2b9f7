// SPDX-License-Identifier: BSD-2-Clause
//
// What memory costs the CPU: rates of plain memory and of a dma-heap's, and the synchronisation of a picture there.
#pragma once
#include <cstddef>

namespace dd {
class DmaBuf;
}

namespace bench {

struct MemoryRates {
    double read = 0, write = 0, copy = 0; // bytes a second, of one core; a copy counts once
};

struct MemoryCost {
    MemoryRates plain, heap; // of `heap` all is 0 where there is none
};
MemoryCost measure_memory(double seconds);

struct SynchronisationCost {
    double begin_ns = 0, end_ns = 0; // DMA_BUF_IOCTL_SYNC of memory that the CPU has written
};
// The kernel maintains caches for the devices that have imported the memory, and for no others.
SynchronisationCost measure_synchronisation(const dd::DmaBuf &imported, double seconds);

} // namespace bench
