// SPDX-License-Identifier: BSD-2-Clause
// Bytes of one word written by different invocations are no race; with WRONG neighbours write each other's byte.
#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(binding = 0) buffer Output { uint8_t result[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef WRONG
    result[i & ~1u] = uint8_t(i);
#else
    result[i] = uint8_t(i);
#endif
}
