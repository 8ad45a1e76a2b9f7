// SPDX-License-Identifier: BSD-2-Clause
// The measured AV1 CDEF of an 8x8 block, rebuilt: a pixel a lane, the direction offsets in a const array indexed at
// run time, 16-bit samples of a padded 16 wide copy.
#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer Blocks { uvec4 blocks[]; };
layout(binding = 1) buffer Output { uint8_t filtered[]; };
layout(binding = 2) readonly buffer Padded { uint16_t padded[]; };
layout(push_constant) uniform Push { uint count, padded_stride, output_stride, unused; } push;

// Cdef_Directions of the AV1 specification, clause 7.15.3, as offsets into rows of 16 samples, the first six again
// behind the last.
const ivec2 directions[14] = {ivec2(-15, -30), ivec2(1, -14), ivec2(1, 2),   ivec2(1, 18),   ivec2(17, 34),
                              ivec2(16, 33),   ivec2(16, 32), ivec2(16, 31), ivec2(-15, -30), ivec2(1, -14),
                              ivec2(1, 2),     ivec2(1, 18),  ivec2(17, 34), ivec2(16, 33)};

int centre, lowest, highest;

int constrain(int difference, int strength, int shift) {
    if (strength == 0)
        return 0;
    int size = abs(difference);
    int limited = min(size, max(0, strength - (size >> shift)));
    return difference < 0 ? -limited : limited;
}

int tap(uint at, int strength, int shift) {
    int value = int(padded[at]);
    lowest = min(lowest, value);
    highest = max(highest, value);
    return constrain(value - centre, strength, shift);
}

int damping_shift(int damping, int strength) { return max(0, damping - findMSB(uint(strength))); }

void main() {
    uint local = gl_LocalInvocationIndex, pixel = local & 63u, block = gl_WorkGroupID.x * 4u + (local >> 6);
    if (block >= push.count)
        return;
    uvec4 b = blocks[block];
    uint row = pixel >> 3, column = pixel & 7u, at = b.z + row * push.padded_stride + column;
    int primary = int(b.y & 255u), secondary = int(b.y >> 8 & 255u), damping = int(b.y >> 16 & 255u);
    int primary_shift = damping_shift(damping, primary), secondary_shift = damping_shift(damping, secondary);
    int direction = int(b.w & 7u);
    centre = lowest = highest = int(padded[at]);
    int sum = 0;
    for (int k = 0; k < 2; k++) {
        int primary_tap = k == 0 ? 4 - (primary & 1) : ((4 - (primary & 1)) & 3) | 2;
        int along = directions[direction][k], left = directions[direction + 2][k], right = directions[direction + 6][k];
        sum += primary_tap * tap(at + uint(along), primary, primary_shift);
        sum += primary_tap * tap(at - uint(along), primary, primary_shift);
        sum += (2 - k) * tap(at + uint(left), secondary, secondary_shift);
        sum += (2 - k) * tap(at - uint(left), secondary, secondary_shift);
        sum += (2 - k) * tap(at + uint(right), secondary, secondary_shift);
        sum += (2 - k) * tap(at - uint(right), secondary, secondary_shift);
    }
    int result = clamp(centre + ((sum - int(sum < 0) + 8) >> 4), lowest, highest);
    filtered[b.x + row * push.output_stride + column] = uint8_t(result);
}
