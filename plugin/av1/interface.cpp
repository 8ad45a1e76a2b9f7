// SPDX-License-Identifier: BSD-2-Clause
//
// Recording of AV1 frames through the C interface.
#include "av1/frame.h"
#include "frame/guard.h"
#include "frame/objects.h"

#include <algorithm>

using namespace dd;

namespace {

using UnitLists = std::array<std::vector<Av1RestorationUnit>, 3>;

Av1RestorationUnit unit_of(const DdAv1RestorationUnit &from) {
    Av1RestorationUnit unit;
    unit.kind = from.kind;
    unit.set = from.set;
    std::ranges::copy(from.horizontal, unit.horizontal.begin());
    std::ranges::copy(from.vertical, unit.vertical.begin());
    std::ranges::copy(from.weight, unit.weight.begin());
    return unit;
}

void read_restoration(const DdAv1Filters &from, UnitLists &lists, Av1FilterTables &tables) {
    for (unsigned p = 0; p < 3; p++) {
        if (!from.units[p])
            continue;
        for (unsigned i = 0; i < unsigned{from.unit_cols[p]} * from.unit_rows[p]; i++)
            lists[p].push_back(unit_of(from.units[p][i]));
        tables.restoration[p] = {lists[p], from.unit_cols[p], from.unit_rows[p], from.unit_log2[p]};
    }
}

int record_filters(DdFrame &frame, Av1Frame &av1, const DdAv1Filters &from) {
    const PictureFormat &format = av1.recorded.dst.format;
    const std::size_t superblocks = std::size_t{(format.width + 127) / 128} * ((format.height + 127) / 128);
    Av1FilterTables tables;
    static_assert(sizeof(DdAv1FilterBlock) == DD_AV1_SB_WORDS * sizeof(std::uint32_t));
    const std::size_t levels = std::size_t{from.level_stride} * ((format.height + 3) / 4);
    if ((from.superblock_count && from.superblock_count < superblocks) ||
        (from.level_count && from.levels && from.level_count < levels))
        return frame.fail(DD_ERR_INVALID);
    tables.superblocks = {reinterpret_cast<const std::uint32_t *>(from.superblocks), superblocks * DD_AV1_SB_WORDS};
    if (frame.on_gpu(DD_STAGE_LF) && from.levels) {
        tables.levels = {reinterpret_cast<const std::uint32_t *>(from.levels), levels};
        tables.level_stride = from.level_stride;
        tables.deblock_luma = from.deblock_luma != 0;
        tables.deblock_chroma = from.deblock_chroma != 0;
        tables.sharpness = from.sharpness;
    }
    if (frame.on_gpu(DD_STAGE_CDEF) && from.cdef) {
        tables.cdef = true;
        tables.cdef_damping = from.cdef_damping;
        std::ranges::copy(from.cdef_luma, tables.cdef_luma.begin());
        std::ranges::copy(from.cdef_chroma, tables.cdef_chroma.begin());
    }
    UnitLists lists;
    if (frame.on_gpu(DD_STAGE_LR))
        read_restoration(from, lists, tables);
    return av1.recorded.filters.refer(av1.recorded.dst, tables) ? DD_OK : DD_ERR_INVALID;
}

int result_of(bool taken) {
    return taken ? DD_OK : DD_ERR_INVALID;
}
int result_of(Av1Recorded recorded) {
    return recorded == Av1Recorded::out_of_range ? DD_ERR_RANGE : result_of(recorded == Av1Recorded::ok);
}

// nullptr: the frame is another codec's.
Av1Frame *av1_of(DdFrame *frame) {
    return frame && frame->session->codec_id == DD_CODEC_AV1 ? static_cast<Av1Frame *>(frame->codec.get()) : nullptr;
}

// Calls `put` with the recorder of the frame's batch; it says whether the record was taken.
template <typename Put>
int record_with(DdAv1Recorder *recorder, Put &&put) {
    if (!recorder)
        return DD_ERR_INVALID;
    std::vector<Av1Recorder> &recorders = av1_of(recorder->frame)->recorded.recon.recorders;
    if (recorder->index >= recorders.size())
        return recorder->frame->fail(DD_ERR_INVALID);
    const int result = guarded([&] { return result_of(put(recorders[recorder->index])); });
    return result == DD_OK ? result : recorder->frame->fail(result);
}

// The same with something of the caller's to record, which has to be there.
template <typename Record, typename Put>
int record(DdAv1Recorder *recorder, const Record *what, Put &&put) {
    if (recorder && !what)
        return recorder->frame->fail(DD_ERR_INVALID);
    return record_with(recorder, put);
}

} // namespace

extern "C" {

DdAv1Recorder *dd_av1_recorder(DdFrame *frame, unsigned index) {
    Av1Frame *av1 = av1_of(frame);
    if (!av1)
        return nullptr;
    if (index < av1->recorders.size())
        return &av1->recorders[index];
    if (frame->on_gpu(DD_STAGE_MC))
        frame->fail(DD_ERR_INVALID);
    return nullptr;
}

int dd_av1_predict(DdAv1Recorder *recorder, const DdAv1Prediction *prediction) {
    return record(recorder, prediction, [&](Av1Recorder &to) { return to.predict(*prediction); });
}

int dd_av1_predict_block(DdAv1Recorder *recorder, const DdAv1InterBlock *block) {
    return record(recorder, block, [&](Av1Recorder &to) { return to.predict(*block); });
}

int dd_av1_overlap(DdAv1Recorder *recorder, const DdAv1Overlap *overlap) {
    return record(recorder, overlap, [&](Av1Recorder &to) { return to.overlap(*overlap); });
}

int dd_av1_difference(DdAv1Recorder *recorder, const DdAv1Difference *difference) {
    return record(recorder, difference, [&](Av1Recorder &to) { return to.difference(*difference); });
}

int dd_av1_take_residual(DdAv1Recorder *recorder, const DdAv1Residual *residual) {
    if (recorder && !recorder->frame->on_gpu(DD_STAGE_ITX))
        return DD_ERR_INVALID;
    return record(recorder, residual, [&](Av1Recorder &to) { return to.residuals.take(*residual); });
}

int dd_av1_cpu_share(DdAv1Recorder *recorder, unsigned x, unsigned y, unsigned w, unsigned h) {
    return record_with(recorder,
                       [&](Av1Recorder &) { return av1_of(recorder->frame)->sync.add(recorder->index, x, y, w, h); });
}

void dd_av1_cpu_shares_complete(DdFrame *frame) {
    if (Av1Frame *av1 = av1_of(frame))
        av1->sync.complete();
}

void dd_av1_give_back_residuals(DdFrame *frame) {
    Av1Frame *av1 = av1_of(frame);
    if (!av1)
        return;
    contained([&] {
        for (Av1Recorder &recorder : av1->recorded.recon.recorders)
            recorder.residuals.give_back();
        frame->read_by_cpu();
    });
}

int dd_av1_residuals_kept(DdAv1Recorder *recorder, unsigned count) {
    return record_with(recorder, [&](Av1Recorder &to) {
        to.residuals_kept += count;
        return true;
    });
}

void dd_av1_refuse(DdFrame *frame, DdAv1Refusal why) {
    Av1Frame *av1 = av1_of(frame);
    if (av1 && why >= DD_AV1_REFUSE_SCALED && why < DD_AV1_REFUSALS)
        av1->refuse(why);
}

int dd_av1_filters(DdFrame *frame, const DdAv1Filters *filters) {
    DdAv1Filters all;
    Av1Frame *av1 = av1_of(frame);
    if (!av1 || !take(filters, all) || !all.superblocks)
        return DD_ERR_INVALID;
    const int result = guarded([&] { return record_filters(*frame, *av1, all); });
    return result == DD_OK ? result : frame->fail(result);
}

} // extern "C"
