// SPDX-License-Identifier: BSD-2-Clause
// Says how many workgroups there were.
#version 450
layout(local_size_x = 16) in;
layout(binding = 0) buffer Output { uint result[]; };
void main() {
    atomicAdd(result[3], 1u);
    if (gl_GlobalInvocationID.xyz == uvec3(0u))
        result[4] = gl_NumWorkGroups.x | gl_NumWorkGroups.y << 8 | gl_NumWorkGroups.z << 16;
}
