// SPDX-License-Identifier: BSD-2-Clause
// Invocations exchange words through shared memory; with WRONG the barrier between writing and reading is missing.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Output { uint result[]; };
shared uint words[64];
void main() {
    uint i = gl_LocalInvocationIndex;
    words[i] = i * 3u;
#ifndef WRONG
    barrier();
#endif
    result[gl_GlobalInvocationID.x] = words[63u - i];
}
