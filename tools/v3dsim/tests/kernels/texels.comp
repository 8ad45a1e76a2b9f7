// SPDX-License-Identifier: BSD-2-Clause
// Fetches from a texel buffer.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Output { uvec4 result[]; };
layout(binding = 1) uniform SAMPLER texels;
void main() {
    uint i = gl_GlobalInvocationID.x;
    result[i] = WORDS(texelFetch(texels, int((i * 37u + 5u) % COUNT)));
}
