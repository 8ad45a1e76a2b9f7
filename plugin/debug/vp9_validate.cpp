// SPDX-License-Identifier: BSD-2-Clause
#include "debug/vp9_validate.h"

#include "debug/vp9_block_squares.h"

#include <algorithm>

namespace dd {
namespace {

struct Checker {
    const Vp9Batch &batch;

    bool in_plane(unsigned plane, std::uint32_t dst, unsigned side) const {
        if (plane >= batch.dst.format.planes)
            return false;
        const PlaneLayout &p = batch.dst.plane[plane];
        const unsigned x = dst & 0xffff, y = dst >> 16;
        return !((x | y) & 3) && x + side <= p.padded_width && y + side <= p.padded_height;
    }
    bool has_ref(unsigned slot) const { return slot < DD_MAX_REFS && batch.ref[slot].size != 0; }
    bool prediction(std::uint32_t dst, std::uint32_t ctl, unsigned side) const {
        return in_plane(ctl >> DD_MC_PLANE_SHIFT & 3, dst, side) && has_ref(ctl >> DD_MC_REF0_SHIFT & 3) &&
               (!(ctl & DD_MC_COMPOUND) || has_ref(ctl >> DD_MC_REF1_SHIFT & 3));
    }
    // Wherever a vector of 16 bits points to, the record can say it: reads are clamped.
    bool blocks(const Vp9Recorder &recorder) const {
        const bool has_halves = batch.dst.format.ss_h && batch.dst.format.ss_v && batch.dst.format.planes == 3;
        return each_block_square(recorder, [&](unsigned size_class, const DdMcRecord &r) {
            return has_halves && prediction(r.dst, r.ctl, 4u << size_class);
        });
    }
    static bool step(std::uint32_t step) {
        const unsigned x = step & 0xffff, y = step >> 16;
        return x >= 1 && x <= 32 && y >= 1 && y <= 32;
    }
    static bool near(std::int32_t position) { return position > -(1 << 25) && position < 1 << 25; }
    bool scaled(const DdScaledMcRecord &r, unsigned side) const {
        return prediction(r.dst, r.ctl, side) && step(r.step0) && step(r.step1) && near(r.src0_x) && near(r.src0_y) &&
               near(r.src1_x) && near(r.src1_y);
    }
    bool residual(const Vp9Recorder &recorder, const DdItxRecord &r, unsigned kind, unsigned corner) const {
        const std::uint64_t words = corner_words(corner, batch.dst.bytes_per_pixel());
        return in_plane(r.dst & 3, r.dst & ~3u, itx_size(kind)) &&
               (!corner || r.coefs + words <= recorder.coefs.size());
    }
    // As far as a kernel's addresses go: pixels above and to the left, and the residual.
    bool intra(const Vp9Recorder &recorder, const Vp9IntraStep &step) const {
        const auto &[dst, how, residual, residual_v] = step.record;
        const unsigned plane = dst & 3, x = dst & 0xfffc, y = dst >> 16, side = 4u << intra_size(how);
        if (plane > 1 || !in_plane(plane, dst & ~3u, side) || (how >> DD_INTRA_MODE_SHIFT & 15) >= DD_INTRA_MODES)
            return false;
        const unsigned above = ((how >> DD_INTRA_LAST_ABOVE_SHIFT & 7) + 1) * 4,
                       left = ((how >> DD_INTRA_LAST_LEFT_SHIFT & 7) + 1) * 4;
        const PlaneLayout &p = batch.dst.plane[plane];
        return x + above <= p.padded_width && y + left <= p.padded_height && (x || !(how & DD_INTRA_HAS_LEFT)) &&
               (y || !(how & DD_INTRA_HAS_ABOVE)) && step.level >= 1 && step.level <= recorder.intra.size() &&
               (!(how & DD_INTRA_HAS_RESIDUAL) || fits_residual(recorder, residual, side)) &&
               (!(how & DD_INTRA_HAS_RESIDUAL_V) || fits_residual(recorder, residual_v, side));
    }
    static bool fits_residual(const Vp9Recorder &recorder, std::uint32_t at, unsigned side) {
        return std::uint64_t{at} + side * side / 2 <= recorder.intra_words;
    }
    bool intra_residual(const Vp9Recorder &recorder, const DdIntraItxRecord &r, unsigned size) const {
        const unsigned corner = r.how & DD_INTRA_ITX_CORNER_MASK, adst = r.how & ~DD_INTRA_ITX_CORNER_MASK;
        return !(adst & ~(DD_INTRA_ITX_ADST_COLUMNS | DD_INTRA_ITX_ADST_ROWS)) && !(size == 3 && adst) && corner >= 1 &&
               corner <= size + 1 &&
               std::uint64_t{r.coefs} + corner_words(corner, batch.dst.bytes_per_pixel()) <= recorder.coefs.size() &&
               fits_residual(recorder, r.residual, 4u << size);
    }
    bool intra_streams(const Vp9Recorder &recorder) const {
        if (recorder.intra_words > batch.dst.size) // a byte of the picture is at most a pixel, and a pixel half a word
            return false;
        for (unsigned size = 0; size < DD_INTRA_SIZES; size++)
            if (!std::ranges::all_of(recorder.intra_itx[size],
                                     [&](const auto &r) { return intra_residual(recorder, r, size); }))
                return false;
        return std::ranges::all_of(recorder.intra, [&](const auto &step) { return intra(recorder, step); });
    }
    bool streams(const Vp9Recorder &recorder) const {
        if (!blocks(recorder) || !intra_streams(recorder))
            return false;
        for (unsigned c = 0; c < DD_MC_CLASSES; c++) {
            const unsigned side = 4u << c;
            if (!std::ranges::all_of(recorder.mc.of_size(c),
                                     [&](const auto &r) { return prediction(r.dst, r.ctl, side); }) ||
                !std::ranges::all_of(recorder.scaled.of_size(c), [&](const auto &r) { return scaled(r, side); }))
                return false;
        }
        for (unsigned kind = 0; kind < DD_ITX_KINDS; kind++)
            for (unsigned corner = 0; corner < DD_ITX_CORNERS; corner++) {
                const auto &stream = recorder.itx[kind][corner];
                if (!stream.empty() && (corner_size(corner) > itx_size(kind) || (kind == DD_ITX_WHT && corner != 1)))
                    return false;
                if (!std::ranges::all_of(stream, [&](const auto &r) { return residual(recorder, r, kind, corner); }))
                    return false;
            }
        return true;
    }
    // As set_loop_filter leaves it.
    bool loop_filter() const {
        const Vp9LoopFilter &lf = batch.lf;
        if (lf.superblocks.empty())
            return true;
        if (lf.superblocks.size() != std::size_t{lf.sb_cols} * lf.sb_rows)
            return false;
        Vp9Batch copy;
        copy.dst = batch.dst;
        const std::uint8_t none[DD_LF_LEVELS] = {};
        if (!copy.set_loop_filter(lf.superblocks.data(), lf.sb_cols, lf.sb_rows, none, none) ||
            copy.lf.superblocks.size() != lf.superblocks.size())
            return false;
        const auto same = [](const DdLfSuperblock &a, const DdLfSuperblock &b) {
            return std::ranges::equal(a.mask, b.mask) && std::ranges::equal(a.level, b.level);
        };
        return std::ranges::equal(copy.lf.superblocks, lf.superblocks, same) &&
               std::ranges::all_of(lf.limits, [](std::uint32_t limit) { return limit <= 0xffff; });
    }
};

} // namespace

bool is_valid(const Vp9Batch &batch) {
    const Checker checker{batch};
    if (batch.dst.size == 0 || batch.dst != make_picture_layout(batch.dst.format, 64))
        return false;
    for (const PictureLayout &ref : batch.ref)
        if (ref.size && (!ref.format.same_pixels(batch.dst.format) || ref != make_picture_layout(ref.format, 64)))
            return false;
    return std::ranges::all_of(batch.recorders, [&](const Vp9Recorder &r) { return checker.streams(r); }) &&
           checker.loop_filter();
}

} // namespace dd
