// SPDX-License-Identifier: BSD-2-Clause
// A copy: four words a lane and operation, eight reads in flight.
#version 450
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer Source { uvec4 source[]; };
layout(binding = 1) writeonly buffer Target { uvec4 target[]; };

void main() {
    uint at = gl_WorkGroupID.x * 2048u + gl_LocalInvocationIndex;
    uvec4 words[8];
    for (uint i = 0u; i < 8u; i++)
        words[i] = source[at + i * 256u];
    for (uint i = 0u; i < 8u; i++)
        target[at + i * 256u] = words[i];
}
