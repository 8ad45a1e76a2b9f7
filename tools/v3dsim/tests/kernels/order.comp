// SPDX-License-Identifier: BSD-2-Clause
// Takes numbers from an atomic counter; with WRONG they show in the result, which then depends on the order.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Output { uint result[]; };
void main() {
    uint number = atomicAdd(result[0], 1u);
#ifdef WRONG
    result[1u + gl_GlobalInvocationID.x] = number;
#else
    result[1u + gl_GlobalInvocationID.x] = gl_GlobalInvocationID.x;
    if (number == 0xffffffffu) result[1] = 5u;
#endif
}
