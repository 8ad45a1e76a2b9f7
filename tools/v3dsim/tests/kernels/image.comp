// SPDX-License-Identifier: BSD-2-Clause
// First run: fills an image. Second run: reads it as a storage image and as a texture, each texel by another
// invocation.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) buffer Output { uvec4 result[]; };
layout(binding = 1, FORMAT) uniform IMAGE picture;
layout(binding = 2) readonly buffer Input { uvec4 words[]; };
layout(push_constant) uniform Push { uint phase; } push;
void main() {
    uvec2 at = gl_GlobalInvocationID.xy;
    if (at.x >= WIDTH || at.y >= HEIGHT) return;
    uint i = at.y * WIDTH + at.x;
    if (push.phase == 0u) {
        imageStore(picture, ivec2(at), TEXEL(words[i] & LIMIT));
    } else {
        uvec2 from = uvec2((at.x * 5u + at.y) % WIDTH, (at.y * 3u + at.x) % HEIGHT);
        result[i] = WORDS(imageLoad(picture, ivec2(from)));
    }
}
