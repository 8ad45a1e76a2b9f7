// SPDX-License-Identifier: BSD-2-Clause
// Wrong on purpose: nine storage buffers.
#version 450
layout(local_size_x = 64) in;
#define BUFFER(N)                                                                                                      \
    layout(std430, binding = N) buffer B##N { uint b##N[]; };
BUFFER(0) BUFFER(1) BUFFER(2) BUFFER(3) BUFFER(4) BUFFER(5) BUFFER(6) BUFFER(7) BUFFER(8)
void main() {
    const uint i = gl_GlobalInvocationID.x;
    b0[i] = b1[i] + b2[i] + b3[i] + b4[i] + b5[i] + b6[i] + b7[i] + b8[i];
}
