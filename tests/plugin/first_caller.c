/* SPDX-License-Identifier: BSD-2-Clause */
/* A caller of the first version: its structures have that version's sizes. */
#include "plugin/first_caller.h"

#include "plugin/frozen/daedalus_0_1.h"

#include <string.h>

#define GUARD 0x5a

static int decode_frame(DdSession *session) {
    DdPictureFormat format = {.size = sizeof(format), .width = 64, .height = 64, .bit_depth = 8, .ss_h = 1, .ss_v = 1};
    DdPicture *picture = NULL;
    DdFrame *frame = NULL;
    int result = dd_picture_alloc(session, &format, &picture);
    if (result < 0)
        return result;
    DdFrameInfo info = {.size = sizeof(info), .dst = picture, .recorders = 1, .intra_only = 1};
    result = dd_frame_begin(session, &info, &frame);
    if (result >= 0)
        dd_frame_end(&frame, DD_OUTCOME_DONE);
    dd_picture_unref(&picture);
    return result;
}

/* Behind the caller's structure nothing is written. */
static int frames_of(DdSession *session, uint64_t *frames) {
    struct {
        DdStats stats;
        unsigned char behind[64];
    } capacity;
    memset(&capacity, GUARD, sizeof(capacity));
    capacity.stats.size = sizeof(capacity.stats);
    const int result = dd_session_stats(session, &capacity.stats);
    for (unsigned i = 0; i < sizeof(capacity.behind); i++)
        if (capacity.behind[i] != GUARD)
            return DD_ERR_INVALID;
    *frames = capacity.stats.frames;
    return result;
}

int first_caller(const char *device_name, uint64_t *frames) {
    DdDeviceOptions options = {.size = offsetof(DdDeviceOptions, goal), .device = device_name, .plan = "gpu"};
    /* what lies behind isn't the caller's */
    options.goal = "no goal";
    DdSessionOptions session_options = {.size = sizeof(session_options), .codec = DD_CODEC_VP9};
    DdDevice *device = NULL;
    DdSession *session = NULL;
    int result = dd_device_open(&device, &options);
    if (result < 0)
        return result;
    result = dd_session_open(&session, device, &session_options);
    if (result >= 0)
        result = decode_frame(session);
    if (result >= 0)
        result = frames_of(session, frames);
    dd_session_unref(&session);
    dd_device_unref(&device);
    return result;
}
