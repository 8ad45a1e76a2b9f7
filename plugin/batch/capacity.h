// SPDX-License-Identifier: BSD-2-Clause
//
// How large the buffers of a submit are, and when one that is there will do: what frames need varies, and a new
// buffer takes a driver as long as a frame takes.
#pragma once
#include "batch/dispatch.h"
#include "util/round_up.h"

#include <algorithm>
#include <cstdint>

namespace dd {

// Where so much is needed: in few sizes.
constexpr std::uint64_t capacity_for(std::uint64_t needed) {
    std::uint64_t size = 256 * 1024;
    while (size < needed)
        size += size / 2;
    return round_up(size, kUploadAlign);
}

// What the upload of a phase takes of its buffer.
inline std::uint64_t upload_capacity(const PhaseWork *work) {
    return work ? align_upload(std::max<std::uint64_t>(work->upload_bytes, 4)) : 0; // what is bound must not be empty
}

constexpr std::uint64_t kSpareCapacity = 8 * 1024 * 1024;

// Of a buffer whose use changes little from frame to frame: it is given back when it is much too large, as the stream
// has become smaller.
constexpr bool keeps_capacity(std::uint64_t size, std::uint64_t needed) {
    constexpr std::uint64_t waste = 16;
    return size >= needed && (size <= kSpareCapacity || size / waste <= needed);
}
// Of one that a frame may need a hundred times as much of as the next one: it is given back when no frame of these
// pictures, which need `most`, can use it all.
constexpr bool keeps_capacity(std::uint64_t size, std::uint64_t needed, std::uint64_t most) {
    return size >= needed && (size <= kSpareCapacity || size / 2 <= capacity_for(most));
}

} // namespace dd
