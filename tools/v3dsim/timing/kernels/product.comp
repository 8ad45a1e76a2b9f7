// SPDX-License-Identifier: BSD-2-Clause
// A product of square matrices as a public benchmark of this GPU computes it: tiles in shared memory, 16 terms between
// two barriers, up to 8x8 sums of a lane in an array. Optimised by spirv-opt, as there, its loops stay loops, and the
// array lies in scratch memory.
#version 450
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const uint TILE_ROWS = 64u;
layout(constant_id = 3) const uint TILE_COLUMNS = 32u;
const uint TERMS = 16u;

layout(binding = 0) readonly buffer Left { float left[]; };
layout(binding = 1) readonly buffer Right { float right[]; };
layout(binding = 2) writeonly buffer Result { float result[]; };
layout(push_constant) uniform Sizes { uint size, terms; };

const uint RIGHT_TILE = TILE_ROWS * TERMS;
shared float tiles[RIGHT_TILE + TERMS * TILE_COLUMNS]; // the left one is first

void load_tiles(uint top, uint start, uint term) {
    const uint lanes = gl_WorkGroupSize.x * gl_WorkGroupSize.y;
    for (uint i = gl_LocalInvocationIndex; i < TILE_ROWS * TERMS; i += lanes) {
        uint row = top + i / TERMS, column = term + i % TERMS;
        tiles[i] = row < size && column < terms ? left[row * terms + column] : 0.0;
    }
    for (uint i = gl_LocalInvocationIndex; i < TERMS * TILE_COLUMNS; i += lanes) {
        uint row = term + i / TILE_COLUMNS, column = start + i % TILE_COLUMNS;
        tiles[RIGHT_TILE + i] = row < terms && column < size ? right[row * size + column] : 0.0;
    }
}

void main() {
    uint top = gl_WorkGroupID.y * TILE_ROWS, start = gl_WorkGroupID.x * TILE_COLUMNS;
    const uint width = gl_WorkGroupSize.x, height = gl_WorkGroupSize.y;
    const uint across = (TILE_COLUMNS + width - 1u) / width, down = (TILE_ROWS + height - 1u) / height;
    float sums[8][8];
    for (uint y = 0u; y < down; y++)
        for (uint x = 0u; x < across; x++)
            sums[y][x] = 0.0;
    for (uint term = 0u; term < terms; term += TERMS) {
        load_tiles(top, start, term);
        barrier();
        for (uint t = 0u; t < TERMS; t++)
            for (uint y = 0u; y < down; y++) {
                uint row = gl_LocalInvocationID.y + y * height;
                if (row >= TILE_ROWS)
                    continue;
                float factor = tiles[row * TERMS + t];
                for (uint x = 0u; x < across; x++) {
                    uint column = gl_LocalInvocationID.x + x * width;
                    if (column >= TILE_COLUMNS)
                        continue;
                    sums[y][x] += tiles[RIGHT_TILE + t * TILE_COLUMNS + column] * factor;
                }
            }
        barrier();
    }
    for (uint y = 0u; y < down; y++) {
        uint row = gl_LocalInvocationID.y + y * height;
        if (row >= TILE_ROWS || top + row >= size)
            continue;
        for (uint x = 0u; x < across; x++) {
            uint column = gl_LocalInvocationID.x + x * width;
            if (column >= TILE_COLUMNS || start + column >= size)
                continue;
            result[(top + row) * size + start + column] = sums[y][x];
        }
    }
}
