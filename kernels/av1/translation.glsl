// SPDX-License-Identifier: BSD-2-Clause
//
// What predictions by translation share: their records, and how two of them are combined.
// PAIR: a record has two sources.
#include "av1/prediction.glsl"

#ifdef PAIR
const uint RECORD_WORDS = 7u, FIRST_SOURCE = 3u;
#else
const uint RECORD_WORDS = 4u, FIRST_SOURCE = 2u;
#endif

// What a lane's plane takes of a record.
struct Target {
    uint x, y;       // of the record, in the plane
    uint ss_h, ss_v; // of whole blocks' chroma, else 0
    uint taps;       // how far those of the plane are from where luma's are
    bool whole;
};

// Clause 7.11.3.3: a vector counts 1/8 pixel of luma, a position 1/16 of the plane.
DdAv1RecordSource find_source(uint at, Target target, out ivec2 from) {
    DdAv1RecordSource source = read_source(at);
    const int x = int(target.x * 16u) + (low_half(source.at) << (1u - target.ss_h));
    const int y = int(target.y * 16u) + (high_half(source.at) << (1u - target.ss_v));
    const uint part = uint(x & 15) << DD_AV1_MX_SHIFT | uint(y & 15) << DD_AV1_MY_SHIFT;
    const uint taps = 7u << DD_AV1_TAPS_X_SHIFT | 7u << DD_AV1_TAPS_Y_SHIFT;
    from = target.whole ? ivec2(x >> 4, y >> 4) : ivec2(low_half(source.at), high_half(source.at));
    if (target.whole)
        source.how = (source.how & (7u << DD_AV1_REF_SHIFT)) | (source.how >> target.taps & taps) | part;
    return source;
}

Target target_of(uint dst_at, uint ctl, bool chroma) {
    const uint ss_h = chroma ? params.ss_h : 0u, ss_v = chroma ? params.ss_v : 0u;
    return Target((dst_at & 0xffffu) >> ss_h, (dst_at >> 16) >> ss_v, ss_h, ss_v,
                  chroma ? DD_AV1_CHROMA_TAPS_X_SHIFT - DD_AV1_TAPS_X_SHIFT : 0u, (ctl & DD_AV1_WHOLE) != 0u);
}

// Where a lane's pixels go. CELL_ROWS: of a cell, 4 or 8; of eight, planes with four rows have the first ones alone.
struct Place {
    Target target;
    Cell cell;
    Source s;
    uint w4;   // log2 of the record's width in cells
    uint rows; // to store
    uint dst_word;
};

Place place_of(Work work, uint dst_at, uint ctl) {
    Place p;
    p.target = target_of(dst_at, ctl, work.chroma);
    p.w4 = ((ctl >> DD_AV1_W4_SHIFT) & 3u) - p.target.ss_h;
    const uint h4 = ((ctl >> DD_AV1_H4_SHIFT) & 3u) - p.target.ss_v;
    p.cell = find_cell(work.part, p.w4, h4 - min(h4, CELL_ROWS / 8u), work.chroma || (ctl & DD_AV1_CHROMA) != 0u);
    p.cell.y *= CELL_ROWS / 4u;
    p.s = source_plane(p.cell.plane);
    p.rows = work.none ? 0u : (ctl & DD_AV1_TWO_ROWS) != 0u ? 2u : h4 == 0u ? 4u : CELL_ROWS;
    p.dst_word = word_of(p.s, p.target.x + p.cell.x, p.target.y + p.cell.y);
    return p;
}

#ifdef PAIR
#define WAITING_ROWS CELL_ROWS
#include "av1/waiting.glsl"
#endif
