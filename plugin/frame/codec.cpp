// SPDX-License-Identifier: BSD-2-Clause
//
// The codecs that there are. Of all files in frame/ this one alone includes theirs.
#include "frame/codec.h"

#include "av1/frame.h"
#include "vp9/frame.h"

namespace dd {

std::unique_ptr<Codec> Codec::make(DdCodec codec) {
    if (codec == DD_CODEC_AV1)
        return std::make_unique<Av1Codec>();
    return std::make_unique<Vp9Codec>();
}

} // namespace dd
