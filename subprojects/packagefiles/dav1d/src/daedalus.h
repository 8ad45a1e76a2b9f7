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

#ifndef DAV1D_SRC_DAEDALUS_H
#define DAV1D_SRC_DAEDALUS_H

#include "config.h"

#include <limits.h>

#include "src/internal.h"

#if CONFIG_DAEDALUS

/* Open a session if s->daedalus is a device with a GPU and the pictures are
 * ours to allocate. Without one, nothing below changes anything. */
int dav1d_daedalus_open(Dav1dContext *c, const Dav1dSettings *s);
void dav1d_daedalus_close(Dav1dContext *c);

/* Plan a frame, whose pictures and sizes are set up, and take its in-loop
 * filters over if the plan gives any of them to the GPU. */
void dav1d_daedalus_begin_frame(Dav1dFrameContext *f);
void dav1d_daedalus_end_frame(Dav1dFrameContext *f, int retval);
void dav1d_daedalus_free_frame(Dav1dFrameContext *f);

int dav1d_daedalus_is_plain(const Dav1dPicture *p);

/* The pixels of the frame stay undefined: there is a first pass and no more. */
static inline int dav1d_daedalus_only_parses(const Dav1dFrameContext *const f) {
    return f->daedalus.only_parses;
}

/* Fills memory with zeros; pages of it that are never touched afterwards take none. */
void dav1d_daedalus_clear_pages(void *mem, size_t size);

/* With one thread there are two passes as well, where frames are recorded. */
static inline int dav1d_daedalus_two_passes(const Dav1dContext *const c) {
    return c->daedalus && c->n_tc == 1;
}

/* The first pass of a frame records its inter blocks; recon, which has to come
 * before its second pass, predicts them. */
void dav1d_daedalus_start_recording(Dav1dFrameContext *f);
void dav1d_daedalus_stop_recording(Dav1dFrameContext *f);
void dav1d_daedalus_free_recording(Dav1dFrameContext *f);
int dav1d_daedalus_records(const Dav1dFrameContext *f);
/* Most blocks of a tile are recorded when it is parsed, out of the way of what waits
 * for its end. */
static inline int dav1d_daedalus_records_later(const Dav1dFrameContext *const f) {
    return f->daedalus.records_later;
}
void dav1d_daedalus_record_tile(Dav1dTaskContext *t);
/* Something is missing, or another thread is at it. */
int dav1d_daedalus_recon_waits(const Dav1dFrameContext *f);
void dav1d_daedalus_recon(Dav1dFrameContext *f);
/* The same in two parts: recon waits for what was submitted. */
enum DaedalusState {
    DAEDALUS_NONE,
    DAEDALUS_RECORDING,
    DAEDALUS_RUNNING, /* or left to the CPU, which recon finds out */
    DAEDALUS_DONE,
};
static inline enum DaedalusState dav1d_daedalus_recon_state(const Dav1dFrameContext *const f) {
    return atomic_load(&f->daedalus.state);
}
void dav1d_daedalus_submit_recon(Dav1dFrameContext *f);
/* The filters that the GPU has, and those that the CPU has behind them. */
void dav1d_daedalus_finish_filters(Dav1dFrameContext *f);
/* The second pass visits the blocks of which the CPU has a share, and no others:
 * those of a superblock row of a tile. */
static inline int dav1d_daedalus_skips(const Dav1dFrameContext *const f) {
    return f->daedalus.skips;
}
int dav1d_daedalus_decode_shares(Dav1dTaskContext *t);
static inline void dav1d_daedalus_set_edges(Dav1dTaskContext *const t, const enum EdgeFlags flags) {
    t->intra_edge_flags = flags;
}
/* The filter of columns mends the masks at tiles' borders, and does no more. */
static inline int dav1d_daedalus_only_mends(const Dav1dFrameContext *const f) {
    return f->daedalus.only_mends;
}
/* What is decoded from here on is the CPU's. */
void dav1d_daedalus_undo_recon(Dav1dFrameContext *f);

/* All of a frame from its bitstream, by one thread and without filters, while
 * no other task of the frame runs. In decode.c. */
int dav1d_decode_frame_again(Dav1dFrameContext *f, Dav1dTaskContext *t);
static inline int dav1d_daedalus_decodes_again(const Dav1dFrameContext *const f) {
    return f->daedalus.rerun;
}

/* Waking a worker costs as much as some rows of what the CPU has left. So none is woken
 * for tasks that end at once, after which a worker looks for the next: progress of the
 * first pass, and the filters of all rows but the last. Nothing but that one waits for
 * the rows of the second pass. Other frames may wait for rows of the first; where most
 * of them wait for its end, every fourth will do. */
static inline int dav1d_daedalus_has_short_tasks(const Dav1dFrameContext *const f) {
    return f->daedalus.active && atomic_load(&f->daedalus.state) != DAEDALUS_NONE;
}
static inline int dav1d_daedalus_is_short_task(const Dav1dFrameContext *const f,
                                               const Dav1dTask *const t)
{
    return dav1d_daedalus_has_short_tasks(f) &&
           (t->type == DAV1D_TASK_TYPE_ENTROPY_PROGRESS ||
            (t->type >= DAV1D_TASK_TYPE_DEBLOCK_COLS && t->sby + 1 < f->sbh));
}
static inline int dav1d_daedalus_is_quiet_row(const Dav1dFrameContext *const f,
                                              const Dav1dTask *const t)
{
    return dav1d_daedalus_has_short_tasks(f) &&
           (t->type == DAV1D_TASK_TYPE_TILE_ENTROPY ? f->frame_hdr->refresh_context && t->sby & 3 :
                                                      f->daedalus.skips);
}

/* Frame threads have more frames, as the GPU has each of them for a part of its
 * time, and a thread more for each, since one waits for the GPU then. */
void dav1d_daedalus_add_threads(const Dav1dSettings *s, unsigned *n_tc, unsigned *n_fc);
/* The ring of frames (daedalus_ring.c). Before a frame is submitted, with the lock
 * held: the same once a device that was being opened when the decoder was turns out
 * to have a GPU. No frame may be in work then, so those in flight are waited for. */
void dav1d_daedalus_add_frames(Dav1dContext *c);
/* A frame takes its place, with the lock held, and the one that had it may have left
 * a picture in c->out. Sees to it that this call brings what it would without a GPU. */
void dav1d_daedalus_turn(Dav1dContext *c, Dav1dFrameContext *next);
/* At the end, before the rest is parsed, and before an error: another picture that is owed is in c->out. */
int dav1d_daedalus_catch_up(Dav1dContext *c, int drain);
/* One that comes before those of frames in flight is. */
int dav1d_daedalus_drains_late(Dav1dContext *c);
void dav1d_daedalus_drop_late(Dav1dContext *c);
/* What is left of a packet is parsed after some frames were drained, so that there
 * may be contexts without a frame between two that have one. */
static inline int dav1d_daedalus_has_gaps(const Dav1dContext *const c) {
    return c->n_fc != c->pipeline.usual_fc;
}
/* At a sequence header: which layer of a picture comes out depends on how many
 * frames are in flight, so streams with layers keep to the usual number. */
void dav1d_daedalus_limit_frames(Dav1dContext *c);

/* A pipeline for a decoder with one thread (daedalus_pipeline.c). Frames that
 * were parsed are enqueued; which have no first pass of their own need all before
 * them to be over, if they are inter frames. */
static inline int dav1d_daedalus_pipelines(const Dav1dContext *const c) {
    return c->pipeline.on;
}
void dav1d_daedalus_choose_pipeline(Dav1dContext *c, const Dav1dSettings *s);
static inline unsigned dav1d_daedalus_contexts(const Dav1dContext *const c) {
    return c->pipeline.contexts;
}
static inline unsigned dav1d_daedalus_threads(const Dav1dContext *const c) {
    return c->pipeline.threads;
}
static inline void dav1d_daedalus_set_stack_size(Dav1dContext *const c, const size_t size) {
    c->pipeline.stack_size = size;
}
Dav1dFrameContext *dav1d_daedalus_idle_context(Dav1dContext *c);
void dav1d_daedalus_enqueue(Dav1dFrameContext *f);
void dav1d_daedalus_finish_all(const Dav1dFrameContext *f);
/* dav1d_decode_tile_sbrow() with a mark on the timeline. */
int dav1d_daedalus_decode_tile_sbrow(Dav1dTaskContext *t);
/* In decode.c. */
int dav1d_decode_frame_second_pass(Dav1dFrameContext *f);

/* What is told with the picture that is queued next, even if the frame that brings
 * it is broken. */
static inline enum Dav1dEventFlags *dav1d_daedalus_event_flags(Dav1dContext *const c) {
    return c->pipeline.on ? &c->pipeline.event_flags : &c->event_flags;
}
/* A picture that is to be given out behind those of the frames so far. */
void dav1d_daedalus_queue_output(Dav1dContext *c, Dav1dThreadPicture *picture);
/* One was since the last was asked for: without a pipeline it would be in c->out
 * now, and what follows in its packet would wait until it is taken. */
static inline int dav1d_daedalus_queued(const Dav1dContext *const c) {
    return c->pipeline.queued;
}
static inline void dav1d_daedalus_unqueue(Dav1dContext *const c) {
    c->pipeline.queued = 0;
}
/* The picture that was chosen among layers: what is chosen behind it doesn't change that. */
void dav1d_daedalus_queue_chosen(Dav1dContext *c);
/* The next picture, if it is complete. */
int dav1d_daedalus_take_output(Dav1dContext *c, Dav1dThreadPicture *picture);
/* Completes it, or says that there is none. */
int dav1d_daedalus_complete_output(Dav1dContext *c);
void dav1d_daedalus_flush(Dav1dContext *c);

/* The pixels of a frame that is filtered as a whole are no reference before
 * all of them are. */
static inline int dav1d_daedalus_hides_progress(const Dav1dFrameContext *const f,
                                                const unsigned y)
{
    return f->daedalus.active && y != UINT_MAX;
}

/* Functions that do nothing, in place of those that a pass leaves out. */
void dav1d_daedalus_no_mc_8bpc(Dav1dMCDSPContext *c);
void dav1d_daedalus_no_mc_16bpc(Dav1dMCDSPContext *c);
void dav1d_daedalus_no_deblock_8bpc(Dav1dLoopFilterDSPContext *c);
void dav1d_daedalus_no_deblock_16bpc(Dav1dLoopFilterDSPContext *c);

#else

#define dav1d_daedalus_open(c, s) 0
#define dav1d_daedalus_close(c)
#define dav1d_daedalus_begin_frame(f)
#define dav1d_daedalus_end_frame(f, retval)
#define dav1d_daedalus_free_frame(f)
#define dav1d_daedalus_hides_progress(f, y) 0
#define dav1d_daedalus_clear_pages(mem, size) memset(mem, 0, size)
#define dav1d_daedalus_two_passes(c) 0
#define dav1d_daedalus_only_parses(f) 0
#define dav1d_daedalus_records(f) 0
#define dav1d_daedalus_records_later(f) 0
#define dav1d_daedalus_record_tile(t)
#define dav1d_daedalus_recon_waits(f) 0
#define dav1d_daedalus_recon(f)
#define dav1d_daedalus_only_mends(f) 0
#define dav1d_daedalus_decodes_again(f) 0
#define dav1d_daedalus_skips(f) 0
#define dav1d_daedalus_decode_shares(t) 0
#define dav1d_daedalus_set_edges(t, flags)
#define dav1d_daedalus_pipelines(c) 0
#define dav1d_daedalus_choose_pipeline(c, s)
#define dav1d_daedalus_has_short_tasks(f) 0
#define dav1d_daedalus_is_short_task(f, t) 0
#define dav1d_daedalus_is_quiet_row(f, t) 0
#define dav1d_daedalus_add_threads(s, n_tc, n_fc)
#define dav1d_daedalus_limit_frames(c)
#define dav1d_daedalus_add_frames(c)
#define dav1d_daedalus_turn(c, next)
#define dav1d_daedalus_catch_up(c, drain) 0
#define dav1d_daedalus_drains_late(c) 0
#define dav1d_daedalus_has_gaps(c) 0
#define dav1d_daedalus_contexts(c) ((c)->n_fc)
#define dav1d_daedalus_threads(c) ((c)->n_tc)
#define dav1d_daedalus_set_stack_size(c, size)
#define dav1d_daedalus_idle_context(c) ((c)->fc)
#define dav1d_daedalus_enqueue(f)
#define dav1d_daedalus_decode_tile_sbrow(t) dav1d_decode_tile_sbrow(t)
#define dav1d_daedalus_finish_all(f)
#define dav1d_daedalus_event_flags(c) (&(c)->event_flags)
#define dav1d_daedalus_queue_output(c, picture)
#define dav1d_daedalus_queued(c) 0
#define dav1d_daedalus_unqueue(c)
#define dav1d_daedalus_queue_chosen(c)
#define dav1d_daedalus_take_output(c, picture) ((void)(picture), 0)
#define dav1d_daedalus_complete_output(c) 0
#define dav1d_daedalus_flush(c)

#endif

#endif /* DAV1D_SRC_DAEDALUS_H */
