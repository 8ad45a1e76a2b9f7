/*
 * VP9 reconstruction with libdaedalus
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

#ifndef AVCODEC_VP9DAEDALUS_H
#define AVCODEC_VP9DAEDALUS_H

#include "libavutil/pixfmt.h"

#include "progressframe.h"

/**
 * @file
 * A frame of which stages run on a GPU (VP9Context.gpu_frame) is decoded in
 * passes. Pass 1 parses the whole frame. Pass 1, or a pass 2 of its own, records
 * what the GPU will do. Then the GPU's phases and passes 2 of the decoder
 * alternate; each pass 2 does what VP9Context.recon says. When the GPU fails,
 * the frame is parsed once more (VP9Context.reparse), by a single pass without a GPU.
 *
 * Every function may be called when there is no GPU (VP9Context.dd is NULL).
 */

struct AVCodecContext;
struct VP9Context;
struct VP9Filter;
struct VP9TileData;

int ff_vp9_daedalus_init(struct AVCodecContext *avctx);
void ff_vp9_daedalus_uninit(struct AVCodecContext *avctx);

/**
 * Say whether a second frame thread lets a GPU work while the next frame is
 * parsed, or may do so when the GPU is ready.
 */
int ff_vp9_daedalus_overlaps(const struct AVCodecContext *avctx);

/**
 * Say whether it does so from now on.
 */
int ff_vp9_daedalus_overlaps_now(const struct AVCodecContext *avctx);

void ff_vp9_daedalus_update_thread_context(struct VP9Context *dst,
                                           const struct VP9Context *src);

/**
 * Before get_format(): add formats that aren't the stream's own.
 *
 * @return their number
 */
int ff_vp9_daedalus_formats(struct AVCodecContext *avctx, enum AVPixelFormat *fmt);

/**
 * Allocate a frame that the GPU can reach.
 *
 * @return AVERROR(ENOSYS) if it has to be an ordinary one
 */
int ff_vp9_daedalus_get_buffer(struct AVCodecContext *avctx, ProgressFrame *f);

/**
 * To be called after buffers for two passes were made for a frame, or found.
 * They are made for a whole frame of intra blocks, and cleared no further than
 * the frame uses them.
 */
void ff_vp9_daedalus_clear_blocks(struct VP9Context *s);

/**
 * Decide what runs where; sets VP9Context.gpu_frame and recon.
 */
void ff_vp9_daedalus_begin_frame(struct AVCodecContext *avctx, int size);

/**
 * To be called before a pass goes over a superblock of a frame with gpu_frame
 * set. Of a pass for intra blocks alone, it does them.
 *
 * @return 1 if the pass is done with the superblock
 */
int ff_vp9_daedalus_superblock(struct VP9TileData *td, int row, int col, struct VP9Filter *lflvl,
                               ptrdiff_t yoff, ptrdiff_t uvoff);

/**
 * Record a block that was parsed. Different tiles may do so at once.
 *
 * @return 1 if a later pass may need the block, 0 if the next one may take its
 *         place in the buffers
 */
int ff_vp9_daedalus_record_block(struct VP9TileData *td);

/**
 * After pass 1: say whether nothing but the GPU can fail from here on.
 */
int ff_vp9_daedalus_recorded(struct VP9Context *s);

/**
 * To be called when a pass over the frame fails: without a GPU a single pass would
 * have reconstructed what comes before the error, and later frames refer to that.
 *
 * @return 1 if the frame goes on with ff_vp9_daedalus_next_pass(), which decodes
 *         it once more on the CPU
 */
int ff_vp9_daedalus_broken(struct AVCodecContext *avctx);

/**
 * To be called after every pass over a frame with gpu_frame set.
 *
 * @return 1 if another pass with the new values of VP9Context.pass and recon
 *         is needed, 0 if the frame is reconstructed
 */
int ff_vp9_daedalus_next_pass(struct AVCodecContext *avctx);

/**
 * End the frame, if one was begun.
 *
 * @param dropped the frame was given up because of an error
 */
void ff_vp9_daedalus_end_frame(struct AVCodecContext *avctx, int dropped);

#endif /* AVCODEC_VP9DAEDALUS_H */
