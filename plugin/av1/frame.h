// SPDX-License-Identifier: BSD-2-Clause
//
// Sessions and frames of AV1.
#pragma once
#include "av1/batch.h"
#include "av1/tile_sync.h"
#include "frame/codec.h"
#include "frame/record_pool.h"

#include <optional>
#include <vector>

struct DdAv1Recorder {
    DdFrame *frame;
    unsigned index;
};

namespace dd {

class Av1Codec final : public Codec {
  public:
    Av1Codec();
    std::unique_ptr<CodecFrame> make_frame(DdFrame &frame) override;
    void add_stages(const DdFrameInfo &info, FrameFacts &facts) const override;
    std::vector<unsigned> kernels(const PictureFormat &format, const Gpu &gpu) const override;

    RecordPool<Av1Recon> recons;
};

class Av1Frame final : public CodecFrame {
  public:
    Av1Frame(Av1Codec &codec, DdFrame &frame) : codec_(codec), frame_(frame) {}
    void begin(const DdFrameInfo &info) override;
    unsigned used_refs() const override { return recorded.recon.used_refs(); }
    void plan(unsigned phases, std::array<PhaseWork, 2> &work) override;
    GpuStatus write(const PlannedPhases &planned, GpuJobInput &input) override;
    void submitted(const PlannedPhases &planned) override;
    void finished() override { release_records(); }
    bool filters_left() const override;
    void release_records() override;
    void count(FrameRecord &record) const override;
    std::variant<const Vp9Batch *, const Av1Batch *> batch() const override { return &recorded; }

    // The recon phase goes to the CPU.
    void refuse(DdAv1Refusal why);

    Av1Batch recorded; // its recon phase is of the codec's pool while the frame `has_records_`
    Av1TileSync sync;
    std::vector<DdAv1Recorder> recorders; // none where the recon phase is the CPU's

  private:
    void begin_recon(const DdFrameInfo &info);
    void begin_without_pixels(const DdFrameInfo &info);
    bool syncs_tiles_alone() const;
    bool any_filter_on_gpu() const;
    Av1References readable_references(const DdFrameInfo &info) const;
    bool plan_recon(PhaseWork &work);
    void plan_sync(unsigned phases, std::array<PhaseWork, 2> &work);
    GpuStatus prepare_scratch();

    Av1Codec &codec_;
    DdFrame &frame_;
    bool has_records_ = false;
    std::uint32_t lease_ = 0; // as the pool knows it
    Av1ReconCounts counts_;
    std::optional<DdAv1Refusal> refusal_;
    bool in_tiles_ = false; // the CPU's copy of the picture is as new as the GPU's in the tiles of `sync` alone
    std::array<std::unique_ptr<GpuPicture>, 2> scratch_; // of the filters
    PictureLayout scratch_layout_;
};

} // namespace dd
