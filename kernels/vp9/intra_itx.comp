// SPDX-License-Identifier: BSD-2-Clause
//
// Residuals of intra blocks: inverse DCT and ADST of 4x4 to 32x32, VP9 specification, clause 8.7. A workgroup has
// blocks of one size; a lane transforms a row, then a column.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

#include "common/records.h"
#define SIZE 32 // the largest
#include "vp9/transform.glsl"
#include "vp9/adst.glsl"

const int RESIDUAL_MAX = (1 << BITS) - 1; // more makes no difference, whatever it is added to
const uint LANES = 128u;
layout(local_size_x = LANES) in;

layout(std430, set = 0, binding = DD_BIND_RECORDS) readonly restrict buffer Records {
    DdIntraItxRecord records[];
};
#include "vp9/coefficients.glsl"
layout(std430, set = 0, binding = DD_BIND_RESIDUALS) writeonly restrict buffer Residuals {
    uint residuals[];
};
layout(push_constant) uniform Push {
    DdIntraItxPush push;
};
#include "vp9/classes.glsl"

// [block][row][column], of LANES / n blocks.
shared int values[LANES * 32u];

int[4] dct_4(int x[4]) {
    return idct4(x[0], x[1], x[2], x[3]);
}

#define ROW(N, DCT, ADST)                                                                                              \
    {                                                                                                                  \
        if (row < corner) {                                                                                            \
            int x[N];                                                                                                  \
            [[unroll]] for (uint i = 0u; i < N; i++) x[i] = i < corner ? coefficient(r.coefs, i * corner + row) : 0;   \
            if ((r.how & DD_INTRA_ITX_ADST_ROWS) != 0u)                                                                \
                x = ADST(x);                                                                                           \
            else                                                                                                       \
                x = DCT(x);                                                                                            \
            [[unroll]] for (uint i = 0u; i < N; i++) values[(block * N + row) * N + i] = x[i];                         \
        }                                                                                                              \
    }

#define COLUMN(N, DCT, ADST, SHIFT)                                                                                    \
    {                                                                                                                  \
        int x[N];                                                                                                      \
        [[unroll]] for (uint i = 0u; i < N; i++) x[i] = i < corner ? values[(block * N + i) * N + column] : 0;         \
        if ((r.how & DD_INTRA_ITX_ADST_COLUMNS) != 0u)                                                                 \
            x = ADST(x);                                                                                               \
        else                                                                                                           \
            x = DCT(x);                                                                                                \
        [[unroll]] for (uint i = 0u; i < N; i++) values[(block * N + i) * N + column] =                                \
            clamp((x[i] + (1 << (SHIFT - 1))) >> SHIFT, -RESIDUAL_MAX, RESIDUAL_MAX);                                  \
    }

void main() {
    const uint lane = gl_LocalInvocationIndex;
    const Class c = class_of(gl_WorkGroupID.x);
    const uint size = c.number, n = 4u << size, block = lane / n, row = lane % n, column = row;
    const uint index = c.first + c.group * (LANES / n) + block;
    const bool is_block = index < c.end;
    const DdIntraItxRecord r = records[min(index, c.end - 1u)];
    const uint corner = 2u << (r.how & DD_INTRA_ITX_CORNER_MASK);

    if (size == 0u)
        ROW(4, dct_4, iadst4)
    else if (size == 1u)
        ROW(8, idct8, iadst8)
    else if (size == 2u)
        ROW(16, idct16, iadst16)
    else
        ROW(32, idct32, idct32)
    barrier();
    if (size == 0u)
        COLUMN(4, dct_4, iadst4, 4)
    else if (size == 1u)
        COLUMN(8, idct8, iadst8, 5)
    else if (size == 2u)
        COLUMN(16, idct16, iadst16, 6)
    else
        COLUMN(32, idct32, idct32, 6)
    barrier();

    if (!is_block)
        return;
    const uint words = n * n / 2u;
    for (uint i = row; i < words; i += n) {
        const uint at = block * n * n + 2u * i;
        residuals[r.residual + i] = (uint(values[at]) & 0xffffu) | uint(values[at + 1u]) << 16;
    }
}
