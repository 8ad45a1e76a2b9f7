// SPDX-License-Identifier: BSD-2-Clause
//
// Intra prediction of AV1 (specification, clause 7.11.2), blending with inter prediction (7.11.3.14) and the addition
// of residuals. A dispatch has the blocks of one level, which don't read each other (av1/intra_levels.h). A lane
// makes four pixels of a row.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

#include "common/av1_recon.h"
#define DST_ACCESS
#include "common/pixels.glsl"

layout(local_size_x = DD_AV1_INTRA_LANES) in;

layout(std430, set = 0, binding = DD_BIND_RECORDS) readonly restrict buffer Records {
    DdAv1ReconParams params;
    uint words[];
};
// Residuals, and sums of luma.
layout(std430, set = 0, binding = DD_BIND_RESIDUALS) restrict buffer Residuals { int residuals[]; };
layout(push_constant) uniform Push { DdAv1IntraPush push; };

const int MIDDLE = 1 << (BITS - 1);

struct Block {
    uint record, plane, how, edges;
    int x, y, w, h;
    int last_above, last_left; // pixels that there are
};

Block block_of(uint record, uint second) {
    const uint dst_at = words[record], how = words[record + 1u], edges = words[record + 2u];
    return Block(record, (dst_at & 1u) + second, how, edges, int(dst_at & 0xfffcu), int(dst_at >> 16),
                 1 << (how >> DD_AV1_INTRA_W_SHIFT & 7u), 1 << (how >> DD_AV1_INTRA_H_SHIFT & 7u),
                 int(edges >> DD_AV1_INTRA_EDGE_ABOVE_SHIFT & 31u) * 4 + 3,
                 int(edges >> DD_AV1_INTRA_EDGE_LEFT_SHIFT & 31u) * 4 + 3);
}

bool has(Block b, uint flag) { return (b.how & flag) != 0u; }
uint mode_of(Block b) { return b.how >> DD_AV1_INTRA_MODE_SHIFT & 15u; }

// Word of the four pixels around (x, y).
uint word_of(uint plane, int x, int y) {
    return params.offset[plane] + uint(y) * params.stride[min(plane, 1u)] + (uint(x) >> 2) * QUAD_WORDS;
}
int pixel_of(uint plane, int x, int y) { return load_pixel(word_of(plane, x, y), uint(x)); }
int pixel(Block b, int x, int y) { return pixel_of(b.plane, x, y); }

// ---- edges. What stands for one that is missing comes from the other one.

int above(Block b, int k) {
    if (has(b, DD_AV1_INTRA_HAS_ABOVE))
        return pixel(b, b.x + min(k, b.last_above), b.y - 1);
    return has(b, DD_AV1_INTRA_HAS_LEFT) ? pixel(b, b.x - 1, b.y) : MIDDLE - 1;
}
int left(Block b, int k) {
    if (has(b, DD_AV1_INTRA_HAS_LEFT))
        return pixel(b, b.x - 1, b.y + min(k, b.last_left));
    return has(b, DD_AV1_INTRA_HAS_ABOVE) ? pixel(b, b.x, b.y - 1) : MIDDLE + 1;
}
int corner(Block b) {
    const bool is_above = has(b, DD_AV1_INTRA_HAS_ABOVE), is_left = has(b, DD_AV1_INTRA_HAS_LEFT);
    if (!is_above && !is_left)
        return MIDDLE;
    return pixel(b, is_left ? b.x - 1 : b.x, is_above ? b.y - 1 : b.y);
}
int edge(Block b, bool is_left, int k) { return is_left ? left(b, k) : above(b, k); }

// ---- averages

int sum_above(Block b) {
    int sum = 0;
    for (int k = 0; k < b.w; k += 4) {
        const ivec4 quad = unpack_quad(load_quad(word_of(b.plane, b.x + min(k, b.last_above), b.y - 1)));
        sum += k < b.last_above ? quad.x + quad.y + quad.z + quad.w : 4 * quad.w;
    }
    return sum;
}
int sum_left(Block b) {
    int sum = 0;
    for (int k = 0; k < b.h; k += 4)
        sum += left(b, k) + left(b, k + 1) + left(b, k + 2) + left(b, k + 3);
    return sum;
}
int dc(Block b) {
    const bool is_above = has(b, DD_AV1_INTRA_HAS_ABOVE), is_left = has(b, DD_AV1_INTRA_HAS_LEFT);
    const int count = (is_above ? b.w : 0) + (is_left ? b.h : 0);
    if (count == 0)
        return MIDDLE;
    const int sum = (is_above ? sum_above(b) : 0) + (is_left ? sum_left(b) : 0);
    return (sum + count / 2) / count;
}

// ---- modes that weigh edges

int paeth(Block b, int i, int j) {
    const int p = above(b, j), q = left(b, i), r = corner(b);
    const int base = p + q - r, to_left = abs(base - q), to_above = abs(base - p), to_corner = abs(base - r);
    return to_left <= to_above && to_left <= to_corner ? q : to_above <= to_corner ? p : r;
}

uint table_byte(uint table, uint at) { return words[push.tables + table + (at >> 2)] >> (at & 3u) * 8u & 0xffu; }
int smooth_weight(int side, int at) { return int(table_byte(DD_AV1_INTRA_SMOOTH_TABLE, uint(side + at))); }

int smooth_pixel(Block b, uint mode, int i, int j) {
    int sum = 0;
    if (mode != DD_AV1_DO_SMOOTH_H) {
        const int weight = smooth_weight(b.h, i);
        sum += weight * above(b, j) + (256 - weight) * left(b, b.h - 1);
    }
    if (mode != DD_AV1_DO_SMOOTH_V) {
        const int weight = smooth_weight(b.w, j);
        sum += weight * left(b, i) + (256 - weight) * above(b, b.w - 1);
    }
    return mode == DD_AV1_DO_SMOOTH ? (sum + 256) >> 9 : (sum + 128) >> 8;
}

// ---- directions

// A value on an edge, counted from its first pixel on; the corner lies before that.
struct Line {
    bool is_left;
    bool doubled; // there are values between the pixels
    uint strength;
    int corner;
    int last;     // pixel that filters know of
    int filtered; // pixels
};

int raw(Block b, Line line, int k) {
    k = min(k, line.last);
    return k < 0 ? line.corner : edge(b, line.is_left, k);
}

int filtered(Block b, Line line, int k) {
    const int near = line.strength == 1u ? 4 : line.strength == 2u ? 5 : 4, far = line.strength == 3u ? 2 : 0;
    const int middle = 16 - 2 * (near + far);
    int sum = middle * raw(b, line, k) + near * (raw(b, line, k - 1) + raw(b, line, k + 1));
    if (far != 0)
        sum += far * (raw(b, line, k - 2) + raw(b, line, k + 2));
    return (sum + 8) >> 4;
}

int value(Block b, Line line, int at) {
    if (line.doubled) {
        const int k = at >> 1;
        if ((at & 1) == 0)
            return raw(b, line, k);
        const int sum = 9 * (raw(b, line, k) + raw(b, line, k + 1)) - raw(b, line, k - 1) - raw(b, line, k + 2);
        return clamp((sum + 8) >> 4, 0, PIXEL_MAX);
    }
    return line.strength != 0u && at >= 0 && at < line.filtered ? filtered(b, line, at) : raw(b, line, at);
}

int between(Block b, Line line, int base, int fraction) {
    return (value(b, line, base) * (64 - fraction) + value(b, line, base + 1) * fraction + 32) >> 6;
}

Line line_of(Block b, bool is_left) {
    Line line;
    line.is_left = is_left;
    line.doubled = (b.edges & (is_left ? DD_AV1_INTRA_EDGE_DOUBLE_LEFT : DD_AV1_INTRA_EDGE_DOUBLE_ABOVE)) != 0u;
    line.strength = b.edges >> (is_left ? DD_AV1_INTRA_EDGE_STRENGTH_LEFT_SHIFT
                                        : DD_AV1_INTRA_EDGE_STRENGTH_ABOVE_SHIFT) & 3u;
    line.corner = corner(b);
    return line;
}

// Along one edge: pixel j of a row, or of a column.
int along(Block b, bool is_left, int step, int i, int j) {
    Line line = line_of(b, is_left);
    const int side = is_left ? b.h : b.w;
    line.last = side + min(b.w, b.h) - 1;
    line.filtered = b.w + b.h;
    const int position = (line.doubled ? 2 * step : step) * (i + 1);
    const int base = (position >> 6) + (line.doubled ? 2 * j : j);
    const int end = line.doubled ? 2 * (b.w + b.h) - 2 : line.strength != 0u ? b.w + b.h - 1 : line.last;
    return base < end ? between(b, line, base, position & 0x3e) : value(b, line, end);
}

// Pixels of the plane up to the end of the last 8x8 of luma, from the block's corner on.
int to_end(Block b, bool vertical) {
    const uint last = params.last[0], end = ((vertical ? last >> 16 : last & 0xffffu) | 7u) + 1u;
    const uint shift = b.plane == 0u ? 0u : vertical ? params.ss_v : params.ss_h;
    return int(end >> shift) - (vertical ? b.y : b.x);
}

int across(Block b, int step_x, int step_y, int i, int j) {
    Line line = line_of(b, false);
    int near = line.corner;
    if ((b.edges & DD_AV1_INTRA_EDGE_CORNER) != 0u)
        near = (5 * (above(b, 0) + left(b, 0)) + 6 * near + 8) >> 4;
    const int scale_x = line.doubled ? 2 : 1, x = 64 * scale_x - scale_x * step_x * (i + 1);
    const int base_x = (x >> 6) + j * scale_x;
    int base = base_x - scale_x, fraction = x & 0x3e;
    if (base_x < 0) {
        line = line_of(b, true);
        const int scale_y = line.doubled ? 2 : 1, y = 64 * scale_y * i - scale_y * step_y * (j + 1);
        base = y >> 6;
        fraction = y & 0x3e;
    }
    line.corner = near;
    line.last = (line.is_left ? b.h : b.w) - 1;
    line.filtered = min(line.last + 1, to_end(b, line.is_left));
    return between(b, line, base, fraction);
}

// ---- chroma from luma, clause 7.11.5

// Luma of a pixel of chroma, in eighths.
int luma(Block b, int i, int j) {
    const uint more = words[b.record + 7u];
    i = min(i, int(more >> 24) - 1);
    j = min(j, int(more >> 16 & 0xffu) - 1);
    const int x = (b.x + j) << params.ss_h, y = (b.y + i) << params.ss_v;
    int sum = 0;
    for (int row = 0; row <= int(params.ss_v); row++)
        for (int column = 0; column <= int(params.ss_h); column++)
            sum += pixel_of(0u, x + column, y + row);
    return sum << (3u - params.ss_h - params.ss_v);
}
void sum_row(Block b, int i) {
    int sum = 0;
    for (int j = 0; j < b.w; j++)
        sum += luma(b, i, j);
    residuals[words[b.record + 6u] + uint(i)] = sum;
}
int average_luma(Block b) {
    const uint at = words[b.record + 6u];
    int sum = b.w * b.h / 2;
    for (int i = 0; i < b.h; i++)
        sum += residuals[at + uint(i)];
    return sum / (b.w * b.h);
}
int scaled_luma(int base, int alpha, int difference) {
    const int scaled = alpha * difference;
    return clamp(base + sign(scaled) * ((abs(scaled) + 32) >> 6), 0, PIXEL_MAX);
}
ivec4 from_luma(Block b, int i, int j) {
    const int alpha = int(words[b.record + 7u] << (b.plane == 1u ? 24u : 16u)) >> 24;
    const int base = dc(b), average = average_luma(b);
    return ivec4(scaled_luma(base, alpha, luma(b, i, j) - average),
                 scaled_luma(base, alpha, luma(b, i, j + 1) - average),
                 scaled_luma(base, alpha, luma(b, i, j + 2) - average),
                 scaled_luma(base, alpha, luma(b, i, j + 3) - average));
}

// ---- others

int palette_entry(uint entries, uint index) {
    return int(words[entries + (index >> 1 & 3u)] >> (index & 1u) * 16u & 0xffffu);
}
ivec4 from_palette(Block b, int i, int j) {
    const uint palettes = words[b.record + 6u], more = words[b.record + 7u], count = b.plane == 0u ? 1u : 2u;
    const uint half_at = (more & 0xffffu) + uint(i) * (more >> 16) + uint(j) / 4u;
    const uint indices = words[palettes + 4u * count + (half_at >> 1)] >> (half_at & 1u) * 16u;
    const uint entries = palettes + (b.plane == 2u ? 4u : 0u);
    return ivec4(palette_entry(entries, indices), palette_entry(entries, indices >> 4),
                 palette_entry(entries, indices >> 8), palette_entry(entries, indices >> 12));
}

// Recursive: four by two pixels from those around them, which may be the block's own. One lane makes the whole block.
int byte_of(uint word, uint which) { return int(word << (24u - 8u * which)) >> 24; }
int filter_pixel(uint mode, uint of_pixel, ivec4 first, ivec3 rest) {
    const uint at = push.tables + DD_AV1_INTRA_FILTER_TABLE + (mode * 8u + of_pixel) * 2u;
    const uint a = words[at], b = words[at + 1u];
    const int sum = byte_of(a, 0u) * first.x + byte_of(a, 1u) * first.y + byte_of(a, 2u) * first.z +
                    byte_of(a, 3u) * first.w + byte_of(b, 0u) * rest.x + byte_of(b, 1u) * rest.y +
                    byte_of(b, 2u) * rest.z;
    return clamp((sum + 8) >> 4, 0, PIXEL_MAX);
}
ivec4 filter_quad(uint mode, uint row, ivec4 first, ivec3 rest) {
    return ivec4(filter_pixel(mode, row * 4u, first, rest), filter_pixel(mode, row * 4u + 1u, first, rest),
                 filter_pixel(mode, row * 4u + 2u, first, rest), filter_pixel(mode, row * 4u + 3u, first, rest));
}
int before(Block b, int i, int j) {
    if (i < 0)
        return j < 0 ? corner(b) : above(b, j);
    return j < 0 ? left(b, i) : pixel(b, b.x + j, b.y + i);
}
void filter_block(Block b) {
    const uint mode = words[b.record + 3u];
    for (int i = 0; i < b.h; i += 2)
        for (int j = 0; j < b.w; j += 4) {
            const ivec4 first = ivec4(before(b, i - 1, j - 1), before(b, i - 1, j), before(b, i - 1, j + 1),
                                      before(b, i - 1, j + 2));
            const ivec3 rest = ivec3(before(b, i - 1, j + 3), before(b, i, j - 1), before(b, i + 1, j - 1));
            store_quad(word_of(b.plane, b.x + j, b.y + i), pack_quad(filter_quad(mode, 0u, first, rest)));
            store_quad(word_of(b.plane, b.x + j, b.y + i + 1), pack_quad(filter_quad(mode, 1u, first, rest)));
        }
}

int predict(Block b, uint mode, int i, int j) {
    const uint steps = words[b.record + 3u];
    switch (mode) {
    case DD_AV1_DO_V:
        return above(b, j);
    case DD_AV1_DO_PAETH:
        return paeth(b, i, j);
    case DD_AV1_DO_ABOVE:
        return along(b, false, int(steps & 0xffffu), i, j);
    case DD_AV1_DO_BOTH:
        return across(b, int(steps & 0xffffu), int(steps >> 16), i, j);
    case DD_AV1_DO_LEFT:
        return along(b, true, int(steps >> 16), j, i);
    default:
        return smooth_pixel(b, mode, i, j);
    }
}

ivec4 residual_of(Block b, int i, int j) {
    const uint second = b.plane == 2u ? 1u : 0u, what = words[b.record + 4u + second];
    if ((b.how & DD_AV1_INTRA_RESIDUAL << second) == 0u)
        return ivec4(0);
    if ((b.how & DD_AV1_INTRA_DC_ALONE << second) != 0u)
        return ivec4(int(what));
    const uint at = what + uint(i * b.w + j) / 2u;
    const ivec2 pairs = ivec2(residuals[at], residuals[at + 1u]);
    return ivec4(pairs.x << 16 >> 16, pairs.x >> 16, pairs.y << 16 >> 16, pairs.y >> 16);
}

ivec4 blended(Block b, int i, int j, ivec4 p, ivec4 inter) {
    const uint weights = words[words[b.record + 6u] + uint(i * b.w + j) / 4u];
    const ivec4 w = ivec4(uvec4(weights, weights >> 8, weights >> 16, weights >> 24) & 255u);
    return (inter * (64 - w) + p * w + 32) >> 6;
}

void make_quad(Block b, uint quad) {
    const uint quads_a_row = uint(b.w) / 4u;
    const int i = int(quad / quads_a_row), j = int(quad % quads_a_row) * 4;
    const uint mode = mode_of(b), at = word_of(b.plane, b.x + j, b.y + i);
    ivec4 p = ivec4(0);
    if (mode == DD_AV1_DO_DC)
        p = ivec4(dc(b));
    else if (mode == DD_AV1_DO_H)
        p = ivec4(left(b, i));
    else if (mode == DD_AV1_DO_CFL)
        p = from_luma(b, i, j);
    else if (mode == DD_AV1_DO_PALETTE)
        p = from_palette(b, i, j);
    else if (mode == DD_AV1_DO_NONE)
        p = unpack_quad(load_quad(at));
    else
        [[dont_unroll]] for (int k = 0; k < 4; k++) // a quarter of the code
            p = ivec4(p.yzw, predict(b, mode, i, j + k));
    if (has(b, DD_AV1_INTRA_BLEND))
        p = blended(b, i, j, p, unpack_quad(load_quad(at)));
    store_quad(at, pack_quad(clamp(p + residual_of(b, i, j), 0, PIXEL_MAX)));
}

void main() {
    const uint group = push.groups + gl_WorkGroupID.x * DD_AV1_INTRA_GROUP_WORDS;
    const uint lane = words[group + 1u] + gl_LocalInvocationIndex, lanes_log2 = words[group + 3u];
    if (lane >= words[group + 2u])
        return;
    const uint record = words[group] + (lane >> lanes_log2) * DD_AV1_INTRA_RECORD_WORDS;
    const uint unit = lane & ((1u << lanes_log2) - 1u), mode = words[record + 1u] & 15u;
    // Of chroma the second half of the lanes has V.
    const bool is_chroma = (words[record] & 1u) != 0u && mode != DD_AV1_DO_SUMS;
    const uint half_log2 = lanes_log2 - 1u, second = is_chroma ? unit >> half_log2 : 0u;
    const Block b = block_of(record, second);
    const uint own = is_chroma ? unit & ((1u << half_log2) - 1u) : unit;
    if (mode == DD_AV1_DO_SUMS)
        sum_row(b, int(own));
    else if (mode == DD_AV1_DO_FILTER)
        filter_block(b);
    else
        make_quad(b, own);
}
