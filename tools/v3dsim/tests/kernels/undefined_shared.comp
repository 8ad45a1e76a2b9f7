// SPDX-License-Identifier: BSD-2-Clause
// Reads shared memory that nobody wrote: with WRONG the last word is left out.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Output { uint result[]; };
shared uint words[65];
void main() {
    uint i = gl_LocalInvocationIndex;
    words[i] = i;
#ifndef WRONG
    if (i == 0u) words[64] = 7u;
#endif
    barrier();
    result[gl_GlobalInvocationID.x] = words[i + 1u];
}
