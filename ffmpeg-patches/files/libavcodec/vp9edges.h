/*
 * VP9 loop filter: edges of the smallest blocks
 *
 * This file is part of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 *
 * FFmpeg is distributed in the hope that it will be useful,
 * but WITHOUT ANY WARRANTY; without even the implied warranty of
 * MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
 * Lesser General Public License for more details.
 *
 * You should have received a copy of the GNU Lesser General Public
 * License along with FFmpeg; if not, write to the Free Software
 * Foundation, Inc., 51 Franklin Street, Fifth Floor, Boston, MA 02110-1301 USA
 */

#ifndef AVCODEC_VP9EDGES_H
#define AVCODEC_VP9EDGES_H

#include <stdint.h>

#include "libavutil/attributes.h"
#include "libavutil/intreadwrite.h"

#include "vp9.h"
#include "vp9dec.h"

/* The four bytes of a row in VP9Filter.mask as one number, as AV_RL32() reads
 * it: the lowest bit of each, for a block in the first column. */
#define W8     (1U << 8)
#define W4     (1U << 16)
#define INNER4 (1U << 24) ///< between 4x4 blocks

/* By column or row of the superblock: lines of 32 pixels get the wider filter. */
#define EDGES(w8, w4) { w8, w4, w4, w4, w8, w4, w4, w4 }

static const uint32_t vp9_smallest_edges[3][8] = {
    EDGES(W8 | INNER4, W4 | INNER4), ///< 4x4 transforms
    EDGES(W8, W4),                   ///< 4x4 transforms, whose inner edges aren't filtered
    EDGES(W8, W8),                   ///< an 8x8 transform
};

static av_always_inline void vp9_or_edges(uint8_t *mask, uint32_t edges)
{
    AV_WL32(mask, AV_RL32(mask) | edges);
}

/**
 * Add the edges of a block of 8x8 pixels, or of smaller ones, of 4:2:0; neither
 * it nor its neighbours on the right and below are outside the picture. The
 * same as mask_edges() finds.
 *
 * @param skip_inter 1 if only the block's own border is filtered
 */
static av_always_inline void vp9_mask_smallest_block(VP9Filter *lflvl, int row7, int col7,
                                                     enum TxfmMode tx, int skip_inter)
{
    const uint32_t *edges = vp9_smallest_edges[tx == TX_8X8 ? 2 : skip_inter];

    vp9_or_edges(lflvl->mask[0][0][row7], edges[col7] << col7);
    vp9_or_edges(lflvl->mask[0][1][row7], edges[row7] << col7);

    // the first one of four speaks for the chroma of all, an 8x8 of 4x4 blocks
    if (!((row7 | col7) & 1)) {
        const uint32_t first = (col7 ? W4 : W8) << col7, second = skip_inter ? 0 : W4 << (col7 + 1);
        const uint32_t upper = (row7 ? W4 : W8) * 3 << col7, lower = skip_inter ? 0 : W4 * 3 << col7;

        vp9_or_edges(lflvl->mask[1][0][row7],     first | second);
        vp9_or_edges(lflvl->mask[1][0][row7 + 1], first | second);
        vp9_or_edges(lflvl->mask[1][1][row7],     upper);
        vp9_or_edges(lflvl->mask[1][1][row7 + 1], lower);
    }
}

#undef W8
#undef W4
#undef INNER4
#undef EDGES

#endif /* AVCODEC_VP9EDGES_H */
