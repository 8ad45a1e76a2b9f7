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

#ifndef AVCODEC_DAEDALUS_COMPAT_H
#define AVCODEC_DAEDALUS_COMPAT_H

/**
 * @file
 * What differs between the releases of FFmpeg that this directory's files are for.
 */

#include "decode.h"
#include "version_major.h"

#if LIBAVCODEC_VERSION_MAJOR < 62
#include "refstruct.h"

#define AVRefStructPool                            FFRefStructPool
#define AVRefStructOpaque                          FFRefStructOpaque
#define AV_REFSTRUCT_POOL_FLAG_FREE_ON_INIT_ERROR  FF_REFSTRUCT_POOL_FLAG_FREE_ON_INIT_ERROR
#define av_refstruct_pool_alloc_ext                ff_refstruct_pool_alloc_ext
#define av_refstruct_pool_get                      ff_refstruct_pool_get
#define av_refstruct_pool_uninit                   ff_refstruct_pool_uninit
#else
#include "libavutil/refstruct.h"
#endif

/**
 * @return FrameDecodeData of a frame, or NULL if it has none
 */
static inline FrameDecodeData *ff_daedalus_decode_data(const AVFrame *f)
{
#if LIBAVCODEC_VERSION_MAJOR < 63
    return f->private_ref ? (FrameDecodeData *)f->private_ref->data : NULL;
#else
    return f->private_ref;
#endif
}

static inline int ff_daedalus_attach_decode_data(struct AVCodecContext *avctx, AVFrame *f)
{
#if LIBAVCODEC_VERSION_MAJOR < 63
    return ff_attach_decode_data(f);
#else
    return ff_attach_decode_data(avctx, f);
#endif
}

#endif /* AVCODEC_DAEDALUS_COMPAT_H */
