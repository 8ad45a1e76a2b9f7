// SPDX-License-Identifier: BSD-2-Clause
// Wrong on purpose: an array with constant contents and a run-time index.
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out {
    uint values[];
};
const uint table[8] = uint[](3u, 1u, 4u, 1u, 5u, 9u, 2u, 6u);
void main() {
    const uint i = gl_GlobalInvocationID.x;
    values[i] = table[values[i] & 7u];
}
