// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include "daedalus/daedalus.h"

#include <new>
#include <stdexcept>

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

// Whether a structure of the caller has all members up to the first version's.
template <typename Options>
bool has_size(const Options *options) {
    return options && options->size >= sizeof(Options);
}

} // namespace dd
