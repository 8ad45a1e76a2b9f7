// SPDX-License-Identifier: BSD-2-Clause
//
// VP9's part of a saved batch:
//   picture being decoded, 3 references: 6 words of format (width 0: no such reference)
//   recorders; of each: 12 + 36 + 5 + 5 + 25 lengths and streams in the order of Vp9Recorder (blocks by
//   references and size), then the
//   coefficients; intra blocks, 4 streams of their transforms, words of their residuals
//   loop filter: columns, rows, superblocks, limits
//   pixels of the picture and of the references, as make_picture_layout lays them out
#include "daedalus/daedalus.h"
#include "debug/saved_batch_streams.h"
#include "debug/vp9_validate.h"

#include <algorithm>

namespace dd::ddb {
namespace {

template <typename Bins, typename Blocks>
void each_bin(Bins &bins, Blocks blocks) {
    for (unsigned pairing = 0; pairing < Bins::kPairings; pairing++)
        for (unsigned c = 0; c < Bins::kClasses; c++)
            blocks(bins, pairing, c);
}

// The order of a recorder's streams in the file, for both directions. `blocks` takes those of references and a size
// class, `squares` those of a size class.
template <typename Recorder, typename Blocks, typename Squares, typename Visit>
void each_stream(Recorder &recorder, Blocks blocks, Squares squares, Visit visit) {
    each_bin(recorder.blocks, blocks);
    each_bin(recorder.pair_blocks, blocks);
    for (unsigned c = 0; c < DD_MC_CLASSES; c++)
        squares(recorder.mc, c);
    for (unsigned c = 0; c < DD_MC_CLASSES; c++)
        squares(recorder.scaled, c);
    for (auto &kind : recorder.itx)
        for (auto &stream : kind)
            visit(stream);
    visit(recorder.coefs);
    visit(recorder.intra);
    for (auto &stream : recorder.intra_itx)
        visit(stream);
}

template <typename Bins>
void read_blocks(Reader &in, Bins &to, unsigned pairing, unsigned size_class) {
    std::vector<typename Bins::Record> all;
    in.stream(all);
    if (!all.empty())
        to.use(pairing);
    for (const auto &record : all)
        to[Bins::bin_of(pairing, size_class, vp9_filters(record))].push_back(record);
}

// Into their bins, which have to exist.
template <typename Squares>
void read_squares(Reader &in, Squares &to, unsigned size_class) {
    std::vector<typename Squares::Record> all;
    in.stream(all);
    for (const auto &record : all) {
        if ((record.ctl >> DD_MC_REF0_SHIFT & 3) >= DD_MAX_REFS || (record.ctl >> DD_MC_REF1_SHIFT & 3) >= DD_MAX_REFS)
            return in.refuse();
        to.put(size_class, record);
    }
}

} // namespace

void write(Writer &out, const BatchView &view, const Vp9Batch &batch) {
    out.format(batch.dst);
    // The filter alone needs neither records of blocks nor references; some of those may not be at hand any more.
    const bool recon = view.phases & DD_PHASE_RECON;
    const auto reference = [&](unsigned slot) { return recon ? view.ref[slot] : nullptr; };
    for (unsigned slot = 0; slot < DD_MAX_REFS; slot++)
        out.format(reference(slot) ? batch.ref[slot] : PictureLayout{});
    const std::span recorders(batch.recorders.data(), recon ? batch.recorders.size() : 0);
    out.word(static_cast<std::uint32_t>(recorders.size()));
    for (const Vp9Recorder &recorder : recorders) {
        each_stream(
            recorder, [&](const auto &blocks, unsigned pairing, unsigned c) { out.stream(blocks.of(pairing, c)); },
            [&](const auto &squares, unsigned c) { out.stream(squares.of_size(c)); },
            [&](const auto &stream) { out.stream(stream); });
        out.word(recorder.intra_words);
    }
    out.word(batch.lf.sb_cols);
    out.word(batch.lf.sb_rows);
    out.stream(batch.lf.superblocks);
    out.bytes(batch.lf.limits.data(), sizeof(batch.lf.limits));
    out.bytes(view.dst, batch.dst.size);
    for (unsigned slot = 0; slot < DD_MAX_REFS; slot++)
        if (reference(slot))
            out.bytes(reference(slot), batch.ref[slot].size);
}

void read(Reader &in, SavedBatch &saved, Vp9Batch &batch) {
    batch.dst = in.format(64);
    for (PictureLayout &ref : batch.ref)
        ref = in.format(64);
    const std::uint32_t recorders = in.word();
    if (!in.good() || recorders > kMostRecorders)
        return in.refuse();
    batch.recorders.resize(recorders);
    for (Vp9Recorder &recorder : batch.recorders) {
        each_stream(
            recorder, [&](auto &blocks, unsigned pairing, unsigned c) { read_blocks(in, blocks, pairing, c); },
            [&](auto &squares, unsigned c) { read_squares(in, squares, c); }, [&](auto &stream) { in.stream(stream); });
        recorder.intra_words = in.word();
        for (const Vp9IntraStep &step : recorder.intra) {
            std::uint32_t &most = recorder.intra_levels[step.record.dst & 1];
            most = std::max(most, step.level);
        }
    }
    batch.lf.sb_cols = in.word();
    batch.lf.sb_rows = in.word();
    in.stream(batch.lf.superblocks);
    in.bytes(batch.lf.limits.data(), sizeof(batch.lf.limits));
    in.pixels(batch.dst, saved.dst);
    for (unsigned slot = 0; slot < DD_MAX_REFS; slot++)
        in.pixels(batch.ref[slot], saved.ref[slot]);
    if (in.good() && !is_valid(batch))
        in.refuse();
}

} // namespace dd::ddb
