// SPDX-License-Identifier: BSD-2-Clause
// Decides by a word that was never written (WRONG) or by one that was.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Output { uint result[]; };
layout(binding = 1) readonly buffer Input { uint words[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef WRONG
    uint limit = words[100];
#else
    uint limit = words[10];
#endif
    uint sum = 0u;
    for (uint n = 0u; n < (limit & 15u); n++)
        sum += words[n];
    result[i] = sum;
}
