// SPDX-License-Identifier: BSD-2-Clause
//
// Motion compensation without scaling: VP9 specification, clause 8.5.2.4, and the average of compound blocks.
// A lane predicts four pixels by up to eight rows. It slides down the block: every row is filtered horizontally and
// rounded to pixels, eight of those make a row of the result. A subpel position of 0 is a filter that changes nothing,
// so there is one path. Lanes without work, and the lower half of 4x4 squares, compute but don't store: bounds of loops that
// are the same for all lanes spare V3D's compiler the execution masks.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

#include "common/records.h"
#define DST_ACCESS
#include "common/pixels.glsl"
#include "vp9/reference.glsl"

layout(local_size_x = 256) in;

layout(std430, set = 0, binding = DD_BIND_RECORDS) readonly buffer Records {
    DdMcRecord records[];
};
layout(push_constant) uniform Push {
    DdMcPush push;
};

// A row of four pixels between the two filters, as half floats: those hold integers up to 2048 exactly, so 12 bits are
// moved to the middle of that range.
const float ROW_BIAS = BITS == 12 ? 2048.0 : 0.0;
uvec2 pack_row(vec4 p) { return uvec2(packHalf2x16(p.xy - ROW_BIAS), packHalf2x16(p.zw - ROW_BIAS)); }
vec4 row_pixels(uvec2 r) { return vec4(unpackHalf2x16(r.x), unpackHalf2x16(r.y)); }

uvec2 filter_row(uint words[ROW_WORDS], Taps taps) {
    float p[12];
    unpack_row(words, p);
    vec4 sum = vec4(0.5 - PIXEL_BIAS);
    [[unroll]] for (int t = 0; t < 8; t++)
        sum += vec4(p[t], p[t + 1], p[t + 2], p[t + 3]) * tap(taps, t);
    return pack_row(vec4(to_pixel(sum.x), to_pixel(sum.y), to_pixel(sum.z), to_pixel(sum.w)));
}

QUAD filter_column(uvec2 window[8], Taps taps) {
    vec4 sum = vec4(0.5 + ROW_BIAS);
    [[unroll]] for (int t = 0; t < 8; t++)
        sum += row_pixels(window[t]) * tap(taps, t);
    return pack_quad(ivec4(clamp(sum, 0.0, float(PIXEL_MAX))));
}

#if BITS == 8
QUAD average_quad(QUAD a, QUAD b) { return average_word(a, b); }
#else
QUAD average_quad(QUAD a, QUAD b) { return uvec2(average_word(a.x, b.x), average_word(a.y, b.y)); }
#endif

#define PREDICT(REF, FINISH)                                                                                           \
    void predict_##REF(Source s, uint filter_type, uint mx, uint my, int x, int y, int rows, uint at, uint stride) {   \
        const Taps taps_x = load_taps(filter_type, mx), taps_y = load_taps(filter_type, my);                           \
        const Span span = span_of(s, x - 3);                                                                           \
        uvec2 window[8];                                                                                                \
        [[unroll]] for (int i = 0; i < 8; i++)                                                                                    \
            window[i] = uvec2(0);                                                                                       \
        [[dont_unroll]] for (int row = 0; row < 15; row++) {                                                           \
            uint words[ROW_WORDS];                                                                                     \
            fetch_row_##REF(s, span, y - 3 + row, words);                                                  \
            [[unroll]] for (int i = 0; i < 7; i++)                                                                                \
                window[i] = window[i + 1];                                                                             \
            window[7] = filter_row(words, taps_x);                                                                     \
            if (row >= 7) {                                                                                            \
                const QUAD quad = filter_column(window, taps_y);                                                       \
                if (row - 7 < rows)                                                                                    \
                    store_quad(at, FINISH);                                                                            \
                at += stride;                                                                                          \
            }                                                                                                          \
        }                                                                                                              \
    }

FETCH_ROW(ref0)
FETCH_ROW(ref1)
PREDICT(ref0, quad)
PREDICT(ref1, average_quad(load_quad(at), quad))

int signed_x(uint position) { return int(position << 16) >> 16; }
int signed_y(uint position) { return int(position) >> 16; }

void main() {
    const uint group = gl_WorkGroupID.x;
    uint size_class = 0u, first_group = 0u, first = push.first_record[0], end = push.first_record[1];
    [[unroll]] for (uint c = 1u; c < DD_MC_CLASSES; c++)
        if (group >= push.first_group[c - 1u]) {
            size_class = c;
            first_group = push.first_group[c - 1u];
            first = push.first_record[c];
            end = push.first_record[c + 1u];
        }
    const uint unit = (group - first_group) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    const uint units_log2 = size_class == 0u ? 0u : 2u * size_class - 1u;
    const uint index = first + (unit >> units_log2);
    const uint part = unit & ((1u << units_log2) - 1u);
    const uint px = (part & ((1u << size_class) - 1u)) * 4u, py = (part >> size_class) * 8u;
    const int rows = index >= end ? 0 : size_class == 0u ? 4 : 8;

    const DdMcRecord r = records[min(index, end - 1u)];
    const uint plane = r.ctl >> DD_MC_PLANE_SHIFT & 3u, filter_type = r.ctl >> DD_MC_FILTER_SHIFT & 3u;
    const uint stride = plane_stride(push.dst, plane);
    const uint at = plane_offset(push.dst, plane) + ((r.dst >> 16) + py) * stride +
                    (((r.dst & 0xffffu) + px) >> 2) * QUAD_WORDS;
    predict_ref0(source_plane(push.ref0, plane), filter_type, r.ctl >> DD_MC_MX0_SHIFT & 15u,
                 r.ctl >> DD_MC_MY0_SHIFT & 15u, signed_x(r.src0) + int(px), signed_y(r.src0) + int(py), rows, at,
                 stride);
    if (rows != 0 && (r.ctl & DD_MC_COMPOUND) != 0u)
        predict_ref1(source_plane(push.ref1, plane), filter_type, r.ctl >> DD_MC_MX1_SHIFT & 15u,
                     r.ctl >> DD_MC_MY1_SHIFT & 15u, signed_x(r.src1) + int(px), signed_y(r.src1) + int(py), rows, at,
                     stride);
}
