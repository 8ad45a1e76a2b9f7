// SPDX-License-Identifier: BSD-2-Clause
//
// What the record of a whole block stands for: a record for luma and one for both planes of chroma.
#pragma once
#include "av1/recorder.h"

namespace dd {

DdAv1McRecord av1_plane_of(const DdAv1McRecord &block, const PictureLayout &dst, bool chroma);
DdAv1PairRecord av1_plane_of(const DdAv1PairRecord &block, const PictureLayout &dst, bool chroma);

// Calls see(record, group, size class) for all planes of a recorder's blocks of one kind, until it says false.
// Returns whether it never did.
template <typename Record, typename See>
bool each_av1_plane(const Av1Streams<Record> &blocks, const PictureLayout &dst, See see) {
    for (unsigned group = 0; group < blocks.size(); group++)
        for (unsigned c = 0; c < DD_AV1_CLASSES; c++)
            for (const Record &block : blocks[group][c])
                if (!see(av1_plane_of(block, dst, false), group, c) ||
                    (dst.format.planes > 1 &&
                     !see(av1_plane_of(block, dst, true), group, av1_chroma_class(dst.format, c))))
                    return false;
    return true;
}

} // namespace dd
