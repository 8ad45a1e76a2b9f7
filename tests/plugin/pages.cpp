// SPDX-License-Identifier: BSD-2-Clause
//
// What a driver's libraries needn't keep in memory goes back to the kernel, and nothing that was written.
#include "catch.h"

#include "plugin/pages_library.h"
#include "plugin/temporary.h"
#include "vulkan/driver_pages.h"

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <numeric>
#include <sys/mman.h>
#include <thread>

using namespace dd;
using namespace dd::test;

namespace {

const std::size_t kPage = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

std::uintptr_t address(const void *pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

// Bytes of the mappings from there on that are in the process, by the kernel's own account of them.
std::size_t resident(const void *begin, std::size_t size) {
    std::ifstream smaps("/proc/self/smaps");
    std::size_t sum = 0, kib = 0;
    std::uintptr_t from = 0, to = 0;
    for (std::string line; std::getline(smaps, line);) {
        std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &from, &to);
        if (std::sscanf(line.c_str(), "Rss: %zu kB", &kib) == 1 && from < address(begin) + size && to > address(begin))
            sum += kib * 1024;
    }
    return sum;
}

unsigned sum_of(const unsigned char *bytes, std::size_t size) {
    const volatile unsigned char *all = bytes;
    unsigned sum = 0;
    for (std::size_t i = 0; i < size; i++)
        sum = 31 * sum + all[i];
    return sum;
}

// False, and said so: this kernel, or what stands for it, doesn't show the process its pages.
bool can_look() {
    const bool works = PageMap().works();
    if (!works)
        WARN("the page map can't be read: nothing is given back here");
    return works;
}

// Some pages of a file, private and read-only.
class MappedFile {
  public:
    explicit MappedFile(std::size_t pages, int flags = MAP_PRIVATE) : content_(pages * kPage) {
        std::iota(content_.begin(), content_.end(), static_cast<unsigned char>(1));
        std::ofstream(file_.path(), std::ios::binary)
            .write(reinterpret_cast<const char *>(content_.data()), static_cast<std::streamsize>(content_.size()));
        const int file = open(file_.path().c_str(), O_RDONLY | O_CLOEXEC);
        data_ = static_cast<unsigned char *>(mmap(nullptr, content_.size(), PROT_READ, flags, file, 0));
        close(file);
        REQUIRE(data_ != MAP_FAILED);
        REQUIRE(is_as_written());
    }
    ~MappedFile() { munmap(data_, content_.size()); }
    MappedFile(const MappedFile &) = delete;
    MappedFile &operator=(const MappedFile &) = delete;

    std::uintptr_t at(std::size_t page) const { return address(data_) + page * kPage; }
    std::size_t pages_there() const { return resident(data_, content_.size()) / kPage; }
    bool is_as_written() const { return std::memcmp(data_, content_.data(), content_.size()) == 0; }
    void write(std::size_t page) {
        REQUIRE(mprotect(data_ + page * kPage, kPage, PROT_READ | PROT_WRITE) == 0);
        data_[page * kPage] ^= 0xff;
        content_[page * kPage] ^= 0xff;
        REQUIRE(mprotect(data_ + page * kPage, kPage, PROT_READ) == 0);
    }

  private:
    TemporaryFile file_;
    std::vector<unsigned char> content_;
    unsigned char *data_ = nullptr;
};

class Loaded {
  public:
    Loaded() : handle_(dlopen(PAGES_LIBRARY, RTLD_NOW | RTLD_LOCAL)) {
        INFO(PAGES_LIBRARY);
        REQUIRE(handle_);
        const auto open = reinterpret_cast<decltype(&pages_library)>(dlsym(handle_, "pages_library"));
        REQUIRE(open);
        library_ = open();
        touch();
    }
    ~Loaded() { dlclose(handle_); }
    Loaded(const Loaded &) = delete;
    Loaded &operator=(const Loaded &) = delete;

    const PagesLibrary *operator->() const { return &library_; }
    std::size_t constants_there() const { return resident(library_.constants, PAGES_BYTES); }
    void touch() const { sum_of(library_.constants, PAGES_BYTES); }
    bool is_well() const {
        return library_.add(2, 3) == 5 && library_.constants[2] == 3 && library_.relocated[0] == library_.constants &&
               library_.relocated[1] == library_.constants + 1 && library_.variables[0] == 4;
    }

  private:
    void *handle_;
    PagesLibrary library_{};
};

} // namespace

TEST_CASE("pages of a file go, and those that were written stay", "[pages]") {
    if (!can_look())
        return;
    constexpr std::size_t kPages = 300;
    MappedFile file(kPages);
    for (const std::size_t page : {std::size_t{0}, std::size_t{100}, std::size_t{127}, std::size_t{128}, kPages - 1})
        file.write(page);
    const PageMap pages;
    REQUIRE(file.pages_there() == kPages);
    REQUIRE(pages.any_written(file.at(0), file.at(kPages)));
    REQUIRE_FALSE(pages.any_written(file.at(1), file.at(100)));
    REQUIRE(pages.any_written(file.at(90), file.at(101)));
    // Parts of pages are left.
    REQUIRE(pages.give_back(file.at(1) + 1, file.at(4) - 1) == kPage);
    REQUIRE(pages.give_back(file.at(4) + 1, file.at(5) - 1) == 0);
    REQUIRE(file.pages_there() == kPages - 1);
    REQUIRE(pages.give_back(file.at(0), file.at(kPages)) == (kPages - 6) * kPage);
    REQUIRE(file.pages_there() == 5);
    REQUIRE(pages.give_back(file.at(0), file.at(kPages)) == 0);
    REQUIRE(file.is_as_written());
}

TEST_CASE("memory of no file isn't given back", "[pages]") {
    if (!can_look())
        return;
    std::vector<unsigned char> heap(64 * kPage, 7);
    const PageMap pages;
    REQUIRE(pages.any_written(address(heap.data()), address(heap.data() + heap.size())));
    REQUIRE(pages.give_back(address(heap.data()), address(heap.data() + heap.size())) == 0);
    REQUIRE(heap == std::vector<unsigned char>(heap.size(), 7));
}

TEST_CASE("a library gives back what it never writes", "[pages]") {
    if (!can_look())
        return;
    const DriverPages before;
    const MappedFile other(50);
    const Loaded library;
    for (std::size_t i = 0; i < PAGES_BYTES; i += kPage)
        library->variables[i + 8] = 9;
    const std::size_t all = library.constants_there();
    REQUIRE(all >= PAGES_BYTES);
    REQUIRE(before.give_back() >= PAGES_BYTES - 2 * kPage);
    REQUIRE(library.constants_there() <= all - PAGES_BYTES + 2 * kPage);
    REQUIRE(other.pages_there() == 50);
    for (std::size_t i = 0; i < PAGES_BYTES; i += kPage)
        REQUIRE(library->variables[i + 8] == 9);
    REQUIRE(library.is_well());
    library.touch();
    REQUIRE(before.give_back() >= PAGES_BYTES - 2 * kPage);
}

TEST_CASE("libraries that were there before keep all", "[pages]") {
    if (!can_look())
        return;
    const Loaded library;
    const DriverPages before;
    const std::size_t all = library.constants_there();
    before.give_back();
    REQUIRE(library.constants_there() == all);
}

TEST_CASE("a library that patches itself keeps all", "[pages]") {
    if (!can_look())
        return;
    const DriverPages before;
    const Loaded library;
    auto *page = const_cast<unsigned char *>(library->constants) + PAGES_BYTES / 2;
    page -= address(page) % kPage;
    const bool still_writable = GENERATE(false, true);
    REQUIRE(mprotect(page, kPage, PROT_READ | PROT_WRITE) == 0);
    if (!still_writable) {
        *page = 77;
        REQUIRE(mprotect(page, kPage, PROT_READ) == 0);
    }
    const std::size_t all = library.constants_there();
    before.give_back();
    REQUIRE(library.constants_there() == all);
    REQUIRE(*page == (still_writable ? 0 : 77));
    REQUIRE(library.is_well());
}

TEST_CASE("libraries are used while their pages are given back", "[pages]") {
    if (!can_look())
        return;
    const DriverPages before;
    const Loaded library;
    const unsigned sum = sum_of(library->constants, PAGES_BYTES);
    std::atomic<bool> stop{false};
    std::atomic<unsigned> wrong{0}, rounds{0};
    std::thread user([&] {
        for (; !stop; rounds++)
            wrong += sum_of(library->constants, PAGES_BYTES) != sum || !library.is_well();
    });
    while (rounds < 50)
        before.give_back();
    stop = true;
    user.join();
    REQUIRE(wrong == 0);
}
