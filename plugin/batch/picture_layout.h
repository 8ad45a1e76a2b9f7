// SPDX-License-Identifier: BSD-2-Clause
//
// Where the planes of a picture lie in its buffer.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace dd {

constexpr std::uint32_t kMaxPictureSide = 16384;

struct PictureFormat {
    std::uint32_t width = 0; // true size in luma pixels
    std::uint32_t height = 0;
    std::uint8_t bit_depth = 8; // 8, 10 or 12; above 8 a pixel takes two bytes
    std::uint8_t ss_h = 0;      // log2 of the chroma subsampling
    std::uint8_t ss_v = 0;
    std::uint8_t planes = 3; // 1: monochrome
    bool operator==(const PictureFormat &) const = default;
    // Same pixels, whatever the size: such a picture may be a reference.
    bool same_pixels(const PictureFormat &o) const {
        return bit_depth == o.bit_depth && ss_h == o.ss_h && ss_v == o.ss_v && planes == o.planes;
    }
};

struct PlaneLayout {
    std::uint32_t offset = 0; // bytes from the start of the buffer, 64-byte aligned
    std::uint32_t stride = 0; // bytes, 64-byte aligned
    std::uint32_t width = 0;  // true size in pixels of this plane
    std::uint32_t height = 0;
    std::uint32_t padded_width = 0; // what may be written: whole superblocks
    std::uint32_t padded_height = 0;
    bool operator==(const PlaneLayout &) const = default;
};

// Planes are padded to whole superblocks (64 luma pixels, or 128 for AV1), so that a block that hangs over
// the picture's edge can be written in full. There is slack before and after the planes for SIMD code that
// reads a vector more than it needs.
struct PictureLayout {
    PictureFormat format;
    std::array<PlaneLayout, 3> plane{};
    std::uint32_t size = 0; // bytes of all planes with their slack; 0: no picture
    std::uint32_t p010 = 0; // byte where the picture lies once more as P010 (batch/p010.h); 0: it doesn't

    std::uint32_t bytes_per_pixel() const { return format.bit_depth > 8 ? 2 : 1; }
    bool operator==(const PictureLayout &) const = default;
};

// `superblock`: 64 or 128. Returns a layout of size 0 where the format is impossible.
PictureLayout make_picture_layout(const PictureFormat &format, unsigned superblock);

} // namespace dd
