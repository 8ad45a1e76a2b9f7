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

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <daedalus/daedalus.h>

#include "libavutil/dict.h"
#include "libavutil/error.h"
#include "libavutil/hwcontext.h"
#include "libavutil/hwcontext_daedalus.h"
#include "libavutil/log.h"

#include "avcodec.h"
#include "daedalus.h"
#include "internal.h"

static int supports_device(const AVCodec *codec)
{
    const AVCodecHWConfig *config;

    for (int i = 0; (config = avcodec_get_hw_config(codec, i)); i++)
        if (config->device_type == AV_HWDEVICE_TYPE_DAEDALUS)
            return 1;

    return 0;
}

/* avformat_find_stream_info() opens decoders for one thread to probe streams:
 * those are left alone. */
static void open_device(AVCodecContext *avctx)
{
    const char *enable = getenv("DAEDALUS_ENABLE");
    int ret;

    if (!enable || strcmp(enable, "1") || avctx->thread_count == 1 ||
        avctx->hw_frames_ctx || avctx->hwaccel_context)
        return;

    ret = av_hwdevice_ctx_create(&avctx->hw_device_ctx, AV_HWDEVICE_TYPE_DAEDALUS, NULL, NULL, 0);
    if (ret < 0)
        av_log(avctx, AV_LOG_WARNING, "DAEDALUS_ENABLE is set, but there is no device: %s\n",
               av_err2str(ret));
    else
        av_log(avctx, AV_LOG_INFO, "DAEDALUS_ENABLE is set: decoding with libdaedalus\n");
}

/* A decoder that shows its frames through a DRM device decodes with one of its
 * own. Such a caller takes the decoder for hardware, and asks for one thread. */
static void open_device_beside(AVCodecContext *avctx)
{
    AVDictionary *options = NULL;
    int ret = av_dict_set(&options, "dma_buf", "1", 0);

    if (ret >= 0)
        ret = av_hwdevice_ctx_create(&avctx->internal->daedalus, AV_HWDEVICE_TYPE_DAEDALUS, NULL,
                                     options, 0);
    av_dict_free(&options);
    if (ret < 0) {
        av_log(avctx, AV_LOG_WARNING, "Frames can't be output for DRM: %s\n", av_err2str(ret));
    } else if (!dd_device_exports(ff_daedalus_device(avctx)->device)) {
        av_buffer_unref(&avctx->internal->daedalus);
    } else if (avctx->thread_count == 1 && ff_daedalus_device(avctx)->threads < 0) {
        avctx->thread_count = 0;
    }
}

const AVDaedalusDeviceContext *ff_daedalus_device(const AVCodecContext *avctx)
{
    const AVBufferRef *ref = avctx->internal->daedalus ? avctx->internal->daedalus : avctx->hw_device_ctx;
    const AVHWDeviceContext *dev;

    if (!ref)
        return NULL;
    dev = (const AVHWDeviceContext *)ref->data;

    return dev->type == AV_HWDEVICE_TYPE_DAEDALUS ? dev->hwctx : NULL;
}

void ff_daedalus_preinit(AVCodecContext *avctx)
{
    const AVDaedalusDeviceContext *hwctx;

    if (!supports_device(avctx->codec))
        return;
    if (!avctx->hw_device_ctx)
        open_device(avctx);
    else if (CONFIG_LIBDRM &&
             ((AVHWDeviceContext *)avctx->hw_device_ctx->data)->type == AV_HWDEVICE_TYPE_DRM)
        open_device_beside(avctx);
    hwctx = ff_daedalus_device(avctx);
    if (hwctx && hwctx->threads >= 0 && avctx->thread_count == 1)
        avctx->thread_count = hwctx->threads;
}
