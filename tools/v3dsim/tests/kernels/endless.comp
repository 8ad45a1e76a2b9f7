// SPDX-License-Identifier: BSD-2-Clause
// With WRONG a loop never ends.
#version 450
layout(local_size_x = 16) in;
layout(binding = 0) buffer Output { uint result[]; };
void main() {
    uint i = gl_GlobalInvocationID.x, steps = 0u;
#ifdef WRONG
    while (result[i] != 0xffffffffu) { result[i] &= 0xffffu; steps++; }
#endif
    result[i] = steps;
}
