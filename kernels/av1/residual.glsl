// SPDX-License-Identifier: BSD-2-Clause
//
// Where residuals come from and where they are added.
layout(std430, set = 0, binding = DD_BIND_RECORDS) readonly buffer Records {
    DdAv1ReconParams params;
    uint words[];
};

DdAv1ItxRecord read_record(uint index) {
    return DdAv1ItxRecord(words[push.records + index * 2u], words[push.records + index * 2u + 1u]);
}

// Word of the picture of four pixels at (x, y) of a block.
uint block_word(DdAv1ItxRecord r, uint x, uint y) {
    const uint plane = r.dst & 3u;
    const uint offset = plane == 0u ? params.offset[0] : plane == 1u ? params.offset[1] : params.offset[2];
    const uint stride = plane == 0u ? params.stride[0] : params.stride[1];
    return offset + ((r.dst >> 16) + y) * stride + (((r.dst & 0xfffcu) + x) >> 2) * QUAD_WORDS;
}

void add_quad(uint at, ivec4 residual) {
    store_quad(at, pack_quad(clamp(unpack_quad(load_quad(at)) + residual, 0, PIXEL_MAX)));
}
