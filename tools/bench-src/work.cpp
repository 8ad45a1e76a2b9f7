// SPDX-License-Identifier: BSD-2-Clause
#include "work.h"

#include <algorithm>
#include <cstring>

namespace bench {

void paint(const dd::PictureLayout &layout, Random &random, PixelBuffer &pixels) {
    pixels = PixelBuffer(layout.size);
    std::memset(pixels.data(), 0x55, pixels.size());
    const int top = (1 << layout.format.bit_depth) - 1;
    const int noise = 1 << (layout.format.bit_depth - 7); // what flat areas differ by
    for (const dd::PlaneLayout &plane : layout.plane) {
        if (!plane.stride)
            continue;
        for (std::uint32_t y = 0; y < plane.padded_height; y++)
            for (std::uint32_t x = 0; x < plane.padded_width; x++) {
                // A value for each 16x16, a slope over it, a little noise.
                const int patch = static_cast<int>((x / 16 * 37 + y / 16 * 59) % 96) * top / 160;
                const int value = std::clamp(
                    patch + static_cast<int>(x % 16 + y % 16) + static_cast<int>(random() % (2 * noise + 1)), 0, top);
                std::byte *at = pixels.data() + plane.offset + std::size_t{y} * plane.stride;
                if (layout.bytes_per_pixel() == 1)
                    at[x] = static_cast<std::byte>(value);
                else
                    reinterpret_cast<std::uint16_t *>(at)[x] = static_cast<std::uint16_t>(value);
            }
    }
}

std::string Work::difference(const std::byte *a, const std::byte *b) const {
    const bool padding = phase == Phase::recon || std::holds_alternative<dd::Vp9Batch>(batch);
    const dd::PictureLayout &picture = layout();
    for (unsigned p = 0; p < picture.format.planes; p++) {
        const dd::PlaneLayout &plane = picture.plane[p];
        const std::size_t bytes = std::size_t{padding ? plane.padded_width : plane.width} * picture.bytes_per_pixel();
        for (std::uint32_t y = 0; y < (padding ? plane.padded_height : plane.height); y++) {
            const std::size_t at = plane.offset + std::size_t{y} * plane.stride;
            if (std::memcmp(a + at, b + at, bytes) != 0)
                return "plane " + std::to_string(p) + ", row " + std::to_string(y);
        }
    }
    return "";
}

std::vector<Kernel> kernels() {
    std::vector<Kernel> list;
    add_mc_kernels(list);
    add_itx_kernels(list);
    add_lf_kernels(list);
    add_av1_mc_kernels(list);
    add_av1_itx_kernels(list);
    add_av1_deblock_kernels(list);
    add_av1_cdef_kernels(list);
    add_av1_restoration_kernels(list);
    return list;
}

} // namespace bench
