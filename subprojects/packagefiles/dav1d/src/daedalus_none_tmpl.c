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

#include "src/daedalus.h"
#include "src/loopfilter.h"
#include "src/mc.h"

/* What stands for functions that a pass leaves out: of their own types, as a call
 * through a pointer of another type is undefined. */

static decl_mc_fn(no_mc) {}
static decl_mct_fn(no_mct) {}
static decl_mc_scaled_fn(no_mc_scaled) {}
static decl_mct_scaled_fn(no_mct_scaled) {}
static decl_avg_fn(no_avg) {}
static decl_w_avg_fn(no_w_avg) {}
static decl_mask_fn(no_mask) {}
static decl_w_mask_fn(no_w_mask) {}
static decl_blend_dir_fn(no_blend_dir) {}
static decl_warp8x8_fn(no_warp8x8) {}
static decl_warp8x8t_fn(no_warp8x8t) {}
static decl_emu_edge_fn(no_emu_edge) {}
static decl_loopfilter_sb_fn(no_filter_sb) {}

/* Blending stays: of what is left in the table only inter-intra prediction uses it. */
void bitfn(dav1d_daedalus_no_mc)(Dav1dMCDSPContext *const c) {
    for (int i = 0; i < N_2D_FILTERS; i++) {
        c->mc[i]         = no_mc;
        c->mct[i]        = no_mct;
        c->mc_scaled[i]  = no_mc_scaled;
        c->mct_scaled[i] = no_mct_scaled;
    }
    c->avg   = no_avg;
    c->w_avg = no_w_avg;
    c->mask  = no_mask;
    for (int i = 0; i < 3; i++)
        c->w_mask[i] = no_w_mask;
    c->blend_v  = no_blend_dir;
    c->blend_h  = no_blend_dir;
    c->warp8x8  = no_warp8x8;
    c->warp8x8t = no_warp8x8t;
    c->emu_edge = no_emu_edge;
}

void bitfn(dav1d_daedalus_no_deblock)(Dav1dLoopFilterDSPContext *const c) {
    for (int plane = 0; plane < 2; plane++)
        for (int dir = 0; dir < 2; dir++)
            c->loop_filter_sb[plane][dir] = no_filter_sb;
}
