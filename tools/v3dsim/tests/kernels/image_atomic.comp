// SPDX-License-Identifier: BSD-2-Clause
// First run: fills an image. Second run: changes it by atomics. Third run: reads it.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) buffer Output { uint result[]; };
layout(binding = 1, r32ui) uniform uimage2D picture;
layout(push_constant) uniform Push { uint phase; } push;
void main() {
    uvec2 at = gl_GlobalInvocationID.xy;
    uint i = at.y * 64u + at.x;
    if (push.phase == 0u) {
        imageStore(picture, ivec2(at), uvec4(i));
    } else if (push.phase == 1u) {
        imageAtomicAdd(picture, ivec2(at / 4u), i);
        imageAtomicMax(picture, ivec2(at / 4u + 32u), i * 7u);
        // Where nothing is added and no maximum taken: the order of invocations must not matter. One texel has the
        // value.
        if (at.y < 16u)
            imageAtomicCompSwap(picture, ivec2(at.x, 63u - at.y), 50u * 64u + 5u, 7u);
    } else {
        result[i] = imageLoad(picture, ivec2(at)).x;
    }
}
