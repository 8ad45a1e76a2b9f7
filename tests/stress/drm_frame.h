// SPDX-License-Identifier: BSD-2-Clause
//
// What a display does with a decoded frame: it reads the memory that the frame's descriptor names.
#pragma once
#include "decoder.h"

namespace stress {

// The pixels of a frame of AV_PIX_FMT_DRM_PRIME, mapped from its file, as a frame of the software format. Throws where
// its descriptor isn't one that displays take: one object, one linear layer, planes within it.
Frame map_drm_frame(const AVFrame &frame);

} // namespace stress
