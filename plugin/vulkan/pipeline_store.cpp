// SPDX-License-Identifier: BSD-2-Clause
#include "vulkan/pipeline_store.h"

#include "embedded.h"
#include "util/cache_file.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace dd {
namespace {

constexpr std::size_t kLargest = 64 << 20; // bytes: a file beyond isn't ours
constexpr std::uint64_t kTitle = 0x31656e6970646461;

struct Header {
    std::uint64_t title, kernels, data; // sums of the two
};

// FNV-1a, eight bytes at a time: finds damage, not forgery.
std::uint64_t sum(std::string_view bytes) {
    std::uint64_t all = 0xcbf29ce484222325;
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, std::min(sizeof(word), bytes.size() - at));
        all = (all ^ word) * 0x100000001b3;
    }
    return (all ^ bytes.size()) * 0x100000001b3;
}

} // namespace

std::string pipeline_store_path(const std::string &compiler) {
    return cache_path(compiler, ".pipelines");
}

std::string load_pipelines(const std::string &path) {
    std::string file = path.empty() ? std::string() : read_cache_file(path, kLargest);
    Header header;
    if (file.size() <= sizeof(header))
        return {};
    std::memcpy(&header, file.data(), sizeof(header));
    file.erase(0, sizeof(header));
    const bool good = header.title == kTitle && header.data == sum(file) && header.kernels == sum_of_embedded_kernels();
    return good ? file : std::string();
}

void save_pipelines(const std::string &path, std::string_view data) {
    const Header header = {kTitle, sum_of_embedded_kernels(), sum(data)};
    std::string file(sizeof(header), '\0');
    std::memcpy(file.data(), &header, sizeof(header));
    replace_cache_file(path, file.append(data));
}

} // namespace dd
