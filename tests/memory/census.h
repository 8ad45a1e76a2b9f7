// SPDX-License-Identifier: BSD-2-Clause
//
// What the plugin allocates, counted from outside: this library replaces operator new and what the plugin calls of
// the C library, of which it counts the calls that come from the plugin's code, and is a Vulkan layer that counts
// what creates objects or allocates memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#define CENSUS_API __attribute__((visibility("default")))

namespace census {

struct Amount {
    std::uint64_t calls = 0; // ever
    std::uint64_t live = 0;  // bytes
    std::uint64_t peak = 0;  // bytes
};

struct Site {
    std::string name; // of a Vulkan function, or where in the plugin memory is asked for
    std::uint64_t calls = 0;
    std::uint64_t live = 0; // bytes
};

// Counts from here on where the calling code lies in the library of this name.
CENSUS_API void watch(const char *library);
CENSUS_API Amount heap();
CENSUS_API std::vector<Site> heap_sites();

// Of vkAllocateMemory; all other functions that make something count with it in vulkan_sites().
CENSUS_API Amount device_memory();
CENSUS_API std::vector<Site> vulkan_sites();

} // namespace census
