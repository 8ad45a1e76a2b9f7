// SPDX-License-Identifier: BSD-2-Clause
//
// Recording of VP9 frames through the C interface.
#include "session/guard.h"
#include "session/objects.h"

using namespace dd;

extern "C" {

DdVp9Recorder *dd_vp9_recorder(DdFrame *frame, unsigned index) {
    return frame && index < frame->vp9_recorders.size() ? &frame->vp9_recorders[index] : nullptr;
}

int dd_vp9_begin_block(DdVp9Recorder *recorder) {
    if (!recorder)
        return DD_ERR_INVALID;
    if (!recorder->predictions)
        return recorder->frame->fail(DD_ERR_INVALID);
    recorder->predictions->begin_block();
    return DD_OK;
}

int dd_vp9_predict(DdVp9Recorder *recorder, const DdVp9Prediction *prediction) {
    if (!recorder || !prediction)
        return DD_ERR_INVALID;
    if (!recorder->predictions)
        return recorder->frame->fail(DD_ERR_INVALID);
    const Vp9Prediction p = {prediction->plane, prediction->ref,   prediction->filter, prediction->second != 0,
                             prediction->x,     prediction->y,     prediction->w,      prediction->h,
                             prediction->src_x, prediction->src_y, prediction->step_x, prediction->step_y};
    const int result = guarded([&] { return recorder->predictions->predict(p) ? int{DD_OK} : int{DD_ERR_INVALID}; });
    return result == DD_OK ? result : recorder->frame->fail(result);
}

int dd_vp9_predict_block(DdVp9Recorder *recorder, const DdVp9Block *block) {
    if (!recorder || !block)
        return DD_ERR_INVALID;
    if (!recorder->predictions)
        return recorder->frame->fail(DD_ERR_INVALID);
    const int result =
        guarded([&] { return recorder->predictions->predict_block(*block) ? int{DD_OK} : int{DD_ERR_INVALID}; });
    return result == DD_OK ? result : recorder->frame->fail(result);
}

int dd_vp9_take_residuals(DdVp9Recorder *recorder, const DdVp9Residuals *residuals) {
    if (!recorder || !residuals)
        return DD_ERR_INVALID;
    Vp9Recorder *to = recorder->residuals;
    if (!to)
        return recorder->frame->fail(DD_ERR_INVALID);
    const int result = guarded([&] {
        if (to->take_residuals(*residuals))
            return int{DD_OK};
        return int{to->out_of_range() ? DD_ERR_RANGE : DD_ERR_INVALID};
    });
    return result == DD_OK ? result : recorder->frame->fail(result);
}

int dd_vp9_loop_filter(DdFrame *frame, const void *superblocks, unsigned sb_cols, unsigned sb_rows,
                       const uint8_t *limit, const uint8_t *mblimit) {
    if (!frame)
        return DD_ERR_INVALID;
    if (!frame->on_gpu(DD_STAGE_LF))
        return frame->fail(DD_ERR_INVALID);
    const int result = guarded([&] {
        return frame->batch.set_loop_filter(superblocks, sb_cols, sb_rows, limit, mblimit) ? int{DD_OK}
                                                                                           : int{DD_ERR_INVALID};
    });
    return result == DD_OK ? result : frame->fail(result);
}

} // extern "C"
