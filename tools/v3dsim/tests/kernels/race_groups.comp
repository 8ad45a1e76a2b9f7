// SPDX-License-Identifier: BSD-2-Clause
// Every workgroup sums up; with WRONG without an atomic, so that two workgroups write the same word.
#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer Output { uint result[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
#ifdef WRONG
    result[i] = result[i] + gl_WorkGroupID.x;
#else
    atomicAdd(result[i], gl_WorkGroupID.x);
#endif
}
