// SPDX-License-Identifier: BSD-2-Clause
#include "memory_cost.h"

#include "util/dma_buf.h"
#include "util/pages.h"

#include <chrono>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kRateBytes = 32 << 20; // more than a cache holds

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Runs of `work` a second.
template <typename Work>
double rate_of(double seconds, Work &&work) {
    work(); // pages are there then
    const auto begin = Clock::now();
    double runs = 0, passed = 0;
    do {
        work();
        runs++;
        passed = seconds_since(begin);
    } while (passed < seconds);
    return runs / passed;
}

std::uint64_t sum_of(const std::byte *data, std::size_t bytes) {
    std::uint64_t sum = 0, word = 0;
    for (std::size_t at = 0; at + sizeof(word) <= bytes; at += sizeof(word)) {
        std::memcpy(&word, data + at, sizeof(word));
        sum += word;
    }
    return sum;
}

MemoryRates rates_of(std::byte *a, std::byte *b, std::size_t bytes, double seconds) {
    volatile std::uint64_t seen = 0; // or the compiler leaves the reads out
    const auto size = static_cast<double>(bytes);
    MemoryRates rates;
    rates.write = size * rate_of(seconds, [&] { std::memset(a, static_cast<int>(seen & 1), bytes); });
    rates.read = size * rate_of(seconds, [&] { seen = seen + sum_of(a, bytes); });
    rates.copy = size * rate_of(seconds, [&] { std::memcpy(b, a, bytes); });
    return rates;
}

} // namespace

MemoryCost measure_memory(double seconds) {
    MemoryCost cost;
    const auto a = dd::map_pages(kRateBytes), b = dd::map_pages(kRateBytes);
    if (!a || !b)
        throw std::runtime_error("no memory to measure");
    cost.plain = rates_of(a.get(), b.get(), kRateBytes, seconds);
    const auto from = dd::DmaBuf::allocate(kRateBytes), to = dd::DmaBuf::allocate(kRateBytes);
    if (from && to)
        cost.heap = rates_of(from->data(), to->data(), kRateBytes, seconds);
    return cost;
}

SynchronisationCost measure_synchronisation(const dd::DmaBuf &imported, double seconds) {
    double begin_seconds = 0, end_seconds = 0, runs = 0;
    const auto start = Clock::now();
    do {
        std::memset(imported.data(), static_cast<int>(runs) & 1, imported.size());
        const auto end = Clock::now();
        if (!imported.end_cpu_access())
            throw std::runtime_error("a picture can't be synchronised");
        end_seconds += seconds_since(end);
        const auto begin = Clock::now();
        if (!imported.begin_cpu_access())
            throw std::runtime_error("a picture can't be synchronised");
        begin_seconds += seconds_since(begin);
        runs++;
    } while (seconds_since(start) < seconds);
    return {begin_seconds / runs * 1e9, end_seconds / runs * 1e9};
}

} // namespace bench
