// SPDX-License-Identifier: BSD-2-Clause
//
// The loop filter's records: what strengths there are, and of each superblock the lines of edges.

layout(std430, set = 0, binding = DD_BIND_RECORDS) readonly restrict buffer Records {
    uint limits[DD_LF_LEVELS];
    uint superblocks[]; // DdLfLines
};

const uint SUPERBLOCK_WORDS = 48u, LINES_AT = 16u;
const uint COLUMNS = 0u, ROWS = 1u; // what the edges lie between

// Bits 0 to 7 become bits 0, 2 ... 14.
uint spread(uint bits) {
    bits = (bits | bits << 4) & 0x0f0fu;
    bits = (bits | bits << 2) & 0x3333u;
    return (bits | bits << 1) & 0x5555u;
}
