// SPDX-License-Identifier: BSD-2-Clause
//
// Memory of a dma-heap: cached for the CPU, and a file that other devices import.
#pragma once
#include <cstddef>
#include <memory>
#include <string>

namespace dd {

class DmaBuf {
  public:
    // A heap is there and may be opened.
    static bool available();
    // Why there is none, for people.
    static std::string why_unavailable();
    // Whole pages, mapped; the CPU may use them. nullptr: there are none.
    static std::shared_ptr<DmaBuf> allocate(std::size_t size);
    ~DmaBuf();
    DmaBuf(const DmaBuf &) = delete;
    DmaBuf &operator=(const DmaBuf &) = delete;

    int file() const { return file_; }
    std::byte *data() const { return data_; }
    std::size_t size() const { return size_; }
    // Between them the CPU sees what devices wrote, and after the second they see what it wrote. false: it failed.
    bool begin_cpu_access() const;
    bool end_cpu_access() const;

  private:
    DmaBuf() = default;
    int file_ = -1;
    std::byte *data_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace dd
