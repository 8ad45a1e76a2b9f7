// SPDX-License-Identifier: BSD-2-Clause
//
// What the kernels of residuals share: where those come from, what shapes say, and the addition to the picture.
layout(std430, set = 0, binding = DD_BIND_RECORDS) readonly buffer Records {
    DdAv1ReconParams params;
    uint words[];
};
layout(std430, set = 0, binding = DD_BIND_COEFS) readonly buffer Coefs { uint coef_words[]; };

DdAv1ItxRecord read_record(uint index) {
    return DdAv1ItxRecord(words[push.records + index * 2u], words[push.records + index * 2u + 1u]);
}

struct Group {
    uint first, blocks, shape;
};

// What a workgroup does, uniform for V3D's compiler too, which knows nothing of the kind about the number of a
// workgroup. It keeps what it has once read, and what it has worked out of it, until registers run out; but it
// doesn't see that all steps read the same.
Group read_group(uint step) {
    const uint at = push.groups + gl_WorkGroupID.x * 3u + (step >> 2);
    return Group(words[at], subgroupBroadcastFirst(words[at + 1u]), subgroupBroadcastFirst(words[at + 2u]));
}

uint field(uint shape, uint shift, uint bits) { return (shape >> shift) & ((1u << bits) - 1u); }

// Direction 0 has the rows, 1 the columns. What is known of a direction is taken out of the shape where it is needed:
// registers are scarcer than shifts.
uint line_log2(uint shape, uint direction) { return field(shape, DD_AV1_ITX_W_SHIFT + 3u * direction, 3u); }
uint inputs_log2(uint shape, uint direction) { return field(shape, DD_AV1_ITX_COLS_SHIFT + 3u * direction, 3u); }
uint kind_of(uint shape, uint direction) { return field(shape, DD_AV1_ITX_KIND_H_SHIFT + 2u * direction, 2u); }

int shift_of(uint shape, uint direction) {
    return direction == 0u ? int(field(shape, DD_AV1_ITX_ROUND_SHIFT, 2u))
                           : kind_of(shape, 1u) == DD_AV1_ITX_WHT ? 0 : 4;
}

// The end of a direction.
int rounded(int v, int shift) {
    v = (v + (1 << shift >> 1)) >> shift;
#if BITS == 8
    return v;
#else
    const int limit = 1 << max(BITS + 5, 15);
    return clamp(v, -limit, limit - 1);
#endif
}

int coefficient(uint first, uint at) {
#if BITS == 8
    return int(coef_words[first + (at >> 1)] << (16u - (at & 1u) * 16u)) >> 16;
#else
    return int(coef_words[first + at]);
#endif
}

// Word of the picture of four pixels at (x, y) of a block.
uint block_word(DdAv1ItxRecord r, uint x, uint y) {
    const uint plane = r.dst & 3u, offset = params.offset[plane], stride = params.stride[min(plane, 1u)];
    return offset + ((r.dst >> 16) + y) * stride + (((r.dst & 0xfffcu) + x) >> 2) * QUAD_WORDS;
}

QUAD added(uint at, ivec4 residual) {
    return pack_quad(clamp(unpack_quad(load_quad(at)) + residual, 0, PIXEL_MAX));
}
