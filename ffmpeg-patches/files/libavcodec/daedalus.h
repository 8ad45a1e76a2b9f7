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

struct AVCodecContext;
struct AVDaedalusDeviceContext;

/**
 * The libdaedalus device of a decoder, or NULL if it has none or another one.
 */
const struct AVDaedalusDeviceContext *ff_daedalus_device(const struct AVCodecContext *avctx);

/**
 * Prepare a decoder that is about to be opened. Where the caller gave no device
 * and the environment variable DAEDALUS_ENABLE is 1, a decoder that supports
 * libdaedalus gets one. Where the device says so, a decoder for one thread gets
 * more.
 */
void ff_daedalus_preinit(struct AVCodecContext *avctx);

#endif /* AVCODEC_DAEDALUS_H */
