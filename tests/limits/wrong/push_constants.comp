// SPDX-License-Identifier: BSD-2-Clause
// Wrong on purpose: 132 bytes of push constants.
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out {
    uint values[];
};
layout(push_constant) uniform Push {
    uint words[33];
};
void main() { values[gl_GlobalInvocationID.x] = words[32]; }
