// SPDX-License-Identifier: BSD-2-Clause
// Wrong on purpose: 20 KiB of shared memory.
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out {
    uint values[];
};
shared uint a[4096], b[1024];
void main() {
    a[gl_LocalInvocationIndex] = b[gl_LocalInvocationIndex] = gl_GlobalInvocationID.x;
    barrier();
    values[gl_GlobalInvocationID.x] = a[63u - gl_LocalInvocationIndex] + b[63u - gl_LocalInvocationIndex];
}
