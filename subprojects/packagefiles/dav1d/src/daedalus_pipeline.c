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

#include <assert.h>
#include <string.h>

#include <daedalus/daedalus.h>

#include "src/daedalus.h"
#include "src/decode.h"
#include "src/picture.h"
#include "src/thread_task.h"

/* One thread and a GPU. While the GPU works on the frames before, the thread
 * parses the next one, and all that can go wrong with a stream goes wrong there,
 * so that errors have the effect that they have without a pipeline. When a frame
 * is parsed,
 * - the oldest frame, whose filters the GPU had, is over,
 * - the frame behind it, which the GPU has predicted, takes its second pass, and
 *   its filters go to the GPU,
 * - and the new one's predictions go there, before their references are complete:
 *   the GPU keeps the order.
 * A frame of which nothing is left to the CPU goes there with its filters at once, and has
 * no second pass. */

static Dav1dPipeline *pipeline_of(const Dav1dFrameContext *const f) {
    return &((Dav1dContext *) f->c)->pipeline;
}

Dav1dFrameContext *dav1d_daedalus_idle_context(Dav1dContext *const c) {
    const Dav1dPipeline *const p = &c->pipeline;
    for (unsigned n = 0; ; n++) {
        int busy = 0;
        for (unsigned k = 0; k < p->n_frames; k++)
            busy |= p->frame[k] == &c->fc[n];
        if (!busy) return &c->fc[n];
    }
}

/* Pictures leave in the order in which they came, when they are complete. */

static void finish_oldest(Dav1dContext *const c);

static void drop_output(Dav1dPipeline *const p, const unsigned n) {
    p->n_outputs--;
    memmove(&p->output[n], &p->output[n + 1], sizeof(*p->output) * (p->n_outputs - n));
    memset(&p->output[p->n_outputs], 0, sizeof(*p->output));
}

int dav1d_daedalus_take_output(Dav1dContext *const c, Dav1dThreadPicture *const picture) {
    Dav1dPipeline *const p = &c->pipeline;
    while (p->n_outputs == DAEDALUS_MOST_OUTPUTS && p->output[0].waits_for)
        finish_oldest(c);
    if (!p->n_outputs || p->output[0].waits_for) return 0;
    c->event_flags |= p->output[0].event_flags;
    dav1d_thread_picture_move_ref(picture, &p->output[0].picture);
    drop_output(p, 0);
    return 1;
}

static void queue(Dav1dPipeline *const p, Dav1dThreadPicture *const picture) {
    assert(p->n_outputs < DAEDALUS_MOST_OUTPUTS);
    p->output[p->n_outputs].event_flags = p->event_flags;
    p->event_flags = 0;
    p->output[p->n_outputs].waits_for = p->n_frames ? p->frame[p->n_frames - 1] : NULL;
    dav1d_thread_picture_move_ref(&p->output[p->n_outputs++].picture, picture);
}

void dav1d_daedalus_queue_chosen(Dav1dContext *const c) {
    const int layers = !c->all_layers && c->max_spatial_id;
    queue(&c->pipeline, layers ? &c->cache : &c->out);
    if (layers && c->out.p.data[0])
        dav1d_thread_picture_move_ref(&c->cache, &c->out);
}

/* The oldest frame is over. */
static void retire(Dav1dContext *const c, const int retval) {
    Dav1dPipeline *const p = &c->pipeline;
    Dav1dFrameContext *const f = p->frame[0];
    p->n_frames--;
    memmove(p->frame, p->frame + 1, sizeof(*p->frame) * p->n_frames);
    for (unsigned n = p->n_outputs; n-- > 0; ) {
        if (p->output[n].waits_for != f) continue;
        p->output[n].waits_for = NULL;
        if (retval && p->output[n].picture.p.frame_hdr == f->frame_hdr) {
            c->cached_error = retval;
            dav1d_data_props_copy(&c->cached_error_props, &p->output[n].picture.p.m);
            dav1d_thread_picture_unref(&p->output[n].picture);
            /* the next one tells of it */
            *(n + 1 < p->n_outputs ? &p->output[n + 1].event_flags : &p->event_flags) |=
                p->output[n].event_flags;
            drop_output(p, n);
        }
    }
    dav1d_decode_frame_exit(f, retval);
    f->n_tile_data = 0;
    f->task_thread.retval = 0;
}

/* Of the newest frame. All before it are over then. */
static void second_pass(Dav1dContext *const c) {
    Dav1dPipeline *const p = &c->pipeline;
    Dav1dFrameContext *const f = p->frame[p->n_frames - 1];
    while (p->n_frames > 1)
        finish_oldest(c);
    if (dav1d_daedalus_recon_state(f) != DAEDALUS_RUNNING || f->daedalus.only_parses) return;
    dav1d_daedalus_recon(f);
    if (dav1d_decode_frame_second_pass(f))
        atomic_store(&f->task_thread.error, -1);
}

static void finish_oldest(Dav1dContext *const c) {
    Dav1dPipeline *const p = &c->pipeline;
    Dav1dFrameContext *const f = p->frame[0];
    if (p->n_frames == 1) second_pass(c);
    if (f->daedalus.filtering) dav1d_daedalus_finish_filters(f);
    retire(c, atomic_load(&f->task_thread.error) ? DAV1D_ERR(ENOMEM) : 0);
}

void dav1d_daedalus_finish_all(const Dav1dFrameContext *const f) {
    while (pipeline_of(f)->n_frames)
        finish_oldest((Dav1dContext *) f->c);
}

static int is_busy(const Dav1dFrameContext *const f) {
    return f->daedalus.filtering || dav1d_daedalus_recon_state(f) == DAEDALUS_RUNNING;
}

/* References that the library won't let pass have to be complete. */
static void finish_references(Dav1dContext *const c, const Dav1dFrameContext *const f,
                              const unsigned left)
{
    Dav1dPipeline *const p = &c->pipeline;
    for (unsigned n = p->n_frames; n-- > 0; )
        for (int i = 0; i < 7; i++)
            if (left & (1 << i) && f->refp[i].p.data[0] == p->frame[n]->sr_cur.p.data[0]) {
                for (unsigned k = 0; k <= n; k++)
                    finish_oldest(c);
                return;
            }
}

void dav1d_daedalus_queue_output(Dav1dContext *const c, Dav1dThreadPicture *const picture) {
    Dav1dPipeline *const p = &c->pipeline;
    const Dav1dFrameHeader *const hdr = picture->p.frame_hdr;
    queue(p, picture);
    p->queued = c->all_layers || !c->max_spatial_id;
    if (p->queued) return;
    /* which layer is given out is chosen while the packet is decoded */
    while (p->n_frames)
        finish_oldest(c);
    const unsigned last = p->n_outputs - 1;
    if (!p->n_outputs || p->output[last].picture.p.frame_hdr != hdr) return; // it failed
    p->event_flags |= p->output[last].event_flags; // pictures before it may still wait
    dav1d_thread_picture_move_ref(&c->out, &p->output[last].picture);
    drop_output(p, last);
}

void dav1d_daedalus_enqueue(Dav1dFrameContext *const f) {
    Dav1dContext *const c = (Dav1dContext *) f->c;
    Dav1dPipeline *const p = &c->pipeline;
    Dav1dThreadPicture shown = { 0 };

    if (p->n_frames) second_pass(c);
    if (dav1d_daedalus_recon_state(f) == DAEDALUS_RECORDING) {
        const unsigned left = dd_frame_await_references(f->daedalus.frame, 0x7f);
        finish_references(c, f, left);
        dav1d_daedalus_submit_recon(f);
    }
    p->frame[p->n_frames++] = f;
    if (f->frame_hdr->show_frame || c->output_invisible_frames)
        dav1d_thread_picture_ref(&shown, &f->sr_cur);
    if (shown.p.data[0])
        dav1d_daedalus_queue_output(c, &shown);
    while (p->n_frames && !is_busy(p->frame[0]))
        finish_oldest(c);
}

int dav1d_daedalus_complete_output(Dav1dContext *const c) {
    if (!c->pipeline.n_outputs) return 0;
    while (c->pipeline.n_outputs && c->pipeline.output[0].waits_for)
        finish_oldest(c);
    return 1;
}

void dav1d_daedalus_flush(Dav1dContext *const c) {
    Dav1dPipeline *const p = &c->pipeline;
    while (p->n_outputs) {
        c->event_flags |= p->output[p->n_outputs - 1].event_flags;
        dav1d_thread_picture_unref(&p->output[p->n_outputs - 1].picture);
        drop_output(p, p->n_outputs - 1);
    }
    while (p->n_frames)
        retire(c, DAV1D_ERR(EINVAL));
    p->queued = 0;
    dav1d_daedalus_drop_late(c);
}
