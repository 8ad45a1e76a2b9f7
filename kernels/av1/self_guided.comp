// SPDX-License-Identifier: BSD-2-Clause
//
// Loop restoration by self-guided filters. AV1 specification, clause 7.17.3. A workgroup takes a tile of 16 rows that
// lies in one stripe and in one restoration unit: 64 columns, or 32 where units are that narrow. Each lane writes four
// pixels. Tiles of other units are wiener.comp's.
#version 450
#extension GL_GOOGLE_include_directive : require
#define LANES 256
#include "filter.glsl"
#include "restoration.glsl"

const uint kRows = 16u;
const uint kReach = 3u;                      // pixels that a filter reads beyond its own
const uint kInputRows = kRows + 2u * kReach; // 22
const uint kInputStride = 72u;               // columns -4 to 67
const uint kBoxStride = 66u;                 // columns -1 to 64
const uint kBoxRows = kRows + 2u;            // rows -1 to 16

shared uint tile_in[kInputRows * kInputStride];
shared uint stage[2u * kBoxRows * kBoxStride]; // both boxes

// Clause 7.17.6: rows outside the stripe are those before CDEF, two of them on each side.
PIXELS load_row(const Tile t, int x4, int y) {
    y = clamp(y, 0, int(t.plane.height) - 1);
    const bool inside = y >= t.stripe_first && y <= t.stripe_last;
    const uint at = quad_at(t.plane, x4, clamp(y, t.stripe_first - 2, t.stripe_last + 2));
    if (inside && (pass.flags & DD_AV1_PASS_NO_CDEF) == 0u)
        return LOAD_QUAD(scratch_a, at);
    return LOAD_QUAD(scratch_b, at);
}

void load_input(const Tile t) {
    const int last = int(t.plane.width) - 1;
    uint i = gl_LocalInvocationID.x;
    do {
        const uint row = i / (kInputStride / 4u);
        const uint quad = i - row * (kInputStride / 4u);
        const int x4 = (t.x >> 2) + int(quad) - 1;
        const PIXELS q = load_row(t, clamp(x4, 0, last >> 2), t.y + int(row) - int(kReach));
        [[unroll]] for (int k = 0; k < 4; k++) {
            const int x = clamp(4 * x4 + k, 0, last);
            tile_in[row * kInputStride + 4u * quad + uint(k)] = pixel(q, uint(x & 3));
        }
        i += LANES;
    } while (i < kInputRows * (kInputStride / 4u));
}

int signed_half(uint word, int i) { return bitfieldExtract(int(word), 16 * i, 16); }

// Clause 7.17.3: a box of (2 * reach + 1) squared around a pixel becomes A | (256 - a2) << 20.
uint box(const uint centre, const int reach, const uint strength) {
    uint sum = 0u, squares = 0u;
    [[unroll]] for (int dy = -reach; dy <= reach; dy++)
        [[unroll]] for (int dx = -reach; dx <= reach; dx++) {
            const uint v = tile_in[uint(int(centre) + dy * int(kInputStride) + dx)];
            sum += v;
            squares += v * v;
        }
    const uint n = reach == 2 ? 25u : 9u;
    const uint depth = params.bit_depth - 8u;
    const uint a = (squares + ((1u << (2u * depth)) >> 1)) >> (2u * depth);
    const uint b = (sum + ((1u << depth) >> 1)) >> depth;
    const uint p = uint(max(int(a * n) - int(b * b), 0));
    const uint z = min((p * strength + (1u << 19)) >> 20, 255u);
    const uint x = bitfieldExtract(words[params.x_by_x + (z >> 2)], int(8u * (z & 3u)), 8);
    return ((x * sum * (reach == 2 ? 164u : 455u) + (1u << 11)) >> 12) | x << 20;
}

void boxes(const Tile t) {
    const uint strengths = words[t.unit + 1u];
    const uint wide = strengths & 0xffffu, narrow = strengths >> 16;
    uint i = gl_LocalInvocationID.x;
    do {
        const uint row = i / kBoxStride;
        const uint centre = (row + kReach - 1u) * kInputStride + (i - row * kBoxStride) + 3u;
        if (wide != 0u && (row & 1u) == 0u) // rows -1, 1, 3, ...
            stage[i] = box(centre, 2, wide);
        if (narrow != 0u)
            stage[kBoxRows * kBoxStride + i] = box(centre, 1, narrow);
        i += LANES;
    } while (i < kBoxRows * kBoxStride);
}

// (A, 256 - a2) of a box, weighted.
ivec2 part(uint at, int weight) { return ivec2(stage[at] & 0xfffffu, stage[at] >> 20) * weight; }

int self_guided_pixel(const Tile t, uint row, uint x) {
    const uint strengths = words[t.unit + 1u];
    const uint weights = words[t.unit + 2u];
    const int centre = int(tile_in[(row + kReach) * kInputStride + x + 4u]);
    int v = 0;
    if ((strengths & 0xffffu) != 0u) {
        const uint at = (row + 1u) * kBoxStride + x + 1u;
        if ((row & 1u) == 0u) {
            const uint up = at - kBoxStride, down = at + kBoxStride;
            const ivec2 s = part(up, 6) + part(down, 6) + part(up - 1u, 5) + part(up + 1u, 5) + part(down - 1u, 5) +
                            part(down + 1u, 5);
            v += signed_half(weights, 0) * ((s.x - s.y * centre + 256) >> 9);
        } else {
            const ivec2 s = part(at, 6) + part(at - 1u, 5) + part(at + 1u, 5);
            v += signed_half(weights, 0) * ((s.x - s.y * centre + 128) >> 8);
        }
    }
    if ((strengths >> 16) != 0u) {
        const uint at = (kBoxRows + row + 1u) * kBoxStride + x + 1u;
        const uint up = at - kBoxStride, down = at + kBoxStride;
        const ivec2 s = part(at, 4) + part(at - 1u, 4) + part(at + 1u, 4) + part(up, 4) + part(down, 4) +
                        part(up - 1u, 3) + part(up + 1u, 3) + part(down - 1u, 3) + part(down + 1u, 3);
        v += signed_half(weights, 1) * ((s.x - s.y * centre + 256) >> 9);
    }
    return centre + ((v + 1024) >> 11);
}

void main() {
    const uint group = group_index();
    if (group >= pass.total)
        return;
    const uint plane = plane_of_group(group);
    if (!filtered(plane))
        return;
    const uint columns = min(64u, 1u << unit_log2_of(plane)), index = group - first_group(plane);
    const uint across = (plane_at(plane).width + columns - 1u) / columns, down = index / across;
    const Tile t = tile_at(plane, (index - down * across) * columns, down * kRows);
    if (words[t.unit] != DD_AV1_UNIT_SELF_GUIDED)
        return;
    load_input(t);
    barrier();
    boxes(t);
    barrier();

    const uint row = gl_LocalInvocationID.x / 16u, x = (gl_LocalInvocationID.x & 15u) * 4u;
    const int y = t.y + int(row);
    if (x >= columns || t.x + int(x) >= int(t.plane.width) || y < 0 || y >= int(t.plane.height))
        return;
    const int top = (1 << params.bit_depth) - 1;
    PIXELS q = PIXELS(0u);
    [[unroll]] for (uint i = 0u; i < 4u; i++)
        q = with_pixel(q, i, uint(clamp(self_guided_pixel(t, row, x + i), 0, top)));
    STORE_QUAD(dst, quad_at(t.plane, (t.x + int(x)) >> 2, y), q);
}
