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

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <daedalus/daedalus.h>

#include "avstring.h"
#include "bprint.h"
#include "dict.h"
#include "error.h"
#include "hwcontext.h"
#include "hwcontext_daedalus.h"
#include "hwcontext_internal.h"
#include "log.h"
#include "macros.h"

/* Pictures keep the device alive beyond the AVHWDeviceContext, and the device may
 * have something to say until it goes: there is no context to log it for. */
static void daedalus_log(void *opaque, DdLogLevel level, const char *line)
{
    static const int levels[] = {
        [DD_LOG_ERROR]   = AV_LOG_ERROR,
        [DD_LOG_WARNING] = AV_LOG_WARNING,
        [DD_LOG_INFO]    = AV_LOG_INFO,
        [DD_LOG_VERBOSE] = AV_LOG_VERBOSE,
        [DD_LOG_DEBUG]   = AV_LOG_DEBUG,
    };

    av_log(NULL, (unsigned)level < FF_ARRAY_ELEMS(levels) ? levels[level] : AV_LOG_DEBUG,
           "%s\n", line);
}

static void daedalus_device_free(AVHWDeviceContext *ctx)
{
    AVDaedalusDeviceContext *hwctx = ctx->hwctx;

    dd_device_unref(&hwctx->device);
}

static int parse_threads(AVHWDeviceContext *ctx, const char *value)
{
    AVDaedalusDeviceContext *hwctx = ctx->hwctx;
    char *end;
    long threads = strtol(value, &end, 10);

    if (end == value || *end || threads < 0 || threads > INT_MAX) {
        av_log(ctx, AV_LOG_ERROR, "'%s' is no number of threads\n", value);
        return AVERROR(EINVAL);
    }
    hwctx->threads = threads;

    return 0;
}

static int daedalus_device_create(AVHWDeviceContext *ctx, const char *device,
                                  AVDictionary *opts, int flags)
{
    AVDaedalusDeviceContext *hwctx = ctx->hwctx;
    DdDeviceOptions options = {
        .size   = sizeof(options),
        .device = device && *device ? device : NULL,
        .log    = daedalus_log,
    };
    const AVDictionaryEntry *opt = NULL;
    const char *threads = getenv("DAEDALUS_THREADS");
    AVBPrint plan;
    int ret;

    hwctx->threads = -1;

    // "plan=mc=gpu,itx=gpu" arrives as two options
    av_bprint_init(&plan, 0, AV_BPRINT_SIZE_AUTOMATIC);
    while ((opt = av_dict_iterate(opts, opt))) {
        const char *comma = plan.len ? "," : "";
        if (!strcmp(opt->key, "profile"))
            options.profile = opt->value;
        else if (!strcmp(opt->key, "goal"))
            options.goal = opt->value;
        else if (!strcmp(opt->key, "robust"))
            options.robust = !!strcmp(opt->value, "0");
        else if (!strcmp(opt->key, "dma_buf"))
            options.dma_buf = !!strcmp(opt->value, "0");
        else if (!strcmp(opt->key, "p010"))
            options.p010 = strcmp(opt->value, "0") ? DD_OPTION_ON : DD_OPTION_OFF;
        else if (!strcmp(opt->key, "threads"))
            threads = opt->value;
        else if (!strcmp(opt->key, "plan"))
            av_bprintf(&plan, "%s%s", comma, opt->value);
        else if (plan.len && av_match_name(opt->key, "mc,itx,lf,cdef,lr,intra"))
            av_bprintf(&plan, "%s%s=%s", comma, opt->key, opt->value);
        else {
            av_log(ctx, AV_LOG_ERROR, "The device has no option '%s': there are plan, profile, "
                                      "goal, robust, dma_buf, p010 and threads\n", opt->key);
            return AVERROR(EINVAL);
        }
    }
    if (!av_bprint_is_complete(&plan))
        return AVERROR(EINVAL);
    if (av_dict_get(opts, "plan", NULL, 0))
        options.plan = plan.str;

    if (threads && *threads) {
        ret = parse_threads(ctx, threads);
        if (ret < 0)
            return ret;
    }

    ret = dd_device_open(&hwctx->device, &options);
    if (ret < 0) {
        av_log(ctx, AV_LOG_ERROR, "Cannot open the device: %s\n", dd_result_text(ret));
        return ret == DD_ERR_NO_MEMORY ? AVERROR(ENOMEM) :
               ret == DD_ERR_INVALID   ? AVERROR(EINVAL) : AVERROR_EXTERNAL;
    }
    ctx->free = daedalus_device_free;

    return 0;
}

static int daedalus_device_init(AVHWDeviceContext *ctx)
{
    AVDaedalusDeviceContext *hwctx = ctx->hwctx;

    return hwctx->device ? 0 : AVERROR(EINVAL);
}

const HWContextType ff_hwcontext_type_daedalus = {
    .type              = AV_HWDEVICE_TYPE_DAEDALUS,
    .name              = "Daedalus",

    .device_hwctx_size = sizeof(AVDaedalusDeviceContext),

    .device_create     = daedalus_device_create,
    .device_init       = daedalus_device_init,

    .pix_fmts          = (const enum AVPixelFormat[]){ AV_PIX_FMT_NONE },
};
