// SPDX-License-Identifier: BSD-2-Clause
//
// A driver that has been opened and has compiled kernels leaves megabytes of its libraries in the process: code and constants that decoding
// doesn't touch any more. They are given back to the kernel; what is touched after all comes from the page cache again.
//
// A page that was ever written must stay. So:
// - The dynamic linker's list is held meanwhile (musl's never gets shorter): no library can be unloaded, and nothing else come to be where
//   it was.
// - Only segments that their program header doesn't call writable, of libraries without relocations of their text. The linker never
//   writes to those.
// - Of them, only what /proc/self/maps calls private, of a file, and not writable.
// - Of that, only pages that /proc/self/pagemap calls present and the file's own. A private mapping's page that is written stops being so.
// - Nothing of libraries that patch their code: they have memory that is writable and executable, or make writable what their program
//   header doesn't call so, or have pages there that were written.
// What remains is a library that doesn't show any of that yet, and patches its code for the first time, on another thread, in the
// microseconds from when that page is looked at to when it is given back. None is known to begin so late.
//
// Where anything can't be read, or isn't as it should be, nothing happens.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dd {

// What the kernel tells of the process's pages.
class PageMap {
  public:
    PageMap() noexcept;
    ~PageMap();
    PageMap(const PageMap &) = delete;
    PageMap &operator=(const PageMap &) = delete;
    // It can be read, and tells the truth where that is known.
    bool works() const { return works_; }
    // Whether a private mapping of a file has pages in the range that aren't the file's any more. True also where that can't be read.
    bool any_written(std::uintptr_t begin, std::uintptr_t end) const noexcept;
    // Gives back those that are, of a mapping that isn't writable: whole pages within the range. Bytes.
    std::size_t give_back(std::uintptr_t begin, std::uintptr_t end) const noexcept;

  private:
    bool read(std::uintptr_t at, std::span<std::uint64_t> entries) const;
    bool tells_written_page() const;
    std::size_t give_back(std::uintptr_t at, std::span<const std::uint64_t> entries) const;
    template <typename Use>
    bool walk(std::uintptr_t begin, std::uintptr_t end, const Use &use) const;

    int file_ = -1;
    std::uintptr_t page_ = 0; // bytes
    bool works_ = false;
};

// The libraries of a driver, by what was there before it.
class DriverPages {
  public:
    // Before the driver is loaded. Libraries that are there now are left alone.
    DriverPages();
    // From all libraries loaded since. Bytes.
    std::size_t give_back() const noexcept;

  private:
    std::vector<const void *> known_; // program headers
    bool knows_all_ = false;
};

} // namespace dd
