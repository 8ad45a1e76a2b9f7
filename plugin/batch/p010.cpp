// SPDX-License-Identifier: BSD-2-Clause
#include "batch/p010.h"

#include "batch/dispatch.h"
#include "common/records.h"
#include "util/round_up.h"

namespace dd {
namespace {

constexpr std::uint32_t kPage = 4096; // displays may want planes to begin at one
constexpr unsigned kShift = 6;
constexpr std::uint32_t kVectorBytes = 16, kVectorSamples = 8, kGroupVectors = 64; // as kernels/common/p010.comp
constexpr std::uint32_t kLumaRows = 4, kChromaRows = 2;                            // of a lane

std::uint16_t *row_of(std::byte *picture, std::size_t offset, std::size_t stride, std::uint32_t row) {
    return reinterpret_cast<std::uint16_t *>(picture + offset + stride * row);
}

} // namespace

bool has_p010_form(const PictureFormat &format) {
    return format.bit_depth == 10 && format.planes == 3 && format.ss_h && format.ss_v;
}

PictureLayout with_p010(PictureLayout layout) {
    layout.p010 = round_up(layout.size + kPictureTail, kPage);
    return layout;
}

unsigned p010_kernel() {
    static const unsigned index = kernel_index("p010");
    return index;
}

void plan_p010(const PictureLayout &layout, PhaseWork &work) {
    const auto &[luma, cb, cr] = layout.plane;
    DdP010Push push{};
    push.luma = luma.offset / kVectorBytes;
    push.cb = cb.offset / kVectorBytes;
    push.cr = cr.offset / kVectorBytes;
    push.to_luma = layout.p010 / kVectorBytes;
    push.to_chroma = static_cast<std::uint32_t>(p010_chroma(layout) / kVectorBytes);
    push.luma_stride = luma.stride / kVectorBytes;
    push.chroma_stride = cb.stride / kVectorBytes;
    push.luma_vectors = div_up(luma.width, kVectorSamples);
    push.chroma_vectors = div_up(cb.width, kVectorSamples);
    push.luma_groups = div_up(luma.height, kLumaRows);
    Dispatch &dispatch = work.dispatches.emplace_back();
    dispatch.kernel = p010_kernel();
    dispatch.set_push(push);
    dispatch.groups = div_up(push.luma_vectors, kGroupVectors);
    dispatch.groups_y = push.luma_groups + div_up(cb.height, kChromaRows);
    dispatch.barrier = true;
}

void write_p010(const PictureLayout &layout, std::byte *picture) {
    const auto &[luma, cb, cr] = layout.plane;
    for (std::uint32_t y = 0; y < luma.height; y++) {
        const std::uint16_t *from = row_of(picture, luma.offset, luma.stride, y);
        std::uint16_t *to = row_of(picture, layout.p010, luma.stride, y);
        for (std::uint32_t x = 0; x < luma.width; x++)
            to[x] = static_cast<std::uint16_t>(from[x] << kShift);
    }
    for (std::uint32_t y = 0; y < cb.height; y++) {
        const std::uint16_t *blue = row_of(picture, cb.offset, cb.stride, y);
        const std::uint16_t *red = row_of(picture, cr.offset, cr.stride, y);
        std::uint16_t *to = row_of(picture, p010_chroma(layout), luma.stride, y);
        for (std::uint32_t x = 0; x < cb.width; x++) {
            to[2 * x] = static_cast<std::uint16_t>(blue[x] << kShift);
            to[2 * x + 1] = static_cast<std::uint16_t>(red[x] << kShift);
        }
    }
}

} // namespace dd
