// SPDX-License-Identifier: BSD-2-Clause
// Wrong on purpose: 16-bit float arithmetic.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out {
    uint values[];
};
void main() {
    const uint i = gl_GlobalInvocationID.x;
    values[i] = uint(float16_t(values[i]) * float16_t(0.5));
}
