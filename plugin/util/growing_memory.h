// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include "util/pages.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <sys/mman.h>

namespace dd {

// Memory that grows. Once it is large it is made of pages, which move without a copy: an allocator that many threads
// use would leave behind, in the heaps of each, what such memory has outgrown.
class GrowingMemory {
  public:
    GrowingMemory() = default;
    GrowingMemory(GrowingMemory &&other) noexcept { *this = std::move(other); }
    GrowingMemory &operator=(GrowingMemory &&other) noexcept {
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~GrowingMemory() {
        if (bytes_ < kLarge)
            std::free(data_);
        else
            munmap(data_, whole_pages(bytes_));
    }

    // What is there stays. False: there is no more memory, and all stays as it is.
    bool grow(std::size_t bytes) {
        void *data = bytes < kLarge ? std::realloc(data_, bytes) : bytes_ < kLarge ? paged(bytes) : moved(bytes);
        if (!data)
            return false;
        data_ = data;
        bytes_ = bytes;
        return true;
    }
    void *data() const { return data_; }

  private:
    static constexpr std::size_t kLarge = 64 * 1024;

    void *moved(std::size_t bytes) const {
        void *pages = mremap(data_, whole_pages(bytes_), whole_pages(bytes), MREMAP_MAYMOVE);
        return pages == MAP_FAILED ? nullptr : pages;
    }
    void *paged(std::size_t bytes) const {
        void *pages = fresh_pages(whole_pages(bytes));
        if (pages && bytes_) {
            std::memcpy(pages, data_, bytes_);
            std::free(data_);
        }
        return pages;
    }

    void *data_ = nullptr;
    std::size_t bytes_ = 0;
};

} // namespace dd
