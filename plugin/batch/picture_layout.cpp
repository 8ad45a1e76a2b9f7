// SPDX-License-Identifier: BSD-2-Clause
#include "batch/picture_layout.h"
#include "util/round_up.h"

namespace dd {
namespace {

constexpr std::uint32_t kPlaneAlign = 64;
constexpr std::uint32_t kSlack = 128;

bool possible(const PictureFormat &f) {
    const bool sides = f.width >= 1 && f.height >= 1 && f.width <= kMaxPictureSide && f.height <= kMaxPictureSide;
    const bool depth = f.bit_depth == 8 || f.bit_depth == 10 || f.bit_depth == 12;
    return sides && depth && f.ss_h <= 1 && f.ss_v <= 1 && (f.planes == 1 || f.planes == 3);
}

} // namespace

PictureLayout make_picture_layout(const PictureFormat &format, unsigned superblock) {
    PictureLayout layout;
    if (!possible(format) || (superblock != 64 && superblock != 128))
        return layout;
    layout.format = format;
    std::uint64_t at = kSlack;
    for (unsigned p = 0; p < format.planes; p++) {
        const unsigned ss_h = p ? format.ss_h : 0, ss_v = p ? format.ss_v : 0;
        PlaneLayout &plane = layout.plane[p];
        plane.width = (format.width + ss_h) >> ss_h;
        plane.height = (format.height + ss_v) >> ss_v;
        plane.padded_width = round_up(format.width, superblock) >> ss_h;
        plane.padded_height = round_up(format.height, superblock) >> ss_v;
        plane.stride = round_up(plane.padded_width * layout.bytes_per_pixel(), kPlaneAlign);
        plane.offset = static_cast<std::uint32_t>(at);
        at += std::uint64_t{plane.stride} * plane.padded_height;
    }
    at += kSlack;
    if (at > UINT32_MAX / 2)
        return {};
    layout.size = static_cast<std::uint32_t>(at);
    return layout;
}

} // namespace dd
