// SPDX-License-Identifier: BSD-2-Clause
#include "util/dma_buf.h"

#include "util/device_file.h"
#include "util/pages.h"

#include <algorithm>
#include <cerrno>

#if defined(__linux__) && __has_include(<linux/dma-heap.h>)
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <sys/ioctl.h>
#endif

namespace dd {
namespace {

// Cached ones only, the best first.
constexpr const char *kHeaps[] = {"/dev/dma_heap/vidbuf_cached", "/dev/dma_heap/system"};

#if defined(__linux__) && __has_include(<linux/dma-heap.h>)
int open_heap(const char *path) {
    return open(path, O_RDWR | O_CLOEXEC);
}

int retry_ioctl(int file, unsigned long request, void *argument) {
    int result;
    do
        result = ioctl(file, request, argument);
    while (result < 0 && (errno == EINTR || errno == EAGAIN));
    return result;
}

int allocate_in(const char *path, std::size_t size) {
    const int heap = open_heap(path);
    if (heap < 0)
        return -1;
    dma_heap_allocation_data request = {};
    request.len = size;
    request.fd_flags = O_RDWR | O_CLOEXEC;
    const int result = retry_ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &request);
    close(heap);
    return result < 0 ? -1 : static_cast<int>(request.fd);
}

// A heap of contiguous memory may be full where another one isn't.
int allocate_file(std::size_t size) {
    for (const char *path : kHeaps)
        if (const int file = allocate_in(path, size); file >= 0)
            return file;
    return -1;
}

bool sync(int file, unsigned long long flags) {
    dma_buf_sync argument = {};
    argument.flags = flags;
    return retry_ioctl(file, DMA_BUF_IOCTL_SYNC, &argument) == 0;
}

constexpr unsigned long long kBegin = DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW;
constexpr unsigned long long kEnd = DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW;
#else
constexpr unsigned long long kBegin = 0, kEnd = 0;

int open_heap(const char *) {
    return -1;
}
int allocate_file(std::size_t) {
    return -1;
}
bool sync(int, unsigned long long) {
    return false;
}
#endif

} // namespace

bool DmaBuf::available() {
    return std::ranges::any_of(kHeaps, [](const char *path) {
        const int heap = open_heap(path);
        if (heap >= 0)
            close(heap);
        return heap >= 0;
    });
}

std::string DmaBuf::why_unavailable() {
    const std::string denied = denied_device_file(kHeaps);
    return denied.empty() ? std::string(kHeaps[1]) + " is not there" : denied;
}

std::shared_ptr<DmaBuf> DmaBuf::allocate(std::size_t size) {
    std::shared_ptr<DmaBuf> made(new DmaBuf);
    made->size_ = whole_pages(size);
    made->file_ = allocate_file(made->size_);
    if (made->file_ < 0)
        return nullptr;
    void *data = mmap(nullptr, made->size_, PROT_READ | PROT_WRITE, MAP_SHARED, made->file_, 0);
    if (data == MAP_FAILED)
        return nullptr;
    made->data_ = static_cast<std::byte *>(data);
    return made->begin_cpu_access() ? made : nullptr;
}

DmaBuf::~DmaBuf() {
    if (data_)
        munmap(data_, size_);
    if (file_ >= 0)
        close(file_);
}

bool DmaBuf::begin_cpu_access() const {
    return sync(file_, kBegin);
}

bool DmaBuf::end_cpu_access() const {
    return sync(file_, kEnd);
}

} // namespace dd
