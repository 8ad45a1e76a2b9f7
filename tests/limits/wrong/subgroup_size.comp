// SPDX-License-Identifier: BSD-2-Clause
// Wrong on purpose: the result depends on the subgroup's size.
#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out {
    uint values[];
};
void main() { values[gl_GlobalInvocationID.x] = gl_SubgroupSize; }
