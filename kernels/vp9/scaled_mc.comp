// SPDX-License-Identifier: BSD-2-Clause
//
// Motion compensation from a reference of another size: VP9 specification, clauses 8.5.2.3 and 8.5.2.4. Positions go on
// in steps of 1/16 pixel, so every pixel has rows, columns and filters of its own; a lane predicts four of them.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

#include "common/records.h"
#define DST_ACCESS
#include "common/pixels.glsl"
#include "vp9/reference.glsl"

layout(local_size_x = 255) in;

layout(std430, set = 0, binding = DD_BIND_RECORDS) readonly buffer Records {
    DdScaledMcRecord records[];
};
layout(push_constant) uniform Push {
    DdScaledMcPush push;
};

FETCH_ROW(fetch, ref0, 8, word_found)
FETCH_ROW(fetch, ref1, 8, word_found)

// The pixel at (x, y), in 1/16 pixels.
#define PREDICT(REF)                                                                                                   \
    int predict_##REF(Source s, uint filter_type, int x, int y) {                                                      \
        const Taps taps = load_taps(filter_type, uint(x) & 15u);                                                       \
        const uint taps_y = subpel_row(filter_type, uint(y) & 15u);                                                    \
        const int left = (x >> 4) - 3, top = (y >> 4) - 3;                                                             \
        const Span span = span_of(s, left, 8);                                                                         \
        float column = 0.5;                                                                                            \
        [[dont_unroll]] for (int row = 0; row < 8; row++) {                                                            \
            uint words[WORDS_OF(8)];                                                                                   \
            fetch_##REF(s, span, top + row, words);                                                                    \
            UNPACK_ROW(words, p, 8)                                                                                    \
            float sum = 0.5 - PIXEL_BIAS;                                                                              \
            [[unroll]] for (int t = 0; t < 8; t++)                                                                     \
                sum += p[t] * tap(taps, t);                                                                            \
            column += to_pixel(sum) * loaded_tap(taps_y, uint(row));                                                   \
        }                                                                                                              \
        return int(clamp(column, 0.0, float(PIXEL_MAX)));                                                              \
    }

PREDICT(ref0)
PREDICT(ref1)

void main() {
    const uint group = gl_WorkGroupID.x;
    uint size_class = DD_MC_CLASSES - 1u, first_group = 0u, first = push.first_record[0], end = push.first_record[1];
    [[unroll]] for (uint c = 1u; c < DD_MC_CLASSES; c++)
        if (group >= push.first_group[c - 1u]) {
            size_class = DD_MC_CLASSES - 1u - c;
            first_group = push.first_group[c - 1u];
            first = push.first_record[c];
            end = push.first_record[c + 1u];
        }
    // A square of class c has 4^(c + 1) * 4 pixels, in rows of 2^c lanes.
    const uint unit = (group - first_group) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    const uint units_log2 = 2u * size_class + 2u;
    const uint index = first + (unit >> units_log2);
    if (index >= end)
        return;
    const uint part = unit & ((1u << units_log2) - 1u);
    const uint px = (part & ((1u << size_class) - 1u)) * 4u, py = part >> size_class;

    const DdScaledMcRecord r = records[index];
    const uint plane = r.ctl >> DD_MC_PLANE_SHIFT & 3u, filter_type = r.ctl >> DD_MC_FILTER_SHIFT & 3u;
    const uint at = plane_offset(push.dst, plane) + ((r.dst >> 16) + py) * plane_stride(push.dst, plane) +
                    (((r.dst & 0xffffu) + px) >> 2) * QUAD_WORDS;
    const Source s0 = source_plane(push.ref0, plane), s1 = source_plane(push.ref1, plane);
    const bool compound = (r.ctl & DD_MC_COMPOUND) != 0u;
    int x0 = r.src0_x + int(px * (r.step0 & 0xffffu)), x1 = r.src1_x + int(px * (r.step1 & 0xffffu));
    const int y0 = r.src0_y + int(py * (r.step0 >> 16)), y1 = r.src1_y + int(py * (r.step1 >> 16));
    ivec4 pixels = ivec4(0);
    [[dont_unroll]] for (uint k = 0u; k < 4u; k++) {
        int pixel = predict_ref0(s0, filter_type, x0, y0);
        if (compound)
            pixel = (pixel + predict_ref1(s1, filter_type, x1, y1) + 1) >> 1;
        pixels = ivec4(pixels.yzw, pixel);
        x0 += int(r.step0 & 0xffffu);
        x1 += int(r.step1 & 0xffffu);
    }
    store_quad(at, pack_quad(pixels));
}
