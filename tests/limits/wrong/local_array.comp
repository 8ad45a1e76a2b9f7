// SPDX-License-Identifier: BSD-2-Clause
// Wrong on purpose: a local array with a run-time index.
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out {
    uint values[];
};
void main() {
    uint last[4];
    for (uint i = 0u; i < values[0]; i++)
        last[values[i] & 3u] = i;
    values[gl_GlobalInvocationID.x] = last[values[gl_GlobalInvocationID.x] & 3u];
}
