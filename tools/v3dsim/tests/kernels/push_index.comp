// SPDX-License-Identifier: BSD-2-Clause
// Push constants and a uniform buffer, indexed at run time by each invocation.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Output { uint result[]; };
layout(std140, binding = 1) uniform Constants { uvec4 v[4]; } constants;
layout(push_constant) uniform Push { uint v[4]; } push;
void main() {
    uint i = gl_GlobalInvocationID.x;
    result[i] = push.v[(i * 7u >> 2) & 3u] + constants.v[i & 3u][i >> 2 & 3u];
}
