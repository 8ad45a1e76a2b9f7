/*
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

#ifndef AVCODEC_DAEDALUS_H
#define AVCODEC_DAEDALUS_H

#include "libavutil/frame.h"
#include "libavutil/pixfmt.h"

struct AVCodecContext;
struct AVDaedalusDeviceContext;
struct DdPicture;

/**
 * The libdaedalus device of a decoder, or NULL if it has none or another one.
 */
const struct AVDaedalusDeviceContext *ff_daedalus_device(const struct AVCodecContext *avctx);

/**
 * Prepare a decoder that is about to be opened. Where the caller gave no device
 * and the environment variable DAEDALUS_ENABLE is 1, or where it gave one of
 * type DRM, a decoder that supports libdaedalus gets one. Where the device says
 * so, a decoder for one thread gets more.
 */
void ff_daedalus_preinit(struct AVCodecContext *avctx);

/**
 * Say whether frames of a software format can be output as
 * AV_PIX_FMT_DRM_PRIME: the caller's device is of type DRM, and there is a
 * dma-heap.
 */
int ff_daedalus_exports(const struct AVCodecContext *avctx, enum AVPixelFormat pix_fmt);

/**
 * Set AVFrame.hw_frames_ctx of a frame that will be exported.
 */
int ff_daedalus_set_frames_context(struct AVCodecContext *avctx, AVFrame *f, enum AVPixelFormat decoded);

/**
 * Make a complete frame that shows the picture, with a frames context, one of
 * AV_PIX_FMT_DRM_PRIME. The caller keeps its reference to the picture.
 */
int ff_daedalus_export(void *logctx, AVFrame *f, struct DdPicture *picture);

#endif /* AVCODEC_DAEDALUS_H */
