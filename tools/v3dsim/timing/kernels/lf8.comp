// SPDX-License-Identifier: BSD-2-Clause
// The measured VP9 8 wide loop filter, rebuilt: one line across the edge a lane, eight lanes an edge, bytes, every
// branch of the filter as it stands in VP9's specification, clause 8.8.
#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer Edges { uvec4 edges[]; };
layout(binding = 1) buffer Picture { uint8_t picture[]; };
layout(push_constant) uniform Push { uint count, along, across, unused; } push;

int signed8(int v) { return clamp(v, -128, 127); }

void store(uint at, int v) { picture[at] = uint8_t(v); }

void main() {
    uint local = gl_LocalInvocationIndex, edge = gl_WorkGroupID.x * 32u + local / 8u;
    if (edge >= push.count)
        return;
    uvec4 e = edges[edge];
    uint at = e.x + (local % 8u) * push.along, step = push.across;
    int limit = int(e.y & 255u), blimit = int(e.y >> 8 & 255u), threshold = int(e.y >> 16 & 255u);
    int p3 = int(picture[at - 4u * step]), p2 = int(picture[at - 3u * step]), p1 = int(picture[at - 2u * step]);
    int p0 = int(picture[at - step]), q0 = int(picture[at]), q1 = int(picture[at + step]);
    int q2 = int(picture[at + 2u * step]), q3 = int(picture[at + 3u * step]);
    bool filtered = abs(p3 - p2) <= limit && abs(p2 - p1) <= limit && abs(p1 - p0) <= limit && abs(q1 - q0) <= limit &&
                    abs(q2 - q1) <= limit && abs(q3 - q2) <= limit && abs(p0 - q0) * 2 + (abs(p1 - q1) >> 1) <= blimit;
    if (!filtered)
        return;
    bool flat_ = abs(p1 - p0) <= 1 && abs(q1 - q0) <= 1 && abs(p2 - p0) <= 1 && abs(q2 - q0) <= 1 &&
                 abs(p3 - p0) <= 1 && abs(q3 - q0) <= 1;
    if (flat_) {
        store(at - 3u * step, (p3 + p3 + p3 + 2 * p2 + p1 + p0 + q0 + 4) >> 3);
        store(at - 2u * step, (p3 + p3 + p2 + 2 * p1 + p0 + q0 + q1 + 4) >> 3);
        store(at - step, (p3 + p2 + p1 + 2 * p0 + q0 + q1 + q2 + 4) >> 3);
        store(at, (p2 + p1 + p0 + 2 * q0 + q1 + q2 + q3 + 4) >> 3);
        store(at + step, (p1 + p0 + q0 + 2 * q1 + q2 + q3 + q3 + 4) >> 3);
        store(at + 2u * step, (p0 + q0 + q1 + 2 * q2 + q3 + q3 + q3 + 4) >> 3);
        return;
    }
    bool variance = abs(p1 - p0) > threshold || abs(q1 - q0) > threshold;
    int filter_ = 3 * (q0 - p0) + (variance ? signed8(p1 - q1) : 0);
    filter_ = signed8(filter_);
    int f1 = min(filter_ + 4, 127) >> 3, f2 = min(filter_ + 3, 127) >> 3;
    store(at - step, clamp(p0 + f2, 0, 255));
    store(at, clamp(q0 - f1, 0, 255));
    if (!variance) {
        int outer = (f1 + 1) >> 1;
        store(at - 2u * step, clamp(p1 + outer, 0, 255));
        store(at + step, clamp(q1 - outer, 0, 255));
    }
}
