// SPDX-License-Identifier: BSD-2-Clause
// Wrong on purpose: a subgroup operation.
#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out {
    uint values[];
};
void main() { values[gl_GlobalInvocationID.x] = subgroupAdd(values[gl_GlobalInvocationID.x]); }
