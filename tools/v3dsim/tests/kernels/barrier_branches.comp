// SPDX-License-Identifier: BSD-2-Clause
// With WRONG one half of the workgroup waits at one barrier, the other half at another one.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Output { uint result[]; };
shared uint words[64];
void main() {
    uint i = gl_LocalInvocationIndex;
    words[i] = i;
#ifdef WRONG
    if (i >= 32u) {
        barrier();
        words[i] = words[i ^ 1u] * 3u;
        barrier();
    } else {
        barrier();
        words[i] += words[i ^ 2u] ^ 9u;
        barrier();
    }
#else
    barrier();
    uint other = i >= 32u ? words[i ^ 1u] * 3u : words[i ^ 2u] ^ 9u;
    barrier();
    words[i] = other;
    barrier();
#endif
    result[gl_GlobalInvocationID.x] = words[i];
}
