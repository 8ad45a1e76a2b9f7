// SPDX-License-Identifier: BSD-2-Clause
//
// The interface between frames and codecs: vp9/frame.cpp and av1/frame.cpp implement it, and nothing else of theirs
// is known here.
#pragma once
#include "batch/dispatch.h"
#include "daedalus/daedalus.h"
#include "frame/statistics.h"
#include "scheduler/scheduler.h"
#include "vulkan/gpu.h"

#include <array>
#include <memory>
#include <variant>
#include <vector>

namespace dd {

struct Av1Batch;
struct Vp9Batch;

// By phase (kRecon, kFilter); nullptr: not in this submit.
using PlannedPhases = std::array<const PhaseWork *, 2>;

// What a codec keeps of one frame, reused by later frames of the session. One thread at a time calls these functions.
class CodecFrame {
  public:
    virtual ~CodecFrame() = default;
    // Fits the frame's plan to what the frame has. Where the GPU keeps a stage, recorders are ready afterwards.
    virtual void begin(const DdFrameInfo &info) = 0;
    // Bit s: recorded predictions read reference s.
    virtual unsigned used_refs() const = 0;
    // Of these references, those that the frame has to wait for.
    virtual unsigned awaited_refs(unsigned slots) const { return slots; }
    // Fills the empty `work` of the phases (DD_PHASE_*). May leave the recon phase to the CPU instead.
    virtual void plan(unsigned phases, std::array<PhaseWork, 2> &work) = 0;
    // After GpuJob::begin(): writes the uploads, and adds the pictures that only this codec has to `input`.
    virtual GpuStatus write(const PlannedPhases &planned, GpuJobInput &input) = 0;
    virtual void submitted(const PlannedPhases &) {}
    // The GPU is done with what was submitted, and nothing of it goes back to the CPU.
    virtual void finished() {}
    // The CPU filters after the GPU.
    virtual bool filters_left() const { return false; }
    // Gives the recorders back to the session, if the frame has them.
    virtual void release_records() = 0;
    // Fills in what is counted by codec.
    virtual void count(FrameRecord &record) const = 0;
    virtual std::variant<const Vp9Batch *, const Av1Batch *> batch() const = 0;
};

struct CodecTraits {
    const char *name;
    unsigned superblock;     // largest, in pixels
    bool needs_references;   // without one of them in the GPU's reach, the whole frame is the CPU's
    bool interleaves_frames; // a thread may begin a frame before it has submitted another
    bool intra_on_gpu;       // a wide GPU takes the intra blocks of frames with inter blocks
};

// What a codec keeps of a session. Any thread may call it.
class Codec {
  public:
    static std::unique_ptr<Codec> make(DdCodec codec);
    explicit Codec(const CodecTraits &codec_traits) : traits(codec_traits) {}
    virtual ~Codec() = default;
    virtual std::unique_ptr<CodecFrame> make_frame(DdFrame &frame) = 0;
    // The stages that the frame has, and those that the GPU can take.
    virtual void add_stages(const DdFrameInfo &info, FrameFacts &facts) const = 0;
    // Those that pictures of this format may need.
    virtual std::vector<unsigned> kernels(const PictureFormat &format, const Gpu &gpu) const = 0;

    const CodecTraits traits;
};

} // namespace dd
