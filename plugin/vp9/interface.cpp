// SPDX-License-Identifier: BSD-2-Clause
//
// Recording of VP9 frames through the C interface.
#include "frame/guard.h"
#include "frame/objects.h"
#include "vp9/frame.h"

using namespace dd;

namespace {

int refused_unless(bool taken) {
    return taken ? DD_OK : DD_ERR_INVALID;
}
int in_range_or_refused(const Vp9Recorder &recorder, bool taken) {
    return taken ? DD_OK : recorder.out_of_range() ? DD_ERR_RANGE : DD_ERR_INVALID;
}

// `to`: nullptr where the plan leaves the stage to the CPU. What goes wrong sends the whole frame there.
template <typename Work>
int record(const DdVp9Recorder &recorder, Vp9Recorder *to, const Work &work) {
    const int result = to ? guarded([&] { return work(*to); }) : int{DD_ERR_INVALID};
    return result == DD_OK ? result : recorder.frame->fail(result);
}

// nullptr: the frame is another codec's.
Vp9Frame *vp9_of(DdFrame *frame) {
    return frame && frame->session->codec_id == DD_CODEC_VP9 ? static_cast<Vp9Frame *>(frame->codec.get()) : nullptr;
}

} // namespace

extern "C" {

DdVp9Recorder *dd_vp9_recorder(DdFrame *frame, unsigned index) {
    Vp9Frame *vp9 = vp9_of(frame);
    return vp9 && index < vp9->recorders.size() ? &vp9->recorders[index] : nullptr;
}

int dd_vp9_begin_block(DdVp9Recorder *recorder) {
    if (!recorder)
        return DD_ERR_INVALID;
    return record(*recorder, recorder->predictions, [](Vp9Recorder &to) {
        to.begin_block();
        return int{DD_OK};
    });
}

int dd_vp9_predict(DdVp9Recorder *recorder, const DdVp9Prediction *prediction) {
    if (!recorder || !prediction)
        return DD_ERR_INVALID;
    const Vp9Prediction p = {prediction->plane, prediction->ref,   prediction->filter, prediction->second != 0,
                             prediction->x,     prediction->y,     prediction->w,      prediction->h,
                             prediction->src_x, prediction->src_y, prediction->step_x, prediction->step_y};
    return record(*recorder, recorder->predictions, [&](Vp9Recorder &to) { return refused_unless(to.predict(p)); });
}

int dd_vp9_predict_block(DdVp9Recorder *recorder, const DdVp9Block *block) {
    if (!recorder || !block)
        return DD_ERR_INVALID;
    return record(*recorder, recorder->predictions,
                  [&](Vp9Recorder &to) { return refused_unless(to.predict_block(*block)); });
}

int dd_vp9_take_residuals(DdVp9Recorder *recorder, const DdVp9Residuals *residuals) {
    if (!recorder || !residuals)
        return DD_ERR_INVALID;
    return record(*recorder, recorder->residuals,
                  [&](Vp9Recorder &to) { return in_range_or_refused(to, to.take_residuals(*residuals)); });
}

int dd_vp9_takes_intra(const DdFrame *frame) {
    return frame && frame->takes_intra;
}

int dd_vp9_intra_block(DdVp9Recorder *recorder, const DdVp9IntraBlock *block) {
    if (!recorder || !block)
        return DD_ERR_INVALID;
    return record(*recorder, recorder->frame->takes_intra ? recorder->residuals : nullptr,
                  [&](Vp9Recorder &to) { return in_range_or_refused(to, to.intra_block(*block)); });
}

int dd_vp9_loop_filter(DdFrame *frame, const DdVp9FilterSuperblock *superblocks, unsigned sb_cols, unsigned sb_rows,
                       const uint8_t limit[64], const uint8_t mblimit[64]) {
    Vp9Frame *vp9 = vp9_of(frame);
    if (!vp9)
        return DD_ERR_INVALID;
    if (!frame->on_gpu(DD_STAGE_LF))
        return frame->fail(DD_ERR_INVALID);
    const int result = guarded(
        [&] { return refused_unless(vp9->recorded.set_loop_filter(superblocks, sb_cols, sb_rows, limit, mblimit)); });
    return result == DD_OK ? result : frame->fail(result);
}

} // extern "C"
