// SPDX-License-Identifier: BSD-2-Clause
// An array that is indexed at run time lies in scratch memory; with WRONG one element is read that was not set.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Output { uint result[]; };
layout(binding = 1) readonly buffer Input { uint words[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    uint local[16];
#ifdef WRONG
    const uint count = 15u;
#else
    const uint count = 16u;
#endif
    for (uint n = 0u; n < count; n++)
        local[n] = words[n] ^ i;
    result[i] = local[(words[0] | 15u) & 15u] + local[words[1] & 7u];
}
