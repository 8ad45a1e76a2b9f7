// SPDX-License-Identifier: BSD-2-Clause
// With WRONG the upper half of the workgroup leaves before the barrier.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Output { uint result[]; };
shared uint words[64];
void main() {
    uint i = gl_LocalInvocationIndex;
    words[i] = i;
#ifdef WRONG
    if (i >= 32u) return;
#endif
    barrier();
    result[gl_GlobalInvocationID.x] = words[i ^ 1u];
}
