/*
 * Frames of libdaedalus that other devices read
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

#include <drm_fourcc.h>

#include <daedalus/daedalus.h>

#include "libavutil/buffer.h"
#include "libavutil/common.h"
#include "libavutil/error.h"
#include "libavutil/frame.h"
#include "libavutil/hwcontext.h"
#include "libavutil/hwcontext_daedalus.h"
#include "libavutil/hwcontext_drm.h"
#include "libavutil/log.h"
#include "libavutil/mem.h"
#include "libavutil/pixfmt.h"

#include "avcodec.h"
#include "daedalus.h"
#include "internal.h"

// 16 bits a sample, three planes; headers before Linux 6.17 don't have it
#define FORMAT_S010 MKTAG('S', '0', '1', '0')

static const struct Format {
    enum AVPixelFormat pix_fmt;
    uint32_t layer;
} formats[] = {
    { AV_PIX_FMT_YUV420P,   DRM_FORMAT_YUV420 },
    { AV_PIX_FMT_YUV420P10, FORMAT_S010       },
    { AV_PIX_FMT_P010,      DRM_FORMAT_P010   },
};

static const struct Format *find_format(enum AVPixelFormat pix_fmt)
{
    for (int i = 0; i < FF_ARRAY_ELEMS(formats); i++)
        if (formats[i].pix_fmt == pix_fmt)
            return &formats[i];

    return NULL;
}

int ff_daedalus_exports(const AVCodecContext *avctx, enum AVPixelFormat pix_fmt)
{
    return avctx->internal->daedalus && find_format(pix_fmt);
}

static enum AVPixelFormat exported_format(const AVCodecContext *avctx, enum AVPixelFormat decoded)
{
    if (decoded == AV_PIX_FMT_YUV420P10 &&
        dd_device_exports(ff_daedalus_device(avctx)->device) == DD_EXPORT_P010)
        return AV_PIX_FMT_P010;

    return decoded;
}

int ff_daedalus_set_frames_context(AVCodecContext *avctx, AVFrame *f, enum AVPixelFormat decoded)
{
    AVHWFramesContext *frames = avctx->hw_frames_ctx ? (AVHWFramesContext *)avctx->hw_frames_ctx->data : NULL;
    enum AVPixelFormat sw_format = exported_format(avctx, decoded);

    // the decoder's stays as long as it fits, and programs take a new one for a change of the stream
    if (!frames || frames->sw_format != sw_format || frames->width != f->width || frames->height != f->height) {
        AVBufferRef *ref = av_hwframe_ctx_alloc(avctx->hw_device_ctx);
        int ret;

        if (!ref)
            return AVERROR(ENOMEM);
        frames            = (AVHWFramesContext *)ref->data;
        frames->format    = AV_PIX_FMT_DRM_PRIME;
        frames->sw_format = sw_format;
        frames->width     = f->width;
        frames->height    = f->height;
        ret = av_hwframe_ctx_init(ref);
        if (ret < 0) {
            av_buffer_unref(&ref);
            return ret;
        }
        av_buffer_unref(&avctx->hw_frames_ctx);
        avctx->hw_frames_ctx = ref;
    }
    f->hw_frames_ctx = av_buffer_ref(avctx->hw_frames_ctx);

    return f->hw_frames_ctx ? 0 : AVERROR(ENOMEM);
}

static void descriptor_free(void *opaque, uint8_t *data)
{
    DdPicture *picture = opaque;

    dd_picture_unref(&picture);
    av_free(data);
}

/**
 * @return a buffer with an AVDRMFrameDescriptor that holds the picture
 */
static AVBufferRef *describe(DdPicture *picture, const DdDmaBuf *dma_buf, uint32_t format)
{
    AVDRMFrameDescriptor *desc = av_mallocz(sizeof(*desc));
    AVDRMLayerDescriptor *layer;
    AVBufferRef *buf;

    if (!desc)
        return NULL;
    layer = &desc->layers[0];
    desc->nb_objects                 = 1;
    desc->objects[0].fd              = dma_buf->fd;
    desc->objects[0].size            = dma_buf->bytes;
    desc->objects[0].format_modifier = DRM_FORMAT_MOD_LINEAR;
    desc->nb_layers                  = 1;
    layer->format                    = format;
    layer->nb_planes                 = dma_buf->planes;
    for (int p = 0; p < layer->nb_planes; p++) {
        layer->planes[p].offset = dma_buf->offset[p];
        layer->planes[p].pitch  = dma_buf->pitch[p];
    }

    buf = av_buffer_create((uint8_t *)desc, sizeof(*desc), descriptor_free, dd_picture_ref(picture),
                           AV_BUFFER_FLAG_READONLY);
    if (!buf)
        descriptor_free(picture, (uint8_t *)desc);

    return buf;
}

int ff_daedalus_export(void *logctx, AVFrame *f, DdPicture *picture)
{
    DdDmaBuf dma_buf = { .size = sizeof(dma_buf) };
    const struct Format *format;
    AVFrame *out;
    int ret = dd_picture_dma_buf(picture, &dma_buf);

    if (ret < 0) {
        av_log(logctx, AV_LOG_ERROR, "The picture can't be exported: %s\n", dd_result_text(ret));
        return ret == DD_ERR_NO_MEMORY ? AVERROR(ENOMEM) : AVERROR_EXTERNAL;
    }
    format = find_format(((AVHWFramesContext *)f->hw_frames_ctx->data)->sw_format);
    if (!format)
        return AVERROR_BUG;

    out = av_frame_alloc();
    if (!out)
        return AVERROR(ENOMEM);
    ret = av_frame_copy_props(out, f);
    if (ret < 0)
        goto end;

    out->format        = AV_PIX_FMT_DRM_PRIME;
    out->width         = f->width;
    out->height        = f->height;
    out->buf[0]        = describe(picture, &dma_buf, format->layer);
    out->hw_frames_ctx = av_buffer_ref(f->hw_frames_ctx);
    if (!out->buf[0] || !out->hw_frames_ctx) {
        ret = AVERROR(ENOMEM);
        goto end;
    }
    out->data[0] = out->buf[0]->data;
    av_frame_unref(f);
    av_frame_move_ref(f, out);

end:
    av_frame_free(&out);
    return ret;
}
