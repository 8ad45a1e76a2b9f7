// SPDX-License-Identifier: BSD-2-Clause
// With WRONG an address far outside every buffer object is written.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Output { uint result[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef WRONG
    result[i == 5u ? 0x08000000u : i] = i;
#else
    result[i] = i;
#endif
}
