// SPDX-License-Identifier: BSD-2-Clause
// The measured VP9 horizontal 8-tap prediction of an 8x8 block, rebuilt: a row a lane, bytes, the filters in a const
// array indexed at run time (which v3dv writes to scratch at every start).
#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer Blocks { uvec4 blocks[]; };
layout(binding = 1) buffer Output { uint8_t predicted[]; };
layout(binding = 2) readonly buffer Reference { uint8_t reference[]; };
layout(push_constant) uniform Push { uint count, output_stride, reference_stride, unused; } push;

// VP9 specification, clause 8.5.2.3: subpel_filters, regular.
const int taps[16][8] = {
    {0, 0, 0, 128, 0, 0, 0, 0},        {0, 1, -5, 126, 8, -3, 1, 0},      {-1, 3, -10, 122, 18, -6, 2, 0},
    {-1, 4, -13, 118, 27, -9, 3, -1},  {-1, 4, -16, 112, 37, -11, 4, -1}, {-1, 5, -18, 105, 48, -14, 4, -1},
    {-1, 5, -19, 97, 58, -16, 5, -1},  {-1, 6, -19, 88, 68, -18, 5, -1},  {-1, 6, -19, 78, 78, -19, 6, -1},
    {-1, 5, -18, 68, 88, -19, 6, -1},  {-1, 5, -16, 58, 97, -19, 5, -1},  {-1, 4, -14, 48, 105, -18, 5, -1},
    {-1, 4, -11, 37, 112, -16, 4, -1}, {-1, 3, -9, 27, 118, -13, 4, -1},  {0, 2, -6, 18, 122, -10, 3, -1},
    {0, 1, -3, 8, 126, -5, 1, 0}};

void main() {
    uint local = gl_LocalInvocationIndex, row = local % 8u, block = gl_WorkGroupID.x * 32u + local / 8u;
    if (block >= push.count)
        return;
    uvec4 b = blocks[block];
    uint source = b.y + row * push.reference_stride, target = b.x + row * push.output_stride, phase = b.z & 15u;
    int pixels[15];
    for (uint i = 0u; i < 15u; i++)
        pixels[i] = int(reference[source + i]);
    for (uint x = 0u; x < 8u; x++) {
        int sum = 64;
        for (uint tap = 0u; tap < 8u; tap++)
            sum += taps[phase][tap] * pixels[x + tap];
        predicted[target + x] = uint8_t(clamp(sum >> 7, 0, 255));
    }
}
