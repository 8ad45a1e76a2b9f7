// SPDX-License-Identifier: BSD-2-Clause
// Operations across the 16 lanes of a batch, with a part of the lanes switched off.
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 64) in;
layout(binding = 0) buffer Output { uvec4 result[]; };
layout(binding = 1) readonly buffer Input { uint words[]; };
void main() {
    uint i = gl_GlobalInvocationID.x, lane = gl_SubgroupInvocationID, word = words[i];
    uvec4 r = uvec4(0u);
    r.x = subgroupShuffle(word, lane ^ 5u);
    r.y = subgroupQuadBroadcast(word, 2u) ^ subgroupQuadSwapHorizontal(word);
    r.z = subgroupBallot((word & 1u) != 0u).x;
    if ((word & 2u) != 0u) {
        r.w = subgroupBroadcastFirst(word) ^ subgroupBallot((word & 4u) != 0u).x;
        r.w ^= subgroupElect() ? 0x10000u : 0u;
        r.w ^= subgroupAll((word & 6u) != 0u) ? 0x20000u : 0u;
        r.w ^= subgroupAllEqual(word & 2u) ? 0x40000u : 0u;
        r.w ^= subgroupAny((word & 8u) != 0u) ? 0x80000u : 0u;
    }
    result[i] = r;
}
