// SPDX-License-Identifier: BSD-2-Clause
// Wrong on purpose: 512 invocations a workgroup.
#version 450
layout(local_size_x = 512) in;
layout(std430, binding = 0) buffer Out {
    uint values[];
};
void main() { values[gl_GlobalInvocationID.x] = 1u; }
