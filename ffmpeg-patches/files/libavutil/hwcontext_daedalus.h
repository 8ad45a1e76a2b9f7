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

#ifndef AVUTIL_HWCONTEXT_DAEDALUS_H
#define AVUTIL_HWCONTEXT_DAEDALUS_H

#include <daedalus/daedalus.h>

/**
 * @file
 * An API-specific header for AV_HWDEVICE_TYPE_DAEDALUS.
 *
 * The device lets software decoders run part of their reconstruction on a GPU.
 * Decoded frames are ordinary frames in system memory: there is no pixel format
 * and there are no frame pools that belong to this type.
 *
 * av_hwdevice_ctx_create() takes the name of the device as dd_device_open()
 * defines it ("auto", "cpu", an index or a part of a name) and the options
 * "plan", "goal", "profile", "robust", "dma_buf" and "threads". That there is no usable GPU is not an
 * error.
 */

/**
 * Allocated as AVHWDeviceContext.hwctx
 */
typedef struct AVDaedalusDeviceContext {
    /**
     * Has to be set before av_hwdevice_ctx_init(). Released with
     * AVHWDeviceContext.free by the caller that set it.
     */
    DdDevice *device;

    /**
     * Threads of a decoder whose caller asks for one, as some do with any
     * device: AVCodecContext.thread_count is set to this. 0 for as many as
     * libavcodec chooses, negative to leave it alone.
     */
    int threads;
} AVDaedalusDeviceContext;

#endif /* AVUTIL_HWCONTEXT_DAEDALUS_H */
