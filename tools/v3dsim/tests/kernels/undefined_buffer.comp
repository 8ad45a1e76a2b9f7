// SPDX-License-Identifier: BSD-2-Clause
// Adds two inputs; with WRONG it uses the second one, of which only the first half was ever written, as a whole.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Output { uint result[]; };
layout(binding = 1) readonly buffer Input { uint words[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef WRONG
    result[i] = words[i] + 1u;
#else
    uint word = words[i]; // loaded, but used where it was written only
    result[i] = i < 64u ? word + 1u : 5u;
#endif
}
