// SPDX-License-Identifier: BSD-2-Clause
//
// P010, the form in which some displays take 10 bits and 4:2:0: samples in the upper bits of 16, a plane of luma, then
// one of Cb and Cr in turn. It lies behind the planes of a picture that other devices read; decoders don't read it.
#pragma once
#include "batch/picture_layout.h"

#include <cstddef>

namespace dd {

struct PhaseWork;

bool has_p010_form(const PictureFormat &format);
// A layout of such a format, with P010 behind all that it has.
PictureLayout with_p010(PictureLayout layout);
// Both of its planes have the stride of luma.
constexpr std::size_t p010_chroma(const PictureLayout &layout) {
    return layout.p010 + std::size_t{layout.plane[0].stride} * layout.plane[0].padded_height;
}
constexpr std::size_t p010_bytes(const PictureLayout &layout) {
    return std::size_t{layout.plane[0].stride} * (layout.plane[0].padded_height + layout.plane[1].padded_height);
}

unsigned p010_kernel();
// Behind the phase's other dispatches: the GPU writes it.
void plan_p010(const PictureLayout &layout, PhaseWork &work);
// The CPU writes it. `picture`: of picture_bytes().
void write_p010(const PictureLayout &layout, std::byte *picture);

} // namespace dd
