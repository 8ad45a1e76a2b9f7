/*
 * Copyright © 2025, VideoLAN and dav1d authors
 * All rights reserved.
 *
 * Redistribution and use in source and binary forms, with or without
 * modification, are permitted provided that the following conditions are met:
 *
 * 1. Redistributions of source code must retain the above copyright notice, this
 *    list of conditions and the following disclaimer.
 *
 * 2. Redistributions in binary form must reproduce the above copyright notice,
 *    this list of conditions and the following disclaimer in the documentation
 *    and/or other materials provided with the distribution.
 *
 * THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND
 * ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED
 * WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
 * DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT OWNER OR CONTRIBUTORS BE LIABLE FOR
 * ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES
 * (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES;
 * LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND
 * ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT
 * (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS
 * SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
 */

#include "config.h"

#include <string.h>

#include <daedalus/daedalus.h>

#include "src/daedalus.h"
#include "src/picture.h"
#include "src/thread_task.h"

/* Frame threads and a GPU: more frames are in flight than dav1d would have. What
 * becomes of a broken stream depends on how many they are: with each call comes a
 * picture, an error, or neither, and until then what follows in the packet waits;
 * with an error FFmpeg loses a packet. So calls bring what they would with the usual
 * number of frames, but for the first pictures, which come later: that many are
 * owed until the end. */

static int add_thread(Dav1dContext *const c) {
    Dav1dTaskContext *const t = &c->tc[c->n_tc];
    struct thread_data *const td = &t->task_thread.td;
    pthread_attr_t attr;
    int created = 0;

    if (pthread_attr_init(&attr)) return 0;
    pthread_attr_setstacksize(&attr, c->pipeline.stack_size);
    t->f = &c->fc[0];
    t->task_thread.ttd = &c->task_thread;
    t->c = c;
    if (!pthread_mutex_init(&td->lock, NULL)) {
        if (!pthread_cond_init(&td->cond, NULL)) {
            created = !pthread_create(&td->thread, &attr, dav1d_worker_task, t);
            if (!created) pthread_cond_destroy(&td->cond);
        }
        if (!created) pthread_mutex_destroy(&td->lock);
    }
    pthread_attr_destroy(&attr);
    td->inited = created;
    c->n_tc += created;
    return created;
}

static void await_end(Dav1dContext *const c, Dav1dFrameContext *const f) {
    while (f->n_tile_data > 0)
        pthread_cond_wait(&f->task_thread.cond, &c->task_thread.lock);
}

void dav1d_daedalus_add_frames(Dav1dContext *const c) {
    /* The oldest frame is in the first context, so that new ones go behind the last. */
    if (!c->pipeline.opening || c->max_spatial_id || c->frame_thread.next ||
        atomic_load(&c->task_thread.first) || !c->frame_thread.out_delayed[0].p.data[0] ||
        dd_device_opening(c->pipeline.opening))
    {
        return;
    }
    const int has_gpu = dd_device_has_gpu(c->pipeline.opening);
    c->pipeline.opening = NULL;
    if (!has_gpu) return;

    for (unsigned n = 0; n < c->n_fc; n++)
        await_end(c, &c->fc[n]);
    while (c->n_tc < c->pipeline.threads)
        if (!add_thread(c)) break;
    if (c->n_fc == c->pipeline.contexts) return; // the caller said how many frames
    c->frame_thread.next = c->n_fc;
    c->n_fc = c->task_thread.cur = c->pipeline.contexts;
}

static int is_shown(const Dav1dContext *const c, const Dav1dThreadPicture *const p) {
    return p->p.data[0] && (p->visible || c->output_invisible_frames) &&
           atomic_load(&p->progress[1]) != FRAME_ERROR;
}

/* Whether a picture would come now with the usual number of frames. Parsing is what
 * goes wrong, so a frame is sound if it was parsed and all before it are. */
static int picture_is_due(Dav1dContext *const c, const unsigned n) {
    Dav1dFrameContext *const f = &c->fc[n];
    const Dav1dThreadPicture *const p = &c->frame_thread.out_delayed[n];

    while (f->n_tile_data > 0 && !atomic_load(&f->task_thread.done[1]))
        pthread_cond_wait(&f->task_thread.cond, &c->task_thread.lock);
    if (atomic_load(&f->task_thread.error) || f->task_thread.retval)
        c->pipeline.broken = 1;
    if (c->pipeline.broken)
        await_end(c, f);
    if (f->task_thread.retval) {
        c->cached_error = f->task_thread.retval;
        f->task_thread.retval = 0;
        dav1d_data_props_copy(&c->cached_error_props, &p->p.m);
        return 0;
    }
    return is_shown(c, p);
}

static void put_off_output(Dav1dContext *const c) {
    if (!c->out.p.data[0] || c->pipeline.n_late == DAEDALUS_MOST_LATE) return;
    c->event_flags &= ~dav1d_picture_get_event_flags(&c->out);
    dav1d_thread_picture_move_ref(&c->pipeline.late[c->pipeline.n_late++], &c->out);
}

static int take_late(Dav1dContext *const c) {
    Dav1dPipeline *const p = &c->pipeline;

    if (!p->n_late) return 0;
    c->event_flags |= dav1d_picture_get_event_flags(&p->late[0]);
    dav1d_thread_picture_move_ref(&c->out, &p->late[0]);
    memmove(p->late, p->late + 1, sizeof(*p->late) * --p->n_late);
    memset(&p->late[p->n_late], 0, sizeof(*p->late));
    return 1;
}

void dav1d_daedalus_turn(Dav1dContext *const c, Dav1dFrameContext *const next) {
    const unsigned place = (unsigned) (next - c->fc);

    atomic_store(&next->task_thread.done[1], 0);
    if (c->n_fc == c->pipeline.usual_fc) return;

    put_off_output(c);
    if (!picture_is_due(c, (place + c->n_fc - c->pipeline.usual_fc) % c->n_fc)) return;
    c->pipeline.queued = 1;
    c->pipeline.owed += !take_late(c);
}

int dav1d_daedalus_catch_up(Dav1dContext *const c, const int drain) {
    Dav1dPipeline *const p = &c->pipeline;

    if (!drain || !p->owed) return 0;
    if (c->out.p.data[0] || c->cached_error || c->max_spatial_id) return 0;
    p->owed--;
    if (take_late(c)) return 1;
    for (unsigned i = 0; i < c->n_fc - p->usual_fc; i++) {
        const unsigned n = (c->frame_thread.next + i) % c->n_fc;
        Dav1dThreadPicture *const delayed = &c->frame_thread.out_delayed[n];
        if (!delayed->p.data[0] || !delayed->visible) continue;
        pthread_mutex_lock(&c->task_thread.lock);
        await_end(c, &c->fc[n]);
        pthread_mutex_unlock(&c->task_thread.lock);
        const int shown = is_shown(c, delayed);
        delayed->visible = 0;
        if (!shown) continue;
        dav1d_thread_picture_ref(&c->out, delayed);
        c->event_flags |= dav1d_picture_get_event_flags(delayed);
        return 1;
    }
    return 0;
}

int dav1d_daedalus_drains_late(Dav1dContext *const c) {
    if (c->pipeline.owed) c->pipeline.owed--;
    return !c->max_spatial_id && take_late(c);
}

void dav1d_daedalus_drop_late(Dav1dContext *const c) {
    while (c->pipeline.n_late)
        dav1d_thread_picture_unref(&c->pipeline.late[--c->pipeline.n_late]);
    c->pipeline.owed = 0;
}
