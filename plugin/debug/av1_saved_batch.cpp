// SPDX-License-Identifier: BSD-2-Clause
//
// AV1's part of a saved batch:
//   picture being decoded: 6 words of format, which its references share
//   7 slots: the first one with the same picture, ~0: none; a bit mask of the slots whose pixels follow
//   recorders; of each: lengths and streams in the order of each_stream, then shape and stream of each bin of
//   residuals
//   filters: what they were set from (Av1FilterTables); all empty where the batch has none
//   pixels of the picture and of the references, as make_picture_layout lays them out
#include "daedalus/daedalus.h"
#include "debug/av1_filter_tables.h"
#include "debug/av1_validate.h"
#include "debug/saved_batch_streams.h"

#include <algorithm>

namespace dd::ddb {
namespace {

constexpr std::uint32_t kNoPicture = ~0u;

template <typename Recorder, typename Visit>
void each_stream(Recorder &recorder, Visit visit) {
    const auto all = [&](auto &kernel) {
        for (auto &group : kernel)
            for (auto &stream : group)
                visit(stream);
    };
    all(recorder.mc);
    all(recorder.blocks);
    all(recorder.pairs);
    all(recorder.pair_blocks);
    all(recorder.overlaps);
    all(recorder.warps);
    all(recorder.differences);
    visit(recorder.masks);
    visit(recorder.residuals.coefs);
}

void write_recorder(Writer &out, const Av1Recorder &recorder) {
    each_stream(recorder, [&](const auto &stream) { out.stream(stream); });
    out.word(static_cast<std::uint32_t>(recorder.residuals.bins.size()));
    for (const Av1ItxBin &bin : recorder.residuals.bins) {
        out.word(bin.shape);
        out.stream(bin.records);
    }
}

void read_recorder(Reader &in, Av1Recorder &recorder) {
    each_stream(recorder, [&](auto &stream) { in.stream(stream); });
    const std::uint32_t bins = in.word();
    for (std::uint32_t i = 0; i < bins && in.good(); i++) {
        Av1ItxBin &bin = recorder.residuals.bins.emplace_back();
        bin.shape = in.word();
        in.stream(bin.records);
    }
}

void write_filters(Writer &out, const Av1FilterTables &t) {
    for (const std::uint32_t value : {t.level_stride, std::uint32_t{t.deblock_luma}, std::uint32_t{t.deblock_chroma},
                                      t.sharpness, std::uint32_t{t.cdef}, t.cdef_damping})
        out.word(value);
    out.bytes(t.cdef_luma.data(), t.cdef_luma.size());
    out.bytes(t.cdef_chroma.data(), t.cdef_chroma.size());
    out.stream(t.superblocks);
    out.stream(t.levels);
    for (const Av1PlaneUnits &plane : t.restoration) {
        for (const std::uint32_t value : {plane.cols, plane.rows, plane.log2})
            out.word(value);
        out.stream(plane.units);
    }
}

bool flag(Reader &in) {
    const std::uint32_t value = in.word();
    if (value > 1)
        in.refuse();
    return value != 0;
}

void read_filters(Reader &in, Av1Batch &batch) {
    std::vector<std::uint32_t> superblocks, levels;
    std::array<std::vector<Av1RestorationUnit>, 3> units;
    Av1FilterTables t;
    t.level_stride = in.word();
    t.deblock_luma = flag(in);
    t.deblock_chroma = flag(in);
    t.sharpness = in.word();
    t.cdef = flag(in);
    t.cdef_damping = in.word();
    in.bytes(t.cdef_luma.data(), t.cdef_luma.size());
    in.bytes(t.cdef_chroma.data(), t.cdef_chroma.size());
    in.stream(superblocks);
    in.stream(levels);
    t.superblocks = superblocks;
    t.levels = levels;
    for (unsigned p = 0; p < 3; p++) {
        Av1PlaneUnits &plane = t.restoration[p];
        for (unsigned *value : {&plane.cols, &plane.rows, &plane.log2})
            *value = in.word();
        in.stream(units[p]);
        plane.units = units[p];
    }
    if (!in.good() || superblocks.empty()) // no filters
        return;
    if (!are_valid(t, batch.dst) || !batch.filters.set(batch.dst, t))
        in.refuse();
}

void write_references(Writer &out, const Av1References &references) {
    for (unsigned slot = 0; slot < kAv1Refs; slot++)
        out.word(references.has(slot) ? references.bound_slot(slot) : kNoPicture);
}

Av1References read_references(Reader &in) {
    std::array<std::uint32_t, kAv1Refs> first{};
    std::array<const void *, kAv1Refs> pictures{};
    for (std::uint32_t slot = 0; slot < kAv1Refs; slot++) {
        first[slot] = in.word();
        if (first[slot] == kNoPicture)
            continue;
        if (first[slot] > slot || first[first[slot]] != first[slot]) {
            in.refuse();
            break;
        }
        pictures[slot] = &first[first[slot]];
    }
    Av1References references;
    references.set(pictures);
    return references;
}

} // namespace

void write(Writer &out, const BatchView &view, const Av1Batch &batch) {
    const bool recon = view.phases & DD_PHASE_RECON;
    out.format(batch.dst);
    write_references(out, batch.recon.references);
    std::uint32_t present = 0;
    for (unsigned slot = 0; recon && slot < kAv1Refs; slot++)
        present |= view.ref[slot] ? 1u << slot : 0;
    out.word(present);
    const std::span recorders(batch.recon.recorders.data(), recon ? batch.recon.recorders.size() : 0);
    out.word(static_cast<std::uint32_t>(recorders.size()));
    for (const Av1Recorder &recorder : recorders)
        write_recorder(out, recorder);
    const bool filter = (view.phases & DD_PHASE_FILTER) && batch.filters.any();
    write_filters(out, filter ? Av1TablesOf(batch.filters).tables() : Av1FilterTables{});
    out.bytes(view.dst, batch.dst.size);
    for (unsigned slot = 0; slot < kAv1Refs; slot++)
        if (present >> slot & 1)
            out.bytes(view.ref[slot], batch.dst.size);
}

void read(Reader &in, SavedBatch &saved, Av1Batch &batch) {
    batch.dst = in.format(128);
    const Av1References references = read_references(in);
    const std::uint32_t present = in.word(), recorders = in.word();
    if (!in.good() || !batch.dst.size || present >> kAv1Refs || recorders > kMostRecorders)
        return in.refuse();
    batch.recon.reset(batch.dst, references, recorders);
    for (Av1Recorder &recorder : batch.recon.recorders)
        read_recorder(in, recorder);
    read_filters(in, batch);
    in.pixels(batch.dst, saved.dst);
    for (unsigned slot = 0; slot < kAv1Refs; slot++)
        if (present >> slot & 1)
            in.pixels(batch.dst, saved.ref[slot]);
    if (in.good() && !is_valid(batch.recon, batch.dst, present))
        in.refuse();
}

} // namespace dd::ddb
