// SPDX-License-Identifier: BSD-2-Clause
//
// Sessions and frames of VP9.
#pragma once
#include "frame/codec.h"
#include "frame/record_pool.h"
#include "vp9/batch.h"

// Says once for all blocks that a frame, its batch's recorder and the stage are there.
struct DdVp9Recorder {
    DdFrame *frame;
    dd::Vp9Recorder *predictions, *residuals; // nullptr: the plan doesn't give the stage to the GPU
};

namespace dd {

class Vp9Codec final : public Codec {
  public:
    Vp9Codec();
    std::unique_ptr<CodecFrame> make_frame(DdFrame &frame) override;
    void add_stages(const DdFrameInfo &info, FrameFacts &facts) const override;
    std::vector<unsigned> kernels(const PictureFormat &format, const Gpu &gpu) const override;

    RecordPool<Vp9Batch> batches;
};

class Vp9Frame final : public CodecFrame {
  public:
    Vp9Frame(Vp9Codec &codec, DdFrame &frame) : codec_(codec), frame_(frame) {}
    void begin(const DdFrameInfo &info) override;
    unsigned used_refs() const override;
    unsigned awaited_refs(unsigned slots) const override { return slots & used_refs(); }
    void plan(unsigned phases, std::array<PhaseWork, 2> &work) override;
    GpuStatus write(const PlannedPhases &planned, GpuJobInput &input) override;
    void release_records() override;
    void count(FrameRecord &record) const override;
    std::variant<const Vp9Batch *, const Av1Batch *> batch() const override { return &recorded; }

    Vp9Batch recorded; // of the codec's pool while it `has_records_`
    std::vector<DdVp9Recorder> recorders;

  private:
    Vp9References reference_layouts() const;
    void count_records();

    Vp9Codec &codec_;
    DdFrame &frame_;
    bool has_records_ = false;
    std::uint32_t lease_ = 0; // as the pool knows it
    Vp9Counts counts_;
};

} // namespace dd
