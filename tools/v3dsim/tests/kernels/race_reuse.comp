// SPDX-License-Identifier: BSD-2-Clause
// Shared memory is used twice; with WRONG the barrier before it is written again is missing.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Output { uint result[]; };
shared uint words[64];
void main() {
    uint i = gl_LocalInvocationIndex;
    words[i] = i * 3u;
    barrier();
    uint first = words[63u - i];
#ifndef WRONG
    barrier();
#endif
    words[i] = i + first;
    barrier();
    result[gl_GlobalInvocationID.x] = words[(i + 17u) & 63u];
}
