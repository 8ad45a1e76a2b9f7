// SPDX-License-Identifier: BSD-2-Clause
// Wrong on purpose: 64-bit integers.
#version 450
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out {
    uint values[];
};
void main() {
    const uint i = gl_GlobalInvocationID.x;
    values[i] = uint(uint64_t(values[i]) * uint64_t(values[i + 1u]) >> 32);
}
