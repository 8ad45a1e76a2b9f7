// SPDX-License-Identifier: BSD-2-Clause
// Doubles words in place; with WRONG it runs four words past the end of the bound range, inside the same buffer object.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Output { uint result[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef WRONG
    result[i + 4u] = i;
#else
    result[i] = i;
#endif
}
