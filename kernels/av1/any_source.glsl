// SPDX-License-Identifier: BSD-2-Clause
//
// A source of either kind. x, y: the cell inside the record.
void predict_any(DdAv1RecordSource source, DdAv1RecordWarp w, Source s, uint x, uint y, out vec4 sum[4]) {
    if ((source.how & DD_AV1_WARPED) != 0u) {
        const int cell_x = int(x + ((source.how >> DD_AV1_CELL_X_SHIFT) & 1u) * 4u);
        const int cell_y = int(y + ((source.how >> DD_AV1_CELL_Y_SHIFT) & 1u) * 4u);
        warp(source, w, s, low_half(source.at), high_half(source.at), cell_x, cell_y, sum);
    } else {
        translate(ref_of(source), pushed_rows(), source, s, low_half(source.at) + int(x), high_half(source.at) + int(y), sum);
    }
}
