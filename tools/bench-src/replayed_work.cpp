// SPDX-License-Identifier: BSD-2-Clause
#include "work.h"

#include "debug/saved_batch.h"
#include "debug/vp9_block_squares.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>

namespace bench {
namespace {

using dd::PlaneLayout;

constexpr unsigned kBefore = 3, kAfter = 4; // pixels that the 8-tap filter reads beside a block
constexpr unsigned kMaxSide = 64;

PixelBuffer copy_of(const std::vector<std::byte> &pixels) {
    PixelBuffer made(pixels.size());
    std::memcpy(made.data(), pixels.data(), pixels.size());
    return made;
}

// A block of a reference with what the filter reads around it, clamped to the picture's true size.
class EdgeBlock {
  public:
    static constexpr unsigned kSide = 80; // of the copy, in pixels

    const std::byte *fill(const std::byte *plane, const PlaneLayout &layout, int x, int y, unsigned size,
                          unsigned wide) {
        const unsigned side = size + kBefore + kAfter;
        for (unsigned row = 0; row < side; row++) {
            const int from_y =
                std::clamp(y - int{kBefore} + static_cast<int>(row), 0, static_cast<int>(layout.height) - 1);
            for (unsigned column = 0; column < side; column++) {
                const int from_x =
                    std::clamp(x - int{kBefore} + static_cast<int>(column), 0, static_cast<int>(layout.width) - 1);
                std::memcpy(&pixels_[(row * kSide + column) * wide],
                            plane + static_cast<std::size_t>(from_y) * layout.stride +
                                static_cast<std::size_t>(from_x) * wide,
                            wide);
            }
        }
        return &pixels_[(kBefore * kSide + kBefore) * wide];
    }

  private:
    std::array<std::byte, kSide * kSide * 2> pixels_;
};

bool reaches_over(const PlaneLayout &layout, int x, int y, unsigned size) {
    return x < int{kBefore} || y < int{kBefore} ||
           x + static_cast<int>(size + kAfter) > static_cast<int>(layout.width) ||
           y + static_cast<int>(size + kAfter) > static_cast<int>(layout.height);
}

struct McRun {
    dd::PictureLayout dst;
    dd::Vp9References ref;
    std::array<const std::byte *, dd::DD_MAX_REFS> pixels{};
    std::vector<std::pair<unsigned, dd::DdMcRecord>> records; // side, record

    void predict(const Dsp &dsp, std::byte *picture, unsigned side, const dd::DdMcRecord &record, bool second) const {
        using namespace dd;
        const std::uint32_t ctl = record.ctl, source = second ? record.src1 : record.src0;
        const unsigned plane = ctl >> DD_MC_PLANE_SHIFT & 3,
                       slot = ctl >> (second ? DD_MC_REF1_SHIFT : DD_MC_REF0_SHIFT) & 3;
        const int mx = static_cast<int>(ctl >> (second ? DD_MC_MX1_SHIFT : DD_MC_MX0_SHIFT) & 15);
        const int my = static_cast<int>(ctl >> (second ? DD_MC_MY1_SHIFT : DD_MC_MY0_SHIFT) & 15);
        const int x = static_cast<std::int16_t>(source & 0xffff), y = static_cast<std::int16_t>(source >> 16);
        const PlaneLayout &to = dst.plane[plane], &from = ref[slot].plane[plane];
        const unsigned wide = dst.bytes_per_pixel();
        const std::byte *start = pixels[slot] + from.offset;
        EdgeBlock edge;
        const bool over = reaches_over(from, x, y, side);
        const std::byte *block = over ? edge.fill(start, from, x, y, side, wide)
                                      : start + static_cast<std::ptrdiff_t>(y) * from.stride +
                                            static_cast<std::ptrdiff_t>(x) * static_cast<std::ptrdiff_t>(wide);
        std::byte *at =
            picture + to.offset + (record.dst >> 16) * std::size_t{to.stride} + (record.dst & 0xffff) * wide;
        ffmpeg_vp9_mc(dsp.vp9(), side, ctl >> DD_MC_FILTER_SHIFT & 3, second, reinterpret_cast<std::uint8_t *>(at),
                      to.stride, reinterpret_cast<const std::uint8_t *>(block),
                      over ? EdgeBlock::kSide * wide : from.stride, mx, my);
    }

    void operator()(const Dsp &dsp, std::byte *picture) const {
        for (const auto &[side, record] : records) {
            predict(dsp, picture, side, record, false);
            if (record.ctl & dd::DD_MC_COMPOUND)
                predict(dsp, picture, side, record, true);
        }
    }
};

dd::Vp9Batch &vp9(Work &work) {
    return std::get<dd::Vp9Batch>(work.batch);
}

const dd::Vp9Batch &vp9(const dd::SavedBatch &saved) {
    return std::get<dd::Vp9Batch>(saved.batch);
}

Work start_work(const std::string &name, Phase phase, const dd::SavedBatch &saved) {
    const dd::Vp9Batch &batch = vp9(saved);
    Work work;
    work.name = name;
    work.phase = phase;
    work.batch.emplace<dd::Vp9Batch>().reset(batch.dst, batch.ref, 1);
    work.before = copy_of(saved.dst);
    for (unsigned slot = 0; slot < dd::DD_MAX_REFS; slot++)
        if (batch.ref[slot].size)
            work.reference[slot] = copy_of(saved.ref[slot]);
    return work;
}

template <typename Bins>
void append_bins(Bins &to, const Bins &from) {
    for (unsigned pairing = 0; pairing < Bins::kPairings; pairing++) {
        to.use(pairing);
        for (unsigned bin = Bins::bin_of(pairing, 0, 0); bin < Bins::bin_of(pairing + 1, 0, 0); bin++)
            std::ranges::copy(from[bin], to[bin].extend(from[bin].size()));
    }
}

Work mc_work(const dd::SavedBatch &saved) {
    Work work = start_work("replayed-mc", Phase::recon, saved);
    McRun run{vp9(saved).dst, vp9(saved).ref, {}, {}};
    for (unsigned slot = 0; slot < dd::DD_MAX_REFS; slot++)
        run.pixels[slot] = work.reference[slot].data();
    dd::Vp9Recorder &target = vp9(work).recorders[0];
    const auto add = [&](unsigned size_class, const dd::DdMcRecord &record) {
        const unsigned side = 4u << size_class;
        run.records.emplace_back(side, record);
        work.pixels += double{1} * side * side;
        return true;
    };
    for (const dd::Vp9Recorder &recorder : vp9(saved).recorders) {
        append_bins(target.blocks, recorder.blocks);
        append_bins(target.pair_blocks, recorder.pair_blocks);
        append_bins(target.mc, recorder.mc);
        dd::each_block_square(recorder, add);
        for (unsigned size_class = 0; size_class < dd::DD_MC_CLASSES; size_class++)
            for (const dd::DdMcRecord &record : recorder.mc.of_size(size_class))
                add(size_class, record);
    }
    work.blocks = static_cast<double>(run.records.size());
    work.run = std::move(run);
    return work;
}

// The largest eob that falls into a corner class.
unsigned largest_eob(unsigned kind, unsigned corner) {
    unsigned eob = dd::itx_size(kind) * dd::itx_size(kind);
    while (eob > 1 && dd::itx_corner(kind, eob) != corner)
        eob--;
    return eob;
}

struct Transform {
    unsigned kind, eob, plane, x, y;
    std::size_t coefs; // byte offset of the whole block
};

struct ItxRun {
    dd::PictureLayout dst;
    std::vector<Transform> transforms;
    std::shared_ptr<PixelBuffer> coefs, pristine;

    void operator()(const Dsp &dsp, std::byte *picture) const {
        const unsigned wide = dst.bytes_per_pixel();
        for (const Transform &t : transforms) {
            const PlaneLayout &plane = dst.plane[t.plane];
            std::byte *at = picture + plane.offset + t.y * std::size_t{plane.stride} + t.x * wide;
            ffmpeg_vp9_itx(dsp.vp9(), t.kind, reinterpret_cast<std::uint8_t *>(at), plane.stride,
                           reinterpret_cast<std::int16_t *>(coefs->data() + t.coefs), static_cast<int>(t.eob));
        }
    }
};

// The whole block, out of the corner that was kept of it.
void expand(std::byte *block, unsigned kind, unsigned corner, const dd::DdItxRecord &record,
            std::span<const std::uint32_t> words, unsigned coef_bytes) {
    const unsigned size = dd::itx_size(kind), kept = dd::corner_size(corner);
    std::memset(block, 0, std::size_t{size} * size * coef_bytes);
    if (corner == 0) {
        std::memcpy(block, &record.coefs, coef_bytes); // little endian
        return;
    }
    const auto *from = reinterpret_cast<const std::byte *>(&words[record.coefs]);
    for (unsigned column = 0; column < kept; column++)
        std::memcpy(block + std::size_t{column} * size * coef_bytes, from + std::size_t{column} * kept * coef_bytes,
                    std::size_t{kept} * coef_bytes);
}

Work itx_work(const dd::SavedBatch &saved) {
    Work work = start_work("replayed-itx", Phase::recon, saved);
    ItxRun run{vp9(saved).dst, {}, {}, {}};
    const unsigned coef_bytes = 2 * vp9(saved).dst.bytes_per_pixel();
    std::vector<std::byte> coefs;
    dd::Vp9Recorder &target = vp9(work).recorders[0];
    for (const dd::Vp9Recorder &recorder : vp9(saved).recorders) {
        const auto first_word = static_cast<std::uint32_t>(target.coefs.size());
        std::ranges::copy(recorder.coefs, target.coefs.extend(recorder.coefs.size()));
        for (unsigned kind = 0; kind < dd::DD_ITX_KINDS; kind++)
            for (unsigned corner = 0; corner < dd::DD_ITX_CORNERS; corner++)
                for (const dd::DdItxRecord &record : recorder.itx[kind][corner]) {
                    const unsigned size = dd::itx_size(kind);
                    const std::size_t at = (coefs.size() + 63) / 64 * 64; // as SIMD code wants it
                    coefs.resize(at + std::size_t{size} * size * coef_bytes);
                    expand(&coefs[at], kind, corner, record, recorder.coefs, coef_bytes);
                    run.transforms.push_back(
                        {kind, largest_eob(kind, corner), record.dst & 3, record.dst & 0xfffc, record.dst >> 16, at});
                    dd::DdItxRecord moved = record;
                    if (corner)
                        moved.coefs += first_word;
                    target.itx[kind][corner].push_back(moved);
                    work.pixels += double{1} * size * size;
                }
    }
    work.blocks = static_cast<double>(run.transforms.size());
    run.coefs = std::make_shared<PixelBuffer>(copy_of(coefs));
    run.pristine = std::make_shared<PixelBuffer>(copy_of(coefs));
    work.prepare = [to = run.coefs, from = run.pristine] { std::memcpy(to->data(), from->data(), from->size()); };
    work.run = std::move(run);
    return work;
}

Work lf_work(const dd::SavedBatch &saved) {
    Work work = start_work("replayed-lf", Phase::filter, saved);
    vp9(work).lf = vp9(saved).lf;
    dd::RecordList<dd::DdLfSuperblock> superblocks = vp9(saved).lf.superblocks;
    // The batch has no edges on the picture's upper border. FFmpeg's function leaves them out itself, but walks along
    // a row only as far as that mask has bits.
    for (unsigned column = 0; column < vp9(saved).lf.sb_cols; column++)
        for (unsigned kind = 0; kind < 2; kind++)
            superblocks[column].mask[(kind * 2 + 1) * 8] |= 0x00ff0000;
    std::array<std::uint8_t, dd::DD_LF_LEVELS> limit{}, edge{};
    for (unsigned level = 0; level < dd::DD_LF_LEVELS; level++) {
        limit[level] = static_cast<std::uint8_t>(vp9(saved).lf.limits[level]);
        edge[level] = static_cast<std::uint8_t>(vp9(saved).lf.limits[level] >> 8);
    }
    for (const PlaneLayout &plane : vp9(saved).dst.plane)
        work.pixels += double{1} * plane.width * plane.height;
    work.blocks = static_cast<double>(superblocks.size());
    work.run = [=, layout = vp9(saved).dst, cols = vp9(saved).lf.sb_cols,
                rows = vp9(saved).lf.sb_rows](const Dsp &dsp, std::byte *picture) {
        std::array<std::uint8_t *, 3> planes{};
        std::array<std::ptrdiff_t, 3> strides{};
        for (unsigned p = 0; p < 3; p++) {
            planes[p] = reinterpret_cast<std::uint8_t *>(picture + layout.plane[p].offset);
            strides[p] = layout.plane[p].stride;
        }
        ffmpeg_vp9_loop_filter(dsp.vp9(), planes.data(), strides.data(), layout.format.ss_h, layout.format.ss_v,
                               superblocks.data(), cols, rows, limit.data(), edge.data());
    };
    return work;
}

} // namespace

std::vector<Work> replayed_work(const std::string &path) {
    dd::SavedBatch saved;
    if (const std::string problem = dd::load_batch(path, saved); !problem.empty())
        throw std::runtime_error(path + ": " + problem);
    if (!std::holds_alternative<dd::Vp9Batch>(saved.batch))
        throw std::runtime_error(path + ": only the stages of VP9 batches can be run on their own");
    std::vector<Work> works;
    if (Work mc = mc_work(saved); mc.blocks > 0)
        works.push_back(std::move(mc));
    if (Work itx = itx_work(saved); itx.blocks > 0)
        works.push_back(std::move(itx));
    if (!vp9(saved).lf.superblocks.empty())
        works.push_back(lf_work(saved));
    return works;
}

} // namespace bench
