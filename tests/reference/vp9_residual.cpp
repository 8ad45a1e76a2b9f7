// SPDX-License-Identifier: BSD-2-Clause
#include "reference/pixels.h"
#include "reference/vp9_reference.h"
#include "vp9/transform.h"

namespace dd::reference {
namespace {

// The corner's coefficients as rows of a whole block.
void unpack(const Vp9Recorder &recorder, const DdItxRecord &r, unsigned n, unsigned corner, unsigned bytes_per_pixel,
            std::array<std::int64_t, 32 * 32> &x) {
    if (corner == 0) {
        x[0] = static_cast<std::int32_t>(r.coefs);
        return;
    }
    const unsigned side = corner_size(corner);
    const std::uint32_t *words = recorder.coefs.data() + r.coefs;
    for (unsigned at = 0; at < side * side; at++) {
        const std::uint32_t word = bytes_per_pixel == 1 ? words[at / 2] >> (at % 2 * 16) : words[at];
        const auto value = bytes_per_pixel == 1 ? static_cast<std::int16_t>(word) : static_cast<std::int32_t>(word);
        x[(at % side) * n + at / side] = value;
    }
}

void add(const Vp9Batch &batch, std::byte *dst, const Vp9Recorder &recorder, const DdItxRecord &r, unsigned kind,
         unsigned corner) {
    const unsigned n = itx_size(kind);
    std::array<std::int64_t, 32 * 32> x{};
    unpack(recorder, r, n, corner, batch.dst.bytes_per_pixel(), x);
    Vp9Transform transform;
    vp9_inverse_rows(transform, {x.data(), std::size_t{n} * n}, n, n, kind == DD_ITX_WHT);
    vp9_inverse_columns(transform, {x.data(), std::size_t{n} * n}, n, kind == DD_ITX_WHT);
    const int shift = kind == DD_ITX_WHT ? 0 : std::min(4 + static_cast<int>(kind), 6);
    Plane plane(batch.dst, r.dst & 3, dst);
    const int left = static_cast<int>(r.dst & 0xfffc), top = static_cast<int>(r.dst >> 16);
    for (int row = 0; row < static_cast<int>(n); row++)
        for (int column = 0; column < static_cast<int>(n); column++) {
            const std::int64_t value = x[static_cast<unsigned>(row) * n + static_cast<unsigned>(column)];
            const std::int64_t residual = shift ? (value + (1 << (shift - 1))) >> shift : value;
            plane.set(left + column, top + row, plane.clip(plane.at(left + column, top + row) + residual));
        }
}

} // namespace

void run_residuals(const Vp9Batch &batch, std::byte *dst) {
    for (const Vp9Recorder &recorder : batch.recorders)
        for (unsigned kind = 0; kind < DD_ITX_KINDS; kind++)
            for (unsigned corner = 0; corner < DD_ITX_CORNERS; corner++)
                for (const DdItxRecord &r : recorder.itx[kind][corner])
                    add(batch, dst, recorder, r, kind, corner);
}

} // namespace dd::reference
