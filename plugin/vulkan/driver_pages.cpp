// SPDX-License-Identifier: BSD-2-Clause
#include "vulkan/driver_pages.h"
#include "batch/round_up.h"

#ifdef __linux__
#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <link.h>
#include <new>
#include <span>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace dd {
namespace {

// Of an entry of the page map; the kernel tells them to everyone.
constexpr std::uint64_t kPresent = std::uint64_t{1} << 63, kSwapped = std::uint64_t{1} << 62,
                        kOfFile = std::uint64_t{1} << 61;

bool is_clean(std::uint64_t entry) {
    return (entry & (kPresent | kOfFile)) == (kPresent | kOfFile);
}

bool is_written(std::uint64_t entry) {
    return (entry & (kPresent | kSwapped)) && !(entry & kOfFile);
}

struct Mapping {
    std::uintptr_t begin, end;
    bool writable, executable;
    bool plain; // private, of a file, readable and not writable
};

bool parse(const std::string &line, Mapping &mapping) {
    char access[5] = "";
    unsigned long inode = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %4s %*x %*x:%*x %lu", &mapping.begin, &mapping.end, access,
                    &inode) != 4)
        return false;
    mapping.writable = access[1] != '-';
    mapping.executable = access[2] != '-';
    mapping.plain = access[0] == 'r' && !mapping.writable && access[3] == 'p' && inode != 0;
    return true;
}

// In the order of addresses; empty where a line isn't understood.
std::vector<Mapping> read_mappings() {
    std::vector<Mapping> all;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (!parse(line, all.emplace_back()))
            return {};
    return maps.bad() ? std::vector<Mapping>() : all;
}

std::span<const ElfW(Phdr)> segments_of(const dl_phdr_info &library) {
    return {library.dlpi_phdr, library.dlpi_phnum};
}

bool relocates_text(const dl_phdr_info &library) {
    for (const ElfW(Phdr) & segment : segments_of(library)) {
        if (segment.p_type != PT_DYNAMIC)
            continue;
        for (auto *entry = reinterpret_cast<const ElfW(Dyn) *>(library.dlpi_addr + segment.p_vaddr);
             entry->d_tag != DT_NULL; entry++)
            if (entry->d_tag == DT_TEXTREL || (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL)))
                return true;
        return false;
    }
    return true; // not what we know
}

// One walk over the libraries. Nothing in it allocates or throws: it is called through C, with the linker's list held.
struct Walk {
    std::span<const void *const> known;
    std::span<const Mapping> mappings;
    const PageMap &pages;
    std::size_t bytes = 0;

    void visit(const dl_phdr_info &library) noexcept {
        const auto segments = segments_of(library);
        if (std::ranges::find(known, library.dlpi_phdr) != known.end() || relocates_text(library) ||
            std::ranges::any_of(segments, [&](const auto &segment) { return is_patched(library, segment); }))
            return;
        for (const auto &segment : segments)
            each_plain(library, segment, [this](std::uintptr_t begin, std::uintptr_t end) {
                bytes += pages.give_back(begin, end);
                return true;
            });
    }

    std::span<const Mapping> mappings_of(std::uintptr_t begin, std::uintptr_t end) const {
        const auto first = std::ranges::upper_bound(mappings, begin, {}, &Mapping::end);
        return {first, std::ranges::lower_bound(first, mappings.end(), end, {}, &Mapping::begin)};
    }

    // What of a segment isn't writable in any way. False: the first time that `use` says so.
    template <typename Use>
    bool each_plain(const dl_phdr_info &library, const ElfW(Phdr) & segment, const Use &use) const {
        if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W))
            return true;
        const std::uintptr_t begin = library.dlpi_addr + segment.p_vaddr, end = begin + segment.p_filesz;
        return std::ranges::all_of(mappings_of(begin, end), [&](const Mapping &mapping) {
            return !mapping.plain || use(std::max(begin, mapping.begin), std::min(end, mapping.end));
        });
    }

    bool is_patched(const dl_phdr_info &library, const ElfW(Phdr) & segment) const {
        if (segment.p_type != PT_LOAD)
            return false;
        const std::uintptr_t begin = library.dlpi_addr + segment.p_vaddr;
        const bool writable = segment.p_flags & PF_W;
        return (writable && (segment.p_flags & PF_X)) ||
               std::ranges::any_of(
                   mappings_of(begin, begin + segment.p_memsz),
                   [writable](const Mapping &m) { return m.writable && (m.executable || !writable); }) ||
               !each_plain(library, segment,
                           [this](std::uintptr_t b, std::uintptr_t e) { return !pages.any_written(b, e); });
    }
};

} // namespace

PageMap::PageMap() noexcept : file_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {
    const long page = sysconf(_SC_PAGESIZE);
    if (file_ < 0 || page <= 0)
        return;
    page_ = static_cast<std::uintptr_t>(page);
    works_ = tells_written_page();
}

PageMap::~PageMap() {
    if (file_ >= 0)
        close(file_);
}

// An emulator may show the page map of other addresses than ours.
bool PageMap::tells_written_page() const {
    volatile std::uint64_t written = kPresent;
    std::uint64_t entry = written;
    return read(reinterpret_cast<std::uintptr_t>(&written), {&entry, 1}) && (entry & (kPresent | kOfFile)) == kPresent;
}

bool PageMap::read(std::uintptr_t at, std::span<std::uint64_t> entries) const {
    const auto offset = static_cast<off_t>(at / page_ * sizeof(std::uint64_t));
    return pread(file_, entries.data(), entries.size_bytes(), offset) == static_cast<ssize_t>(entries.size_bytes());
}

// Whole pages only. False: the page map couldn't be read, or `use` said so.
template <typename Use>
bool PageMap::walk(std::uintptr_t begin, std::uintptr_t end, const Use &use) const {
    std::array<std::uint64_t, 512> entries; // few: what is read is acted on at once
    std::uintptr_t at = round_up(begin, page_);
    while (works_ && at < end && end - at >= page_) {
        const std::span part(entries.data(), std::min<std::size_t>(entries.size(), (end - at) / page_));
        if (!read(at, part) || !use(at, part))
            return false;
        at += part.size() * page_;
    }
    return works_;
}

bool PageMap::any_written(std::uintptr_t begin, std::uintptr_t end) const noexcept {
    return !walk(begin, end, [](std::uintptr_t, auto entries) { return std::ranges::none_of(entries, is_written); });
}

std::size_t PageMap::give_back(std::uintptr_t begin, std::uintptr_t end) const noexcept {
    std::size_t bytes = 0;
    walk(begin, end, [&](std::uintptr_t at, auto entries) {
        bytes += give_back(at, entries);
        return true;
    });
    return bytes;
}

std::size_t PageMap::give_back(std::uintptr_t at, std::span<const std::uint64_t> entries) const {
    std::size_t bytes = 0;
    for (auto from = std::ranges::find_if(entries, is_clean); from != entries.end();) {
        const auto to = std::find_if_not(from, entries.end(), is_clean);
        const std::uintptr_t begin = at + static_cast<std::uintptr_t>(from - entries.begin()) * page_;
        const std::size_t size = static_cast<std::size_t>(to - from) * page_;
        if (madvise(reinterpret_cast<void *>(begin), size, MADV_DONTNEED) == 0)
            bytes += size;
        from = std::find_if(to, entries.end(), is_clean);
    }
    return bytes;
}

DriverPages::DriverPages() {
    const auto note = [](dl_phdr_info *library, std::size_t, void *known) noexcept {
        try {
            static_cast<std::vector<const void *> *>(known)->push_back(library->dlpi_phdr);
            return 0;
        } catch (const std::bad_alloc &) {
            return 1; // the caller is C
        }
    };
    knows_all_ = dl_iterate_phdr(note, &known_) == 0;
}

std::size_t DriverPages::give_back() const noexcept {
    try {
        const PageMap pages;
        if (!pages.works() || !knows_all_)
            return 0;
        const std::vector<Mapping> mappings = read_mappings();
        Walk walk{known_, mappings, pages};
        dl_iterate_phdr(
            [](dl_phdr_info *library, std::size_t, void *data) noexcept {
                static_cast<Walk *>(data)->visit(*library);
                return 0;
            },
            &walk);
        return walk.bytes;
    } catch (const std::bad_alloc &) {
        return 0;
    }
}

} // namespace dd
#else
namespace dd {

PageMap::PageMap() noexcept = default;
PageMap::~PageMap() = default;
bool PageMap::any_written(std::uintptr_t, std::uintptr_t) const noexcept {
    return true;
}
std::size_t PageMap::give_back(std::uintptr_t, std::uintptr_t) const noexcept {
    return 0;
}
DriverPages::DriverPages() = default;
std::size_t DriverPages::give_back() const noexcept {
    return 0;
}

} // namespace dd
#endif
