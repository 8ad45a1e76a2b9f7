// SPDX-License-Identifier: BSD-2-Clause
// With WRONG the word before the bound range is read.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Output { uint result[]; };
layout(binding = 1) readonly buffer Input { uint words[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef WRONG
    result[i] = words[i - 1u];
#else
    result[i] = words[i == 0u ? 0u : i - 1u];
#endif
}
