// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include "daedalus/daedalus.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <stdexcept>
#include <type_traits>

namespace dd {

// Runs the body of a function of the C interface: no exception leaves it.
template <typename Body>
int guarded(Body &&body) noexcept {
    try {
        return body();
    } catch (const std::bad_alloc &) {
        return DD_ERR_NO_MEMORY;
    } catch (const std::length_error &) {
        return DD_ERR_NO_MEMORY;
    } catch (...) {
        return DD_ERR_DEVICE;
    }
}

// What a function without a result does: what it throws ends here.
template <typename Body>
void contained(Body &&body) noexcept {
    guarded([&] {
        body();
        return int{DD_OK};
    });
}

// The size of a public structure's first version, of which every caller has all members.
template <typename Structure>
constexpr std::size_t first_size = 0;
#define DD_FIRST_SIZE(structure, last)                                                                                 \
    template <>                                                                                                        \
    inline constexpr std::size_t first_size<structure> = offsetof(structure, last) + sizeof(structure::last)
DD_FIRST_SIZE(DdDeviceOptions, log_opaque);
DD_FIRST_SIZE(DdSessionOptions, log_opaque);
DD_FIRST_SIZE(DdStats, disabled);
DD_FIRST_SIZE(DdPictureFormat, monochrome);
DD_FIRST_SIZE(DdDmaBuf, ss_v);
DD_FIRST_SIZE(DdFrameInfo, tiles);
DD_FIRST_SIZE(DdAv1Filters, unit_log2);
#undef DD_FIRST_SIZE

// The caller's structure as this version knows it: members that the caller doesn't have are 0. False: it is smaller
// than any version's.
template <typename Structure>
bool take(const Structure *given, Structure &whole) {
    static_assert(std::is_trivially_copyable_v<Structure> && first_size<Structure> > 0);
    if (!given || given->size < first_size<Structure>)
        return false;
    whole = {};
    std::memcpy(&whole, given, std::min(given->size, sizeof(Structure)));
    return true;
}

// Gives the caller those members that it has; its size stays.
template <typename Structure>
bool give(const Structure &whole, Structure *to) {
    if (!to || to->size < first_size<Structure>)
        return false;
    const std::size_t size = to->size;
    std::memcpy(static_cast<void *>(to), &whole, std::min(size, sizeof(Structure)));
    to->size = size;
    return true;
}

} // namespace dd
