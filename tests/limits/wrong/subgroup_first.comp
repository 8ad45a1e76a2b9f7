// SPDX-License-Identifier: BSD-2-Clause
// Wrong on purpose: a subgroup operation where no barrier keeps workgroups from sharing a supergroup.
#version 450
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out {
    uint values[];
};
void main() { values[gl_GlobalInvocationID.x] = subgroupBroadcastFirst(values[gl_GlobalInvocationID.x]); }
