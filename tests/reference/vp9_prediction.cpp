// SPDX-License-Identifier: BSD-2-Clause
#include "debug/vp9_block_squares.h"
#include "reference/pixels.h"
#include "reference/vp9_reference.h"
#include "vp9/dispatch.h"

namespace dd::reference {
namespace {

struct Position {
    std::int32_t x, y; // 1/16 pixel
    int step_x, step_y;
};

int predicted_pixel(const Plane &ref, unsigned type, int x, int y) {
    std::int64_t column = 64;
    for (int r = 0; r < 8; r++) {
        std::int64_t row = 64;
        for (int t = 0; t < 8; t++)
            row += vp9_subpel_tap(type, x & 15, static_cast<unsigned>(t)) *
                   ref.at_clamped((x >> 4) - 3 + t, (y >> 4) - 3 + r);
        column += vp9_subpel_tap(type, y & 15, static_cast<unsigned>(r)) * ref.clip(row >> 7);
    }
    return ref.clip(column >> 7);
}

void predict(Plane &dst, const Plane &ref, unsigned type, std::uint32_t at, int side, const Position &p, bool average) {
    const int left = static_cast<int>(at & 0xffff), top = static_cast<int>(at >> 16);
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            const int pixel = predicted_pixel(ref, type, p.x + x * p.step_x, p.y + y * p.step_y);
            dst.set(left + x, top + y, average ? (dst.at(left + x, top + y) + pixel + 1) >> 1 : pixel);
        }
}

Position unscaled(std::uint32_t whole, std::uint32_t mx, std::uint32_t my) {
    const auto x = static_cast<std::int16_t>(whole & 0xffff), y = static_cast<std::int16_t>(whole >> 16);
    return {x * 16 + static_cast<int>(mx & 15), y * 16 + static_cast<int>(my & 15), 16, 16};
}

std::array<Position, 2> positions(const DdMcRecord &r) {
    return {unscaled(r.src0, r.ctl >> DD_MC_MX0_SHIFT, r.ctl >> DD_MC_MY0_SHIFT),
            unscaled(r.src1, r.ctl >> DD_MC_MX1_SHIFT, r.ctl >> DD_MC_MY1_SHIFT)};
}
std::array<Position, 2> positions(const DdScaledMcRecord &r) {
    const auto step = [](std::uint32_t packed, unsigned shift) { return static_cast<int>(packed >> shift & 0xffff); };
    return {Position{r.src0_x, r.src0_y, step(r.step0, 0), step(r.step0, 16)},
            Position{r.src1_x, r.src1_y, step(r.step1, 0), step(r.step1, 16)}};
}

template <typename Record>
void run(const Vp9Batch &batch, std::byte *dst, const Vp9References &ref, const Record &r, int side) {
    const unsigned plane = r.ctl >> DD_MC_PLANE_SHIFT & 3, type = r.ctl >> DD_MC_FILTER_SHIFT & 3;
    const unsigned slot[2] = {r.ctl >> DD_MC_REF0_SHIFT & 3, r.ctl >> DD_MC_REF1_SHIFT & 3};
    const auto position = positions(r);
    Plane to(batch.dst, plane, dst);
    for (unsigned i = 0; i < (r.ctl & DD_MC_COMPOUND ? 2u : 1u); i++)
        predict(to, Plane(batch.ref[slot[i]], plane, ref[slot[i]]), type, r.dst, side, position[i], i == 1);
}

} // namespace

void run_predictions(const Vp9Batch &batch, std::byte *dst, const Vp9References &ref) {
    for (const Vp9Recorder &recorder : batch.recorders) {
        each_block_square(recorder, [&](unsigned size_class, const DdMcRecord &r) {
            run(batch, dst, ref, r, 4 << size_class);
            return true;
        });
        for (unsigned c = 0; c < DD_MC_CLASSES; c++) {
            for (const DdMcRecord &r : recorder.mc.of_size(c))
                run(batch, dst, ref, r, 4 << c);
            for (const DdScaledMcRecord &r : recorder.scaled.of_size(c))
                run(batch, dst, ref, r, 4 << c);
        }
    }
}

} // namespace dd::reference
