// SPDX-License-Identifier: BSD-2-Clause
#include "vulkan/dma_heap.h"

#if defined(__linux__) && __has_include(<linux/dma-heap.h>)
#include <cerrno>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace dd {
namespace {

// Cached ones only, the best first.
constexpr const char *heaps[] = {"/dev/dma_heap/vidbuf_cached", "/dev/dma_heap/system"};

int open_heap() {
    for (const char *path : heaps) {
        const int heap = open(path, O_RDWR | O_CLOEXEC);
        if (heap >= 0)
            return heap;
    }
    return -1;
}

int retry_ioctl(int file, unsigned long request, void *argument) {
    int result;
    do
        result = ioctl(file, request, argument);
    while (result < 0 && (errno == EINTR || errno == EAGAIN));
    return result;
}

bool sync(int dma_buf, unsigned long long flags) {
    dma_buf_sync argument = {};
    argument.flags = flags;
    return retry_ioctl(dma_buf, DMA_BUF_IOCTL_SYNC, &argument) == 0;
}

} // namespace

bool dma_heap_available() {
    const int heap = open_heap();
    if (heap < 0)
        return false;
    close(heap);
    return true;
}

int dma_heap_allocate(std::size_t size) {
    const int heap = open_heap();
    if (heap < 0)
        return -1;
    dma_heap_allocation_data request = {};
    request.len = size;
    request.fd_flags = O_RDWR | O_CLOEXEC;
    const int result = retry_ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &request);
    close(heap);
    return result < 0 ? -1 : static_cast<int>(request.fd);
}

bool dma_buf_begin_cpu_access(int dma_buf) {
    return sync(dma_buf, DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW);
}
bool dma_buf_end_cpu_access(int dma_buf) {
    return sync(dma_buf, DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW);
}

} // namespace dd
#else
namespace dd {

bool dma_heap_available() {
    return false;
}
int dma_heap_allocate(std::size_t) {
    return -1;
}
bool dma_buf_begin_cpu_access(int) {
    return false;
}
bool dma_buf_end_cpu_access(int) {
    return false;
}

} // namespace dd
#endif
